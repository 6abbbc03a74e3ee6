"""Tournament files: their keys, what each may hold, and how a file becomes a `Tournament`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    field_validator,
)
from pydantic.json_schema import GenerateJsonSchema

from arena.agent.limits import Level, Limits
from arena.agent.names import composed
from arena.agent.plugins import Plugins
from arena.agent.ref import AgentRef
from arena.documents import Document, KeyPath, given, read_yaml, short, validated
from arena.errors import UserError, nearest, one_of
from arena.records import SEED_BITS
from arena.rules.model import MAX_SEATS, OptionValue, Ruleset
from arena.sandbox.box import missing
from arena.tournament.agents import AgentText, find_agents
from arena.tournament.rulesets import RulesetText, find_rulesets

MAX_SEED = (1 << SEED_BITS) - 1
MAX_GAMES = 10_000_000
MAX_FAULTS = 1_000_000_000
DRAW = "draw"
Record = Literal["full", "results"]
FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")

NOT_YET = ("anchor",)
"""Keys that the file will take one day: refused until they work."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GauntletText(_Part, title="Gauntlet"):
    """A schedule in which every table has one of these agents."""

    gauntlet: Annotated[list[str], Field(min_length=1, description="Names of agents.")]


class LimitsText(_Part, title="Limits"):
    """What a bot may take that is kept apart."""

    decision_ms: Annotated[int, Field(ge=1, le=3_600_000, description="Processor time of a decision.")] = 100
    start_s: Annotated[float, Field(gt=0, le=3600, description="Time to load and make ready.")] = 10
    memory_mb: Annotated[int, Field(ge=1, le=1 << 20, description="Memory beside Python's own.")] = 1024
    output_kb: Annotated[int, Field(ge=1, le=1 << 20, description="Printed text that is kept.")] = 64
    wall_s: Annotated[float, Field(gt=0, le=3600, description="Time without any progress.")] = 12


class FaultsText(_Part, title="Faults"):
    """What becomes of a bot with many faults."""

    disqualify_after: Annotated[int, Field(ge=1, le=MAX_FAULTS, description="So many, and its later games are void.")]


def _seed(value: Any) -> Any:
    if value != DRAW and (type(value) is not int or not 0 <= value <= MAX_SEED):
        found = f"not {short(value)}{nearest(value, [DRAW])}"
        raise ValueError(f"should be {DRAW}, or a whole number from 0 to {MAX_SEED}, {found}")
    return value


SEED_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 0, "maximum": MAX_SEED}, {"const": DRAW}]}


class TournamentText(_Part, title="Tournament"):
    """Who plays what, and how often: a tournament file of the dice-poker arena."""

    name: str = Field(description="Also the run's folder.", json_schema_extra={"pattern": f"^{FOLDER_NAME.pattern}$"})
    seed: Annotated[int | str, BeforeValidator(_seed), WithJsonSchema(SEED_SCHEMA)] = Field(
        description=f"What all dice follow from. draw: {SEED_BITS} bits that nobody knows before the run is finished."
    )
    rulesets: Annotated[list[RulesetText], Field(min_length=1, description="The games that are played.")]
    agents: Annotated[list[AgentText], Field(min_length=1, description="The bots that play.")]
    games: Annotated[
        int, Field(ge=1, le=MAX_GAMES, description="Games a pairing, all seatings together: a multiple of seats.")
    ]
    schedule: Literal["round_robin"] | GauntletText = Field("round_robin", description="Who meets whom.")
    seats: Annotated[int, Field(ge=1, le=MAX_SEATS, description="Agents at a table.")] = 2
    strict: bool = Field(
        True, description="false: a bot that cannot be loaded loses its games, and the others play all the same."
    )

    isolation: Literal["auto", "inline", "process", "sandbox"] = Field(
        "auto", description="How far apart bots are kept. auto: those from files as far as this machine allows."
    )
    limits: LimitsText = Field(default_factory=LimitsText, description="What a bot may take that is kept apart.")
    record: Record = Field("full", description="What is kept of a game. full: every decision; results: how it ended.")
    faults: FaultsText | None = Field(None, description="What becomes of a bot with many faults.")

    @field_validator("faults", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        return given(value)

    @field_validator("schedule", mode="before")
    @classmethod
    def _schedule(cls, data: Any) -> Any:
        if data != "round_robin" and not isinstance(data, dict):
            hint = nearest(data, ["round_robin", "gauntlet"])
            raise ValueError(f"{short(data)} is not allowed{hint}: round_robin, or {{gauntlet: [NAME, ...]}}")
        return GauntletText.model_validate(data) if isinstance(data, dict) else data


class _Schema(GenerateJsonSchema):
    """Leaves out that nothing may stand where a key may be left out: nobody should write that."""

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of what may stand there."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema, with the default if there is one."""
        return (
            self.generate_inner(schema["schema"])
            if schema.get("default", self) is None
            else super().default_schema(schema)
        )


def tournament_schema() -> dict[str, Any]:
    """Return the JSON Schema of tournament files, for editors; it cannot tell all that `load_tournament` refuses."""
    schema = TournamentText.model_json_schema(schema_generator=_Schema)
    for name, told_of in TournamentText.model_fields.items():  # pydantic leaves it out beside a reference
        schema["properties"][told_of.alias or name].setdefault("description", told_of.description)
    return {"$schema": _Schema.schema_dialect, **schema}


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament, ready to be planned: every name resolved, and every bot known to load or marked as broken.

    Attributes:
        name: also the run's folder.
        seed: the secret seed of all dice; None if it is to be drawn, and kept with the run.
        rulesets: in the file's order.
        agents: where each bot is, sorted by name.
        games: games a pairing, all seatings together.
        seats: agents at a table.
        gauntlet: agents of whom one sits at every table; empty in a round robin.
        limits: what a bot may take that is kept apart.
        disqualify_after: so many faults under a ruleset, and a bot is out of its leaderboard; None lets all stay.
        record: whether every decision is kept, or only how games end.
        file: the tournament file, as an absolute path.
    """

    name: str
    seed: int | None
    rulesets: tuple[Ruleset, ...]
    agents: tuple[AgentRef, ...]
    games: int
    seats: int
    gauntlet: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    disqualify_after: int | None = None
    record: Record = "full"
    file: Path = field(default_factory=Path)


def load_tournament(
    path: Path,
    *,
    seed: int | None = None,
    games: int | None = None,
    only: Sequence[str] = (),
    options: Mapping[str, OptionValue] | None = None,
    plugins: Plugins | None = None,
    strict: bool | None = None,
) -> Tournament:
    """Read a tournament file.

    Args:
        path: the file; paths in it are relative to it.
        seed: stands in for the file's.
        games: stands in for the file's.
        only: names of rulesets, with their options, to play none but these.
        options: changes to every ruleset of these that takes them.
        plugins: what is installed; by default what this Python has.
        strict: stands in for the file's.

    Raises:
        FileError: for a mistake in the file or in a bot, with line, key and the nearest valid name.
        UserError: for a mistake in what stands in for it.
    """
    document = read_yaml(path, what="tournament file")
    _refuse_not_yet(document)
    text = validated(document, TournamentText)
    if not FOLDER_NAME.fullmatch(text.name):
        message = f"{text.name!r} cannot name a folder: letters, digits and _ . + - only, at most 100"
        raise document.error(message, ("name",))
    _check_games(text.games, text.seats, lambda message: document.error(message, ("games",)))
    plugins = plugins or Plugins()
    _check_isolation(document, text)
    limits = Limits(**text.limits.model_dump())
    rulesets = find_rulesets(document, text.rulesets, plugins, seats=text.seats, only=only, options=options)
    agents = find_agents(
        document,
        text.agents,
        plugins,
        strict=text.strict if strict is None else strict,
        isolation=text.isolation,
        limits=limits,
        ruleset=rulesets[0],
        seats=text.seats,
    )
    if len(agents) < text.seats:
        number = f"{len(agents)} agent{'' if len(agents) == 1 else 's'}"
        raise document.error(f"{number} cannot play: {text.seats} seats want as many", ("agents",))
    tournament = Tournament(
        name=text.name,
        seed=text.seed if isinstance(text.seed, int) else None,
        rulesets=rulesets,
        agents=agents,
        games=text.games,
        seats=text.seats,
        gauntlet=_gauntlet(document, text, [ref.name for ref in agents]),
        limits=limits,
        disqualify_after=None if text.faults is None else text.faults.disqualify_after,
        record=text.record,
        file=path.absolute(),
    )
    if seed is not None:
        if not 0 <= seed <= MAX_SEED:
            raise UserError(f"--seed: {seed} is not in 0 to {MAX_SEED}")
        tournament = replace(tournament, seed=seed)
    if games is not None:
        if not 1 <= games <= MAX_GAMES:
            raise UserError(f"--games: {games} is not in 1 to {MAX_GAMES:,}")
        _check_games(games, text.seats, lambda message: UserError(f"--games: {message}"))
        tournament = replace(tournament, games=games)
    return tournament


def _refuse_not_yet(document: Document) -> None:
    for key in NOT_YET:
        if isinstance(document.data, dict) and key in document.data:
            raise document.error("not supported yet", (key,))


def _check_isolation(document: Document, text: TournamentText) -> None:
    """Refuse a level of isolation that is not to be had here, or not for a bot."""
    for index, entry in enumerate(text.agents):
        if entry.command is None:
            continue
        if entry.isolation is None and text.isolation == "inline":
            message = "a command has a process of its own, not inline: write isolation: auto beside it"
            raise document.error(message, ("agents", index, "command"))
        if not hasattr(os, "fork"):
            raise document.error("external bots are not to be had on this system", ("agents", index, "command"))
    wanted: list[tuple[str | None, KeyPath]] = [(text.isolation, ("isolation",))]
    wanted += [(entry.isolation, ("agents", index, "isolation")) for index, entry in enumerate(text.agents)]
    for level, keys in wanted:
        if level == Level.SANDBOX and (lacking := missing()):
            raise document.error(f"the sandbox is not to be had here: no {', no '.join(lacking)}", keys)


def _gauntlet(document: Document, text: TournamentText, names: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(text.schedule, GauntletText):
        return ()
    chosen = [composed(name) for name in text.schedule.gauntlet]
    for index, name in enumerate(chosen):
        if name not in names:
            where: KeyPath = ("schedule", "gauntlet", index)
            raise document.error(f"no agent {name!r} here{nearest(name, names)}; {one_of(names)}", where)
    return tuple(sorted(set(chosen)))


def _check_games(games: int, seats: int, mistake: Any) -> None:
    if games % seats:
        below, above = games - games % seats, games - games % seats + seats
        nearest_two = f"{below} or {above}" if below else str(above)
        raise mistake(f"{games} games do not divide into {seats} seatings: {nearest_two} would")
