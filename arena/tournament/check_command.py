"""The checks of an external bot, which lives in processes of its own: it is asked as in a tournament."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from statistics import fmean

from arena.agent.check import Call, Clock, Key, first_and_later
from arena.agent.limits import Level, Limits
from arena.agent.nursery import Nursery
from arena.agent.probe import Prober
from arena.agent.protocol import MOST_TURNS
from arena.agent.ref import AgentRef
from arena.agent.remote import Remote
from arena.errors import FileError
from arena.game.new import Rules
from arena.tournament.findings import TITLES, Finding, FoundError, State, expect_equal, expect_no_fault
from arena.tournament.trials import BUDGET, TABLES, Rulebook, Trial, new_opponent, play_each

PROCESSES = 3
"""In which the same games are played."""


def check_command(ref: AgentRef, rulebook: Rulebook, limits: Limits | None = None) -> Generator[Finding, None, None]:
    """Check an external bot.

    Args:
        ref: the bot, with its level.
        rulebook: what it is to play.
        limits: what it may take; by default what it may in tournaments.

    Yields:
        The finding of each check, as soon as it is known.
    """
    limits = limits or Limits()
    with Prober(limits, rulebook.plain[0].ruleset, max(2, rulebook.plain[0].ruleset.min_seats)) as prober:
        try:
            prober.known(ref)
        except FileError as error:
            lines = error.printed.splitlines()
            yield Finding(1, State.FAILED, "", (str(error), *(lines if len(lines) > 1 else ())))
            return
    yield Finding(1, State.OK, f"{ref.where}, at the level {ref.level}")
    with Nursery() as nursery:
        checks = _Checks(Remote(ref, nursery, limits, boxed=ref.level == Level.SANDBOX), rulebook)
        tried = (checks.legal, checks.repeats, checks.no_state, checks.one_form, checks.time)
        for number, one in enumerate(tried, start=2):
            if number in (3, 4, 6) and checks.faulty:
                yield Finding(number, State.SKIPPED, "it has faults")
                continue
            try:
                yield Finding(number, State.OK, one())
            except FoundError as failed:
                yield Finding(number, State.FAILED, failed.said, failed.details)
    assert number == len(TITLES)


class _Checks:
    """The checks of a bot that starts; each returns a few words, or raises `FoundError`."""

    def __init__(self, bot: Remote, rulebook: Rulebook) -> None:
        self._bot, self._rulebook, self._rules = bot, rulebook, rulebook.plain
        self._opponent = new_opponent()
        self._reference: dict[Key, Call] = {}
        self._trials: list[Trial] = []
        self.faulty = False

    def _played(self, trials: Sequence[Trial], clock: Clock | None = None) -> dict[Key, Call]:
        """Play games, and return the calls.

        Raises:
            FoundError: at the first fault.
        """
        calls: dict[Key, Call] = {}
        for found, faults in play_each(trials, self._bot, self._opponent, "scalar", clock):
            self.faulty |= bool(faults)
            expect_no_fault(faults)
            calls.update(found)
        return calls

    # 2

    def legal(self) -> str:
        clock, decisions = Clock(BUDGET), 0
        plain = [trial for rules in self._rules for trial in _trials_of(rules)]
        changed = [_nasty(rules) for rules in self._rulebook.changed]
        for trial in [*plain, *changed]:
            if clock.over:
                return f"{decisions:,} decisions; cut short after {BUDGET:.0f} seconds"
            decisions += len(self._played([trial], clock))
        return f"{decisions:,} decisions, {len(self._rules)} rulesets, {len(changed)} changes of options"

    # 3

    def repeats(self) -> str:
        clock = Clock(BUDGET / PROCESSES)
        for trial in (Trial(rules, 2, seat, tuple(range(TABLES))) for rules in self._rules for seat in (0, 1)):
            if self._trials and clock.over:
                break
            found = self._played([trial])
            clock.left -= sum(call.seconds for call in found.values())
            self._reference.update(found)
            self._trials.append(trial)
        expect_equal(self._reference, self._played(self._trials), "the second time")
        return f"{len(self._reference):,} decisions twice, in two processes"

    # 4

    def no_state(self) -> str:
        again = self._played([part for trial in self._trials for part in trial.parts()])
        expect_equal(self._reference, again, "with the tables in another order and in parts, one of them alone")
        return ""

    # 5

    @staticmethod
    def one_form() -> str:
        return "it has one form"

    # 6

    def time(self) -> str:
        """Measure by the clock on the wall; too slow is what costs a game: see `arena.agent.limits.Limits`."""
        clock = Clock(BUDGET)
        alone = self._played([Trial(rules, 2, 0, (0,)) for rules in self._rules], clock)
        _, later = first_and_later(alone)
        most = 1e3 * max(alone[key].seconds for key in later)
        together = self._played([Trial(rules, 2, 0, tuple(range(MOST_TURNS))) for rules in self._rules], clock)
        mean = 1e6 * fmean(call.seconds for call in together.values())
        single = 1e6 * fmean(alone[key].seconds for key in later)
        return f"{single:,.1f} us one by one, the slowest {most:,.2f} ms, {mean:,.1f} us in questions of {MOST_TURNS}"


def _trials_of(rules: Rules) -> list[Trial]:
    """Return games at tables of two, fair and nasty ones, and at the smallest and the largest tables."""
    few, ruleset = tuple(range(3)), rules.ruleset
    sizes = [(2, 0), (ruleset.min_seats, 0), (ruleset.max_seats, ruleset.max_seats - 1)]
    return [_nasty(rules), *(Trial(rules, seats, seat, few) for seats, seat in dict.fromkeys(sizes))]


def _nasty(rules: Rules) -> Trial:
    return Trial(rules, 2, 1, tuple(range(TABLES)), "nasty")
