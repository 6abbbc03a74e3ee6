# Two commands to know: `make quick` plays all seven rulesets, `make test` runs the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: quick test league prove bench lint clean

quick: $(VENV)/.installed
	$(BIN)/arena run tournaments/quick.yaml --out build/quick

test: $(VENV)/.tested-with
	$(BIN)/python -m pytest

league: $(VENV)/.installed
	$(BIN)/arena run tournaments/league.yaml --out leaderboard

prove: $(VENV)/.tested-with
	$(BIN)/python -m tests.prove

bench: $(VENV)/.tested-with
	$(BIN)/python -m tests.bench

lint: $(VENV)/.developed-with
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.tested-with: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

$(VENV)/.developed-with: $(VENV)/.tested-with
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist
