"""How external bots are spoken with: by JSON lines; see `arena.agent.protocol`."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from arena.agent.bot_process import BotProcess
from arena.agent.inline import MAX_ANSWER, Failure, told_position
from arena.agent.limits import Limits
from arena.agent.lines import MOST_HELLO, Lines
from arena.agent.nursery import Nursery
from arena.agent.protocol import MOST_TURNS, PROTOCOL, Hello, Question, hello, turns_told
from arena.agent.ref import AgentRef
from arena.agent.serve import HOLD
from arena.agent.speech import Reply, keys_of
from arena.agent.tables import TablesOf
from arena.agent.talk import BY_CPU, LostError, Patience
from arena.agent.turn import SeatView
from arena.dice.lattice import RollId, lattice
from arena.errors import one_line
from arena.game.tables import Flags, Tables
from arena.records import End
from arena.rules.card import CardRules

READING_S = 1e-7
"""Seconds that a bot may take for every byte of a question, to read it."""
MOST_LINE, MOST_ANSWER = 1 << 12, 1 << 8
"""Bytes of a bot's line, and further ones for every turn that it answers."""


class LineSpeech:
    """Speaks with an external bot: see `arena.agent.protocol`.

    Args:
        ref: the bot.
        nursery: starts processes.
        limits: what the bot may take.
        said: the first message to it.
        boxed: True for the sandbox.
        view: the seat, if turns are to be asked about.
    """

    def __init__(
        self, ref: AgentRef, nursery: Nursery, limits: Limits, said: Hello, view: SeatView | None, *, boxed: bool
    ) -> None:
        self._ref, self._nursery, self._limits, self._boxed = ref, nursery, limits, boxed
        self._said, self._view = said, view
        self._lines: Lines | None = None
        self._size = 0
        # A bot of which others may go on loses what it was deciding, and that is not known before its first answer.
        self.most, self.whole, self.per_game = 1, True, True
        self._together = True

    def start(self) -> BotProcess:
        """Start a process and tell it what is played."""
        process = self._nursery.execute(self._ref, self._limits, boxed=self._boxed)
        self._lines = Lines(process)
        self._lines.say(self._said)
        return process

    def greet(self, process: BotProcess) -> None:
        """Wait for the bot's hello.

        Raises:
            LostError: if there is none.
        """
        assert self._lines is not None
        limits = self._limits
        start_s = limits.start_s
        what = f"did not start in {start_s:g} s {BY_CPU}"
        patience = Patience(process, start_s, start_s + limits.wall_s, End.START, what)
        said = self._lines.hear(patience, MOST_HELLO)
        patience.answered()
        if not isinstance(said, dict) or said.get("type") != "hello":
            raise LostError(End.PROTOCOL, f"answered hello with {_shown(said)}")
        if (spoken := said.get("protocol", PROTOCOL)) != PROTOCOL or type(spoken) is not int:
            raise LostError(
                End.PROTOCOL, f"speaks version {_shown(spoken)} of the protocol, and here it is {PROTOCOL}"
            )
        if type(stateless := said.get("stateless", False)) is not bool:
            raise LostError(End.PROTOCOL, f"answered hello with stateless {_shown(stateless)}")
        self.per_game = not stateless
        if self.per_game:  # all is lost with it, whatever it was deciding
            self.most = MOST_TURNS

    def ask(self, process: BotProcess, kind: int, game: TablesOf, tables: Tables) -> None:
        """Send a question about some tables."""
        assert self._view is not None
        assert self._lines is not None
        process.leave(0)
        turns = turns_told(self._view, game, tables)
        self._size = self._lines.say(Question(type="hold" if kind == HOLD else "choose_row", turns=turns))

    def answer(
        self, process: BotProcess, kind: int, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags] | None
    ) -> Reply:
        """Wait for the answers to the question that was sent, and find out what they mean.

        Raises:
            LostError: if the process gives none, or none that can be understood.
        """
        answers = self._answers(process, len(tables), list if kind == HOLD else str)
        return self._holds(game, tables, answers) if legal is None else self._rows(game, tables, legal, answers)

    def _answers(self, process: BotProcess, count: int, each: type) -> list[Any]:
        """Return what was answered, in one line or one by one; each answer should be of a type."""
        lines, limits = self._lines, self._limits
        assert lines is not None
        decision_s = limits.decision_ms / 1000
        seconds = decision_s * (count if self._together else 1)
        what = f"took more than {seconds * 1000:.0f} ms {BY_CPU}"
        reading_s = READING_S * self._size
        together = Patience(process, decision_s * count + reading_s, limits.wall_s, End.TIMEOUT, what)
        patience = Patience(process, seconds + reading_s, limits.wall_s, End.TIMEOUT, what, step_s=decision_s)
        said = lines.hear(patience, MOST_LINE + MOST_ANSWER * count)
        self.most, self.whole = MOST_TURNS, isinstance(said, dict) and "answers" in said
        if self.whole:
            answers = said["answers"]
            if not isinstance(answers, list) or len(answers) != count:
                given = len(answers) if isinstance(answers, list) else _shown(answers)
                plural = "" if given == 1 else "s"
                raise LostError(End.PROTOCOL, f"gave {given} answer{plural} to {_turns(count)}")
            together.answered()
            return answers
        if isinstance(said, dict) and _is_several(said.get("answer"), count, each):
            raise LostError(End.PROTOCOL, f"gave a list of {count} answers as 'answer': write 'answers'")
        self._together = self._together and count == 1  # of a single turn some answer otherwise than of several
        found: list[Any] = []
        what = f"took more than {limits.decision_ms} ms {BY_CPU}"
        patience = Patience(process, decision_s, limits.wall_s, End.TIMEOUT, what, step_s=decision_s)
        while True:
            if not isinstance(said, dict) or "answer" not in said:
                raise LostError(End.PROTOCOL, f"answered with {_shown(said)}, which has no answer")
            found.append(said["answer"])
            if len(found) == count:
                together.answered()
                return found
            process.leave(len(found) + 1)
            patience.renew(decision_s)
            said = lines.hear(patience, MOST_LINE, f"answered {len(found)} of {_turns(count)}")

    def _holds(self, game: TablesOf, tables: Tables, answers: list[Any]) -> Reply:
        """Return the keeps that a bot means."""
        of = lattice(game.rules.ruleset.dice)
        got, failures = np.zeros(len(answers), dtype=np.int16), {}
        for index, (answer, roll_id) in enumerate(zip(answers, game.roll_ids[tables].tolist(), strict=True)):
            dice = type(answer) is list and len(answer) <= of.dice and all(type(face) is int for face in answer)
            keep = of.keep_ids.get(tuple(answer)) if dice else None
            if keep is None or keep not in of.keepable[roll_id]:
                got[index] = -int(End.ILLEGAL_HOLD)
                where = self._position(game, int(tables[index]), roll_id)
                shown = _shown(answer)
                message = f"InvalidHold: {self._ref.name!r} kept {shown} of {where}"
                failures[index] = Failure(End.ILLEGAL_HOLD, message, answer=shown)
            else:
                got[index] = keep
        return Reply(got, failures)

    def _rows(self, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags], answers: list[Any]) -> Reply:
        """Return the rows that a bot means."""
        rules = game.rules
        assert isinstance(rules, CardRules)
        got, failures = np.zeros(len(answers), dtype=np.int8), {}
        for index, answer in enumerate(answers):
            row = rules.row_ids.get(answer) if isinstance(answer, str) else None
            if row is None or not legal[0][index, row]:
                got[index] = -int(End.ILLEGAL_ROW)
                where = self._position(game, int(tables[index]), int(game.roll_ids[tables[index]]))
                rows = ", ".join(rules.names[number] for number in np.flatnonzero(legal[0][index]))
                shown = _shown(answer)
                message = f"InvalidRow: {self._ref.name!r} chose {shown} for {where}; open: {rows}"
                failures[index] = Failure(End.ILLEGAL_ROW, message, answer=shown)
            else:
                got[index] = row
        return Reply(got, failures)

    @staticmethod
    def _position(game: TablesOf, table: int, roll_id: RollId) -> str:
        rolls = lattice(game.rules.ruleset.dice).rolls
        return told_position(int(game.roll_numbers[table]), rolls[roll_id], game.round)


def line_speech(
    ref: AgentRef, nursery: Nursery, limits: Limits, view: SeatView, tables: int, *, boxed: bool
) -> LineSpeech:
    """Return how an external bot is spoken with in one seat of a leg.

    Args:
        ref: the bot.
        nursery: starts processes.
        limits: what the bot may take.
        view: the seat.
        tables: how many games are played together.
        boxed: True for the sandbox.
    """
    said = hello(view.ruleset, view.seat, view.seats, keys_of(view, tables).tolist(), ref.params)
    return LineSpeech(ref, nursery, limits, said, view, boxed=boxed)


def _is_several(answer: Any, count: int, each: type) -> bool:
    """Return whether what was given as one answer are those to all turns: no answer to one of them looks so."""
    return count > 1 and isinstance(answer, list) and len(answer) == count and all(type(one) is each for one in answer)


def _turns(count: int) -> str:
    return f"{count} turn{'' if count == 1 else 's'}"


def _shown(said: Any) -> str:
    """Return what a bot said, in one short line."""
    return one_line(reprlib.repr(said))[:MAX_ANSWER]
