"""``arena agents``: everything that can be entered by name, broken ones with the reason."""

from __future__ import annotations

from pathlib import Path

from leagues import BOTS, ROOT, Console

BUNDLED = sorted(path.stem for path in (ROOT / "agents").glob("*.py"))
FUNCTIONS = "def hold(turn):\n    return turn.dice\n\n\ndef choose_row(turn):\n    return turn.open_rows[0]\n"


def listed(arena: Console, folder: Path) -> dict[str, tuple[str, str]]:
    found = arena("agents", cwd=folder)
    assert (found.code, found.err) == (0, "")
    rows = [[cell.strip() for cell in line.strip("│┃").split("│")] for line in found.lines if "│" in line]
    by_name: dict[str, tuple[str, str]] = {}
    for name, where, said in rows:
        if name:
            last = name
            by_name[last] = (where, said)
        else:  # the rest of a long cell
            by_name[last] = (f"{by_name[last][0]} {where}".strip(), f"{by_name[last][1]} {said}".strip())
    return by_name


def test_own_bots_beside_the_bundled(arena: Console, tmp_path: Path) -> None:
    own = tmp_path / "agents"
    (own / "clever").mkdir(parents=True)
    (own / "clever" / "agent.py").write_text(f'"""Thinks in many files."""\n\n{FUNCTIONS}')
    (own / "silent.py").write_text(FUNCTIONS)
    (own / "greedy.py").write_text(f'"""Another greedy."""\n\n{FUNCTIONS}')
    (own / "_part.py").write_text("x = 1\n")
    (own / "wrong.py").write_text("def hold(turn:\n")
    (own / "half.py").write_text("def hold(turn):\n    return turn.dice\n")
    (own / "two.py").write_text((BOTS / "two_bots.py").read_text())
    bots = listed(arena, tmp_path)
    assert sorted(bots) == sorted({*BUNDLED, "clever", "half", "silent", "two", "wrong"})
    assert bots["clever"] == ("agents/clever", "Thinks in many files.")
    assert bots["silent"] == ("agents/silent.py", "")
    assert bots["greedy"] == ("agents/greedy.py", "Another greedy.")
    assert bots["collector"][0] == "bundled"
    assert bots["wrong"][1].startswith("broken: ")
    assert "wrong.py:1: cannot be loaded: SyntaxError: '(' was never closed" in bots["wrong"][1]
    assert bots["half"][1].endswith("half.py: no bot here: it has no function choose_row, nor a class with them")
    assert bots["two"][1].endswith("two.py: has several bots; name one of two.py:Bold, two.py:Meek")


def test_a_description_does_nothing_to_the_terminal(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    hostile = r'"""\033[31mRed \ud800 and \a loud. [bold]No markup[/bold] :boom:"""'
    (tmp_path / "agents" / "hostile.py").write_text(f"{hostile}\n\n{FUNCTIONS}")
    (tmp_path / "agents" / "raises.py").write_text(r"raise ValueError('\033[31mRed \ud800')")
    bots = listed(arena, tmp_path)
    assert bots["hostile"][1] == r"\x1b[31mRed \ud800 and \x07 loud. [bold]No markup[/bold] :boom:"
    assert bots["raises"][1].endswith(r"cannot be loaded: ValueError: \x1b[31mRed \ud800")


def test_without_own_bots_there_are_the_bundled(arena: Console, tmp_path: Path) -> None:
    assert sorted(listed(arena, tmp_path)) == BUNDLED
