"""One stored game, found by its name: replayed from its transcript, and played again by its bots to be compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from arena.dice.lattice import Faces, lattice
from arena.errors import UserError, printable
from arena.game.new import Rules, compile_rules
from arena.game.transcript import BadTranscript, ReplayedTurn, replay
from arena.held_folder import held_folder
from arena.known_run import KnownRun
from arena.records import NO_MOVE, Block, BlockResult, End, Fault, UInt8
from arena.rules.card import CardRules
from arena.store import opened_results
from arena.tournament.block import BlockDice
from arena.tournament.file import load_tournament
from arena.tournament.serial import play_serial
from arena.tournament.work import Job


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One stored game.

    Attributes:
        name: as it was asked for.
        file: the tournament file, as an absolute path.
        rules: what was played.
        block: its dice set alone, in every seating.
        seating: which of these it is.
        seed: of the dice.
        moves: uint8[rounds, seats, rolls]: see `arena.records.BlockResult`.
        totals: points by seat.
        ends: why each seat's game ended.
        winners: a bit a seat.
        faults: what is kept of the faults.
    """

    name: str
    file: Path
    rules: Rules
    block: Block
    seating: int
    seed: int
    moves: UInt8
    totals: tuple[int, ...]
    ends: tuple[End, ...]
    winners: int
    faults: tuple[Fault, ...]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents' names by seat."""
        return tuple(entrant.name for entrant in self.block.seated(self.seating))

    def turns(self) -> Iterator[ReplayedTurn]:
        """Play the game again from its transcript, held against the rules and against what else is stored of it.

        Raises:
            UserError: if it is not the transcript of this game.
        """
        dice = BlockDice(self.block, self.rules, self.seed)
        faults = {fault.seat: fault for fault in self.faults}
        try:
            for turn in replay(self.rules, dice.lists, self.moves, self.ends, self.totals):
                fault = faults.get(turn.seat) if turn.end is not End.FINISHED else None
                if fault and (fault.round, fault.roll) != (turn.round, len(turn.rolls)):
                    where = f"round {fault.round}, roll {fault.roll}"
                    raise BadTranscript(
                        f"round {turn.round}, seat {turn.seat}, roll {len(turn.rolls)}: no decision is recorded, and"
                        f" the fault that is stored was in {where}"
                    )
                yield turn
        except BadTranscript as error:
            raise UserError(f"{printable(self.name)}: the transcript is damaged: {error}") from None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first decision that a bot takes otherwise than is recorded.

    Attributes:
        turn: the turn as it is recorded.
        roll: the roll, from 1.
        recorded: what was decided, in words.
        now: what the bot decides now.
    """

    turn: ReplayedTurn
    roll: int
    recorded: str
    now: str


def stored_game(folder: Path, name: str) -> StoredGame:
    """Return one game of a run.

    Args:
        folder: the run's.
        name: the game's: see `arena.manifest.game_name`.

    Raises:
        UserError: if the run has no such game, it is not stored yet, or its decisions were not kept.
    """
    with opened_results(folder) as results:
        known = KnownRun(results)
        ruleset, block, seating = known.manifest.find_game(name, known.seed)
        found = list(results.results(block, moves=True))
        if not found:
            results.refuse_unsound()
            stored = sum(stop - first for first, stop in results.known(block.series))
            raise UserError(f"{printable(name)}: is not stored: {stored:,} dice sets of this pairing are")
    (result,) = found
    if result.moves is None:
        raise UserError(f"{printable(name)}: its decisions were not kept: it was played with `record: results`")
    return StoredGame(
        name=name,
        file=Path(known.manifest.file),
        rules=compile_rules(ruleset),
        block=block,
        seating=seating,
        seed=known.seed,
        **_part(result, seating),
    )


def _part(result: BlockResult, seating: int) -> dict[str, Any]:
    """Return what of a game comes of its block's result."""
    assert result.moves is not None
    return {
        "moves": result.moves[seating, ..., 0],
        "totals": tuple(result.totals[0, seating].tolist()),
        "ends": tuple(map(End, result.ends[0, seating].tolist())),
        "winners": int(result.winners[0, seating]),
        "faults": tuple(fault for fault in result.faults if fault.seating == seating),
    }


def check_again(game: StoredGame) -> tuple[int, Difference | None]:
    """Have the bots of a game decide again, each at its own isolation level.

    Returns:
        How many decisions are recorded, and the first that is another now.

    Raises:
        UserError: if the tournament file cannot be read any more, a bot is another than the one that played, or the
            transcript is damaged.
    """
    turns = list(game.turns())
    again = replace(game, **_part(_played(game), game.seating))
    for turn in turns:
        round_ = turn.round - 1
        for place in turn.places:
            one, other = (
                int(played.moves[round_, turn.seat, place]) if round_ < len(played.moves) else NO_MOVE
                for played in (game, again)
            )
            if one != other or (one == NO_MOVE and game.ends[turn.seat] is not again.ends[turn.seat]):
                roll = len(turn.rolls) if place < 0 else place + 1
                told = (_told(game, turn, place, one), _told(again, turn, place, other))
                return _decisions(turns), Difference(turn, roll, *told)
    return _decisions(turns), None


def _decisions(turns: list[ReplayedTurn]) -> int:
    return sum(len(turn.places) for turn in turns)


def _told(game: StoredGame, turn: ReplayedTurn, place: int, move: int) -> str:
    """Return a decision in words, or why there is none."""
    if move == NO_MOVE:
        messages = [fault.message for fault in game.faults if fault.seat == turn.seat]
        return ": ".join([game.ends[turn.seat].label, *messages])
    if place < 0:
        assert isinstance(game.rules, CardRules)
        return f"writes {game.rules.names[move]}"
    of = lattice(game.rules.ruleset.dice)
    keep = of.keeps[of.sub_keeps[of.roll_ids[turn.rolls[place]]][move]]
    return "keeps " + kept(keep, turn.rolls[place])


def kept(keep: Faces, roll: Faces) -> str:
    """Return what was kept of a roll, in words or figures: ``all``, ``none``, ``4 4``."""
    if keep == roll:
        return "all"
    return " ".join(map(str, keep)) or "none"


def _played(game: StoredGame) -> BlockResult:
    """Play the game's dice set anew."""
    tournament = load_tournament(game.file, strict=False)  # others may be broken by now
    refs = {ref.name: ref for ref in tournament.agents}
    for entrant in game.block.entrants:
        ref = refs.get(entrant.name)
        if ref is None:
            raise UserError(f"{game.file}: {entrant.name!r} does not play here any more")
        if ref.entrant != entrant:
            raise UserError(
                f"{game.file}: {entrant.name!r} is not the bot that played this game: its source or its parameters"
                " have changed since"
            )
    ruleset = game.rules.ruleset
    agents = {entrant.name: refs[entrant.name] for entrant in game.block.entrants}
    with held_folder(Path(gettempdir()), "arena-replay-") as folder:
        job = Job(game.seed, {ruleset.hash: ruleset}, agents, folder, tournament.limits, record=True)
        with closing(play_serial(job, [game.block], lambda: False)) as results:
            result = next(results)
    assert isinstance(result, BlockResult)
    return result
