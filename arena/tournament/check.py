"""``arena check``: six numbered checks of one bot, each ending at its first failure with the call that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from statistics import fmean

from arena.agent import check as witness
from arena.agent.bot import Bot
from arena.agent.check import NO_ANSWER, Beat, Call, Clock, Key, first_and_later, patience
from arena.agent.kept import changed, fresh, kept_by
from arena.agent.loader import load, silence
from arena.agent.ref import AgentRef
from arena.errors import NoSuchBot, UserError
from arena.game.new import Rules
from arena.rules.card import CardRules
from arena.tournament.findings import (
    NOT_ASKED,
    TITLES,
    Finding,
    FoundError,
    State,
    expect_equal,
    expect_no_fault,
    otherwise,
)
from arena.tournament.trials import (
    BUDGET,
    TABLES,
    Form,
    Rulebook,
    Trial,
    ask,
    new_opponent,
    play,
    play_each,
    positions,
)

LIMIT_MS = 100.0
"""Milliseconds that a decision may take."""
POINTLESS_AFTER = {3: "it does not repeat", 4: "it keeps state"}
"""After which checks the others that compare games can tell nothing new, and why."""
BATCH = 256
SECONDS = 3.0
"""A slow bot gets fewer games: no more than what takes it about so long under one ruleset."""
SLOW_BUDGET = 10.0
"""The same for the last check of a bot that is found too slow at once."""
PARTS = 4
"""A check plays the games of check 3 about so often at most, so those get this part of the time."""
TOO_SLOW = "too slow"

Answers = Mapping[Key, tuple[int, str]]
"""What a bot answered: a keep's or a row's number, below 0 a fault, and the same in words."""
Elsewhere = Callable[[int, int], Answers]
"""Plays `reference` in another process: given how many games are played together, and how many sets of them."""


def check(
    ref: AgentRef,
    rulebook: Rulebook,
    *,
    tables: int = TABLES,
    elsewhere: Elsewhere | None = None,
    beat: Beat | None = None,
) -> Iterator[Finding]:
    """Check a bot.

    Args:
        ref: the bot.
        rulebook: what it is to play.
        tables: games that are played together.
        elsewhere: asks the bot in another process; None not to.
        beat: called before every step, for whoever wants to know that there are any.

    Yields:
        The finding of each check, as soon as it is known.

    Raises:
        NoSuchBot: if the file does not have the bot that was named, or is no bot's.
    """
    try:
        with patience(witness.START):
            bot = load(ref)
    except NoSuchBot:
        raise
    except (UserError, TimeoutError) as error:
        yield Finding(1, State.FAILED, "", (str(error), *_source_line(error)))
        return
    yield Finding(1, State.OK, f"{ref.where}, {_forms(bot)}")
    checks = _Checks(ref, bot, rulebook, tables, elsewhere, beat)
    with silence():
        try:
            pointless = checks.look()
        except TimeoutError:  # it rang a moment too late to be the bot's, and will ring again
            pointless = ""
    for number, one in enumerate(
        (checks.legal, checks.repeats, checks.no_state, checks.forms_agree, checks.time), start=2
    ):
        if pointless == NO_ANSWER or (pointless and 2 < number < len(TITLES)):
            yield Finding(number, State.SKIPPED, pointless)
            continue
        try:
            with silence():
                said = one()
        except TimeoutError as error:  # it rang a moment too late to be the bot's
            pointless = NO_ANSWER
            yield Finding(number, State.FAILED, str(error))
        except FoundError as failed:
            pointless = POINTLESS_AFTER.get(number, pointless)
            if any(map(_unanswered, failed.details)):
                pointless = NO_ANSWER
            yield Finding(number, State.FAILED, failed.said, failed.details)
        else:
            yield Finding(number, State.OK, said)


def _unanswered(told: str) -> bool:
    """Return whether a text tells that a bot took too long."""
    return f"TimeoutError: {NO_ANSWER}" in told


def _forms(bot: Bot) -> str:
    kind = "a class" if bot.per_game else "functions"
    both = "both forms" if bot.in_arrays and bot.in_scalars else "array form" if bot.in_arrays else "scalar form"
    return f"{kind}, {both}"


def _source_line(error: Exception) -> tuple[str, ...]:
    """Return the bot's own line that a mistake points at, if it does."""
    line = getattr(error, "line", None)
    with suppress(OSError, UnicodeDecodeError, IndexError):
        if line is not None:
            text = Path(getattr(error, "path", "")).read_text(encoding="utf-8").splitlines()[line - 1]
            return (f"  line {line}: {text.strip()}",)
    return ()


class _Checks:
    """The checks of a bot that loads; each returns a few words, or raises `FoundError`."""

    def __init__(
        self,
        ref: AgentRef,
        bot: Bot,
        rulebook: Rulebook,
        tables: int,
        elsewhere: Elsewhere | None,
        beat: Beat | None,
    ) -> None:
        self._ref, self._bot, self._rulebook, self._elsewhere, self._beat = ref, bot, rulebook, elsewhere, beat
        self._opponent = new_opponent()
        self._form: Form = "arrays" if bot.in_arrays else "scalar"
        self._rules = rulebook.plain
        self._tables = tables
        self._trials: list[Trial] = []
        self._reference: dict[Key, Call] = {}
        self._too_slow = False
        self._cut = ""

    def _clock(self, seconds: float = inf) -> Clock:
        """Return a clock of the bot's time, whose steps are told of."""
        return Clock(seconds, self._beat)

    def _fresh(self) -> Bot:
        """Load the bot as if for the first time.

        Raises:
            FoundError: if it does not load any more.
        """
        self._clock().beat()
        try:
            with patience(witness.START):
                return fresh(self._ref)
        except (UserError, TimeoutError) as error:
            raise FoundError("", f"loaded once more: {error}", *_source_line(error)) from None

    def look(self) -> str:
        """Time a few decisions, and take fewer tables for a slow bot.

        Returns:
            Why the checks that compare games are not worth their time; empty if they are.
        """
        trial, clock = Trial(self._rules[0], 2, 0, (0, 1)), self._clock(SECONDS)
        _, faults = play(trial, self._bot, self._opponent, self._form, self._clock(0))  # in which it may prepare much
        if any(_unanswered(fault.message) for fault, _ in faults):
            return ""  # which is told with the next check
        calls, faults = play(trial, self._bot, self._opponent, self._form, clock)
        spent = [calls[key].seconds for key in sorted(calls)]
        later = [seconds for seconds in spent if seconds != spent[0]] or spent
        a_table = SECONDS if clock.over else sum(spent) / 2
        self._tables = max(2, min(self._tables, int(SECONDS / max(a_table, 1e-9))))
        self._too_slow = not faults and 1e3 * fmean(later) > LIMIT_MS
        return TOO_SLOW if self._too_slow else ""

    # 2

    def legal(self) -> str:
        clock, decisions, tried = self._clock(BUDGET), 0, 0
        parts = [(self._games_of, rules, True) for rules in self._rules]
        parts += [(self._positions_of, rules, True) for rules in self._rules]
        for rules in self._rulebook.changed:
            parts += [(self._games_of, rules, False), (self._positions_of, rules, False)]
        for part, rules, in_full in parts:
            if clock.over:
                break
            decisions += part(rules, clock, in_full=in_full)
            tried += 1
        if clock.over:
            return (
                f"{decisions:,} decisions; cut short after {BUDGET:.0f} seconds, {tried} of {len(parts)} parts tried"
            )
        return (
            f"{decisions:,} decisions, {len(self._rules)} rulesets, {len(self._rulebook.changed)} changes of options"
        )

    def _games_of(self, rules: Rules, clock: Clock, *, in_full: bool) -> int:
        """Judge games at tables of two, fair and nasty ones; in full, also at the smallest and the largest tables."""
        few = tuple(range(max(2, self._tables // 4)))
        trials = [Trial(rules, 2, 0, few), Trial(rules, 2, 1, tuple(range(self._tables)), "nasty")]
        if in_full:
            trials.append(Trial(rules, rules.ruleset.min_seats, 0, few))
            trials.append(Trial(rules, rules.ruleset.max_seats, rules.ruleset.max_seats - 1, few))
        decisions = 0
        for trial in trials:
            if not clock.over:
                calls, faults = play(trial, self._bot, self._opponent, self._form, clock)
                expect_no_fault(faults)
                decisions += len(calls)
        return decisions

    def _positions_of(self, rules: Rules, clock: Clock, *, in_full: bool) -> int:
        """Judge answers to single positions, of bots that remember nothing."""
        decisions = 0
        if self._bot.per_game or not isinstance(rules, CardRules):
            return decisions
        for cards, rolls in positions(rules, every=2 if in_full else 10):
            for throw in range(1, rules.ruleset.rolls + 1):
                for rows in (True, False):
                    if not clock.over and (rows or throw < rules.ruleset.rolls):
                        calls, faults = ask(rules, cards, rolls, throw, self._bot, self._form, rows=rows, clock=clock)
                        expect_no_fault(faults)
                        decisions += len(calls)
        return decisions

    # 3

    def play_reference(self, most: int | None = None) -> dict[Key, Call]:
        """Play the games that others are compared with: no more sets of them than that, or than there is time for."""
        games = tuple(range(self._tables))
        trials = [Trial(rules, 2, seat, games) for rules in self._rules for seat in (0, 1)]
        trials += [Trial(rules, 2, 0, games, "nasty") for rules in self._rules]
        bot, clock, calls = self._fresh(), self._clock(BUDGET / PARTS if most is None else inf), {}
        self._trials = []
        for trial in trials[:most]:
            if self._trials and clock.over:
                break
            found = self._played(bot, [trial])
            clock.left -= sum(call.seconds for call in found.values())
            calls.update(found)
            self._trials.append(trial)
        self._cut = f"; cut short, {len(self._trials)} of {len(trials)} sets of games" if clock.over else ""
        self._reference = calls
        return calls

    def repeats(self) -> str:
        self.play_reference()
        again = self._played(self._fresh(), self._trials)
        expect_equal(self._reference, again, "the second time")
        if self._elsewhere is None:
            return f"{len(self._reference):,} decisions twice{self._cut}"
        answers = self._elsewhere(self._tables, len(self._trials))
        for key, call in sorted(self._reference.items()):
            answer, said = answers.get(key, (None, NOT_ASKED))
            if answer != call.answer:
                raise otherwise(call, "in another process", said)
        return f"{len(self._reference):,} decisions twice, and in another process{self._cut}"

    def _played(
        self, bot: Bot, trials: Sequence[Trial], form: Form | None = None, clock: Clock | None = None
    ) -> dict[Key, Call]:
        calls: dict[Key, Call] = {}
        for found, _ in play_each(trials, bot, self._opponent, form or self._form, clock or self._clock()):
            calls.update(found)
        return calls

    # 4

    def no_state(self) -> str:
        bot = self._fresh()
        others = [trial.of(range(self._tables, 2 * self._tables)) for trial in reversed(self._trials)]
        expect_equal(
            self._reference,
            self._played(bot, [*others, *(part for trial in self._trials for part in trial.parts())]),
            "after other games, with the tables in another order and in parts",
        )
        self._played(bot, self._trials)
        before = kept_by(self._ref)
        self._played(bot, self._trials)
        if told := changed(before, kept_by(self._ref)):
            raise FoundError("", f"the same games were played twice, and the module goes on changing: {told}")
        return ""

    # 5

    def forms_agree(self) -> str:
        if not (self._bot.in_arrays and self._bot.in_scalars):
            return f"it has {'no scalar' if self._bot.in_arrays else 'no array'} form"
        bot = self._fresh()
        clock, decisions = self._clock(BUDGET), 0
        for trial in self._trials:
            if decisions and clock.over:
                break
            scalar = self._played(bot, [trial], "scalar")
            clock.left -= sum(call.seconds for call in scalar.values())
            expect_equal(scalar, self._played(bot, [trial], "arrays"), "in array form")
            decisions += len(scalar)
        if not self._bot.per_game:
            for rules in self._rules:
                if isinstance(rules, CardRules):
                    decisions += self._forms_agree_on_positions(rules, bot, clock)
        return f"{decisions:,} decisions{'; cut short' if clock.over else ''}"

    def _forms_agree_on_positions(self, rules: CardRules, bot: Bot, clock: Clock) -> int:
        decisions = 0
        for number, (cards, rolls) in enumerate(positions(rules, every=7)):
            for rows in (True, False):
                if clock.over:
                    return decisions
                throw = 1 + number % (rules.ruleset.rolls - (not rows))
                scalar, _ = ask(rules, cards, rolls, throw, bot, "scalar", rows=rows, clock=self._clock())
                clock.left -= sum(call.seconds for call in scalar.values())
                arrays, _ = ask(rules, cards, rolls, throw, bot, "arrays", rows=rows, clock=self._clock())
                expect_equal(scalar, arrays, "in array form")
                decisions += len(scalar)
        return decisions

    # 6

    def time(self) -> str:
        said = []
        if self._bot.in_scalars:
            said.append(self._time_one_by_one())
        if self._bot.in_arrays:
            said.append(self._time_together())
        return "; ".join(said)

    def _time_one_by_one(self) -> str:
        """Time single decisions, twice; the first of a ruleset, for which much may be prepared, is told apart."""
        trials = [Trial(rules, 2, 0, (0,)) for rules in self._rules]
        seconds = (SLOW_BUDGET if self._too_slow else BUDGET) / 2
        once, again = (self._played(self._fresh(), trials, "scalar", self._clock(seconds)) for _ in range(2))
        spent = {key: min(call.seconds, again[key].seconds) for key, call in once.items() if key in again}
        first, later = first_and_later(spent)
        slowest = max(later, key=spent.__getitem__)
        mean, most = 1e3 * fmean(spent[key] for key in later), 1e3 * spent[slowest]
        if most > LIMIT_MS:
            told = f"{mean:.1f} ms in the mean, the slowest {most:.1f} ms; the limit is {LIMIT_MS:.0f} ms"
            raise FoundError(told, str(once[slowest]))
        prepared = 1e3 * max(spent[key] for key in first)
        return f"{1e3 * mean:,.1f} us one by one, the slowest {most:,.2f} ms, the first {prepared:,.1f} ms"

    def _time_together(self) -> str:
        batch = BATCH if self._tables == TABLES else self._tables
        trials = [Trial(rules, 2, 0, tuple(range(batch))) for rules in self._rules]
        bot = self._fresh()
        clock = self._clock(SLOW_BUDGET if self._too_slow else BUDGET)
        self._played(bot, trials[:1], "arrays", clock)
        calls = self._played(bot, trials, "arrays", clock)
        mean = 1e3 * fmean(call.seconds for call in calls.values())
        slowest = max(calls.values(), key=lambda call: call.seconds)
        if mean > LIMIT_MS:
            raise FoundError(f"{mean:.1f} ms in the mean; the limit is {LIMIT_MS:.0f} ms", str(slowest))
        return f"{1e3 * mean:,.1f} us in arrays of {batch}"


def reference(ref: AgentRef, rulebook: Rulebook, tables: int, most: int, beat: Beat | None = None) -> Answers:
    """Return what a bot answers in the games of check 3, in a process of its own.

    Args:
        ref: the bot.
        rulebook: what it is to play.
        tables: games that are played together.
        most: sets of games.
        beat: as of `check`.

    Raises:
        FileError: if it cannot be loaded.
        FoundError: if it cannot be loaded once more.
        TimeoutError: if it rang a moment too late to be the bot's.
    """
    with silence():
        with patience(witness.START):
            bot = load(ref)
        calls = _Checks(ref, bot, rulebook, tables, None, beat).play_reference(most)
    return {key: (call.answer, call.said) for key, call in calls.items()}
