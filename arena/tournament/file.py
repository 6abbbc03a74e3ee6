"""Tournament files: their keys, what each may hold, and how a file becomes a `Tournament`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from arena.agent.loader import AgentRef, find_named, load, locate
from arena.documents import Document, KeyPath, read_yaml, told
from arena.errors import FileError, UserError, nearest, one_of
from arena.rules.catalogue import shipped_ruleset
from arena.rules.model import Ruleset

MAX_SEED = (1 << 128) - 1
MAX_GAMES = 10_000_000
MAX_SEATS = 6
FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")

NOT_YET = {
    "": ("strict", "isolation", "limits", "record", "faults", "anchor"),
    "rulesets": ("options", "file"),
    "agents": ("glob", "class", "command", "isolation"),
}
"""Keys that the file will take one day, by where they stand: refused until they work."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class RulesetText(_Part):
    """A ruleset: its id, alone or as ``{id: thirteen}``."""

    id: str

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, data: Any) -> Any:
        return {"id": data} if isinstance(data, str) else data


class AgentText(_Part):
    """An agent: a name alone, or ``{name: mine, path: bots/mine.py, params: {risk: 0.2}}``."""

    name: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    path: Annotated[str, Field(min_length=1)] | None = None
    params: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, data: Any) -> Any:
        return {"name": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _somebody(self) -> AgentText:
        if self.name is None and self.path is None:
            raise ValueError("an agent needs a name or a path")
        return self


class GauntletText(_Part):
    """A schedule in which every table has one of these agents."""

    gauntlet: Annotated[list[str], Field(min_length=1)]


class TournamentText(_Part):
    """A tournament file."""

    name: str
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    rulesets: Annotated[list[RulesetText], Field(min_length=1)]
    agents: Annotated[list[AgentText], Field(min_length=1)]
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)]
    schedule: Literal["round_robin"] | GauntletText = "round_robin"
    seats: Annotated[int, Field(ge=1, le=MAX_SEATS)] = 2

    @field_validator("schedule", mode="before")
    @classmethod
    def _schedule(cls, data: Any) -> Any:
        if data != "round_robin" and not isinstance(data, dict):
            raise ValueError(f"{data!r} is not allowed: round_robin, or {{gauntlet: [NAME, ...]}}")
        return GauntletText.model_validate(data) if isinstance(data, dict) else data


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament, ready to be planned: every name resolved, and every bot known to load.

    Attributes:
        name: also the run's folder.
        seed: the secret seed of all dice.
        rulesets: in the file's order.
        agents: where each bot is, sorted by name.
        games: games a pairing, all seatings together.
        seats: agents at a table.
        gauntlet: agents of whom one sits at every table; empty in a round robin.
    """

    name: str
    seed: int
    rulesets: tuple[Ruleset, ...]
    agents: tuple[AgentRef, ...]
    games: int
    seats: int
    gauntlet: tuple[str, ...] = ()


def load_tournament(
    path: Path, *, seed: int | None = None, games: int | None = None, only: Sequence[str] = ()
) -> Tournament:
    """Read a tournament file.

    Args:
        path: the file; paths in it are relative to it.
        seed: stands in for the file's.
        games: stands in for the file's.
        only: ids of rulesets, to play none but these.

    Raises:
        FileError: for a mistake in the file or in a bot, with line, key and the nearest valid name.
        UserError: for a mistake in what stands in for it.
    """
    document = read_yaml(path, what="tournament file")
    _refuse_not_yet(document)
    try:
        text = TournamentText.model_validate(document.data)
    except ValidationError as error:
        raise told(document, error, TournamentText) from None
    if not FOLDER_NAME.fullmatch(text.name):
        message = f"{text.name!r} cannot name a folder: letters, digits and _ . + - only, at most 100"
        raise document.error(message, ("name",))
    _check_games(text.games, text.seats, lambda message: document.error(message, ("games",)))
    agents = _agents(document, text)
    tournament = Tournament(
        name=text.name,
        seed=text.seed,
        rulesets=_rulesets(document, text),
        agents=agents,
        games=text.games,
        seats=text.seats,
        gauntlet=_gauntlet(document, text, [ref.name for ref in agents]),
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
    return _only(tournament, only)


def _refuse_not_yet(document: Document) -> None:
    data = document.data
    places: list[tuple[str, KeyPath, Any]] = [("", (), data)]
    for key in ("rulesets", "agents"):
        items = data.get(key)
        places += [(key, (key, index), item) for index, item in enumerate(items if isinstance(items, list) else [])]
    for kind, keys, part in places:
        for key in NOT_YET[kind]:
            if isinstance(part, dict) and key in part:
                raise document.error("not supported yet", (*keys, key))
    if data.get("seed") == "draw":
        raise document.error("draw is not supported yet: write a whole number", ("seed",))


def _gauntlet(document: Document, text: TournamentText, names: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(text.schedule, GauntletText):
        return ()
    for index, name in enumerate(text.schedule.gauntlet):
        if name not in names:
            where: KeyPath = ("schedule", "gauntlet", index)
            raise document.error(f"no agent {name!r} here{nearest(name, names)}; {one_of(names)}", where)
    return tuple(sorted(set(text.schedule.gauntlet)))


def _check_games(games: int, seats: int, mistake: Any) -> None:
    if games % seats:
        below, above = games - games % seats, games - games % seats + seats
        nearest_two = f"{below} or {above}" if below else str(above)
        raise mistake(f"{games} games do not divide into {seats} seatings: {nearest_two} would")


def _rulesets(document: Document, text: TournamentText) -> tuple[Ruleset, ...]:
    rulesets: list[Ruleset] = []
    for index, entry in enumerate(text.rulesets):
        try:
            ruleset = shipped_ruleset(entry.id)
        except FileError:
            raise
        except UserError as error:
            raise document.error(str(error), ("rulesets", index)) from None
        if not ruleset.min_seats <= text.seats <= ruleset.max_seats:
            message = f"{ruleset.id} is for {ruleset.min_seats} to {ruleset.max_seats} seats, not {text.seats}"
            raise document.error(message, ("rulesets", index))
        if any(other.name == ruleset.name for other in rulesets):
            raise document.error(f"{ruleset.name} stands twice", ("rulesets", index))
        rulesets.append(ruleset)
    return tuple(rulesets)


def _agents(document: Document, text: TournamentText) -> tuple[AgentRef, ...]:
    beside = document.path.resolve().parent
    found: dict[str, AgentRef] = {}
    for index, entry in enumerate(text.agents):
        keys: KeyPath = ("agents", index)
        try:
            if entry.path is not None:
                ref = locate(beside / entry.path, name=entry.name, params=entry.params)
            else:
                assert entry.name is not None
                ref = locate(find_named(entry.name, beside), name=entry.name, params=entry.params)
            ref = replace(ref, in_arrays=load(ref).in_arrays)
        except UserError as error:
            where = keys if entry.path is None else (*keys, "path")
            raise document.error(str(error), where) from None
        _check_name(document, ref.name, keys)
        if ref.name in found:
            raise document.error(f"the name {ref.name!r} stands twice; give one of them another name", keys)
        found[ref.name] = ref
    if len(found) < text.seats:
        agents = "agent" if len(found) == 1 else "agents"
        raise document.error(f"{len(found)} {agents} cannot play: {text.seats} seats want as many", ("agents",))
    return tuple(found[name] for name in sorted(found))


def _check_name(document: Document, name: str, keys: KeyPath) -> None:
    if not name.isprintable() or name != name.strip():
        raise document.error(f"{name!r} is no name: printable characters only, no space at the ends", keys)


def _only(tournament: Tournament, only: Sequence[str]) -> Tournament:
    known = [ruleset.name for ruleset in tournament.rulesets]
    for name in only:
        if name not in known:
            raise UserError(f"--only: {name!r} is not in this tournament{nearest(name, known)}; {one_of(known)}")
    chosen = tuple(ruleset for ruleset in tournament.rulesets if not only or ruleset.name in only)
    return replace(tournament, rulesets=chosen)
