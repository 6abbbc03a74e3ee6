"""A full game of each ruleset as a readable transcript: played again it is the same, and its scores are right.

``ARENA_WRITE_GOLDEN=1 pytest tests/game/test_game_transcripts.py`` writes the transcripts anew.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import scoring_twin
import showdown_twin
from compiled_rules import ALL_IDS, card_rules, hand_rules
from scoring_twin import CARD_GAMES, TURNS
from transcript import Recorder, block_of

from arena.agent.bot import Bot
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, locate
from arena.game.new import Rules
from arena.tournament.block import play_block

FOLDER = Path(__file__).parents[1] / "golden" / "transcripts"
HEADER = (
    "# Source: played by the arena's readable game, written by tests/game/test_game_transcripts.py"
    " (ARENA_WRITE_GOLDEN=1);\n# every roll, row, bonus and total is checked there against the readable twin of the"
    " rules.\n"
)
SEED = 20260301
DICE_SETS = {  # chosen for what they show
    "two-stage": 62,  # 50 points for both in stage 1, hands of the first roll, 70 against 68
    "school": 6,  # five of a kind on the first roll, the 50 for one seat and not for the other
    "fifteen": 29,  # jokers, and the upper bonus
    "thirteen": 153,
    "showdown": 47,  # equal chips at the end
    "yahtzee": 75,  # jokers, and the upper bonus
    "yatzy": 50,
}


def rules_for(ruleset: str) -> Rules:
    return hand_rules() if ruleset == "showdown" else card_rules(ruleset)


def bots(*names: str) -> list[Bot]:
    return [load(locate(bundled_folder() / f"{name}.py")) for name in names]


def replayed(ruleset: str) -> str:
    recorder = Recorder(rules_for(ruleset), bots("greedy", "turn_optimal"), SEED, DICE_SETS[ruleset])
    recorder.play()
    return HEADER + "\n".join(recorder.lines) + "\n"


def transcript(ruleset: str) -> str:
    return (FOLDER / f"{ruleset}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_a_game_is_played_as_its_transcript_says(ruleset: str) -> None:
    text = replayed(ruleset)
    if os.environ.get("ARENA_WRITE_GOLDEN"):
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{ruleset}.txt").write_text(text, encoding="utf-8")
    assert text == transcript(ruleset)


def test_every_transcript_is_of_a_ruleset() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == list(ALL_IDS)


Dice = tuple[int, ...]
Told = tuple[int, int, list[Dice], list[Dice], str]


def faces(text: str) -> Dice:
    return tuple(map(int, text.split()))


def turns_told(text: str) -> Iterator[Told]:
    """Yield round, seat, rolls, keeps and the last line of every turn in a transcript."""
    for part in re.split(r"\n(?=round )", text)[1:]:
        round_ = int(part.split()[1])
        for told in re.split(r"\n(?=  seat )", part)[1:]:
            head, *lines = [line.strip() for line in told.split("\n\n", maxsplit=1)[0].splitlines()]
            rolls: list[Dice] = []
            keeps: list[Dice] = []
            for line in lines[:-1]:
                dice, _, kept = line.partition("  keeps ")
                rolls.append(faces(dice))
                if kept:
                    keeps.append(rolls[-1] if kept == "all" else () if kept == "none" else faces(kept))
            yield round_, int(head.split()[1]), rolls, keeps, lines[-1]


def contains(dice: Dice, part: Dice) -> bool:
    return all(dice.count(face) >= part.count(face) for face in part)


def check_rolls(rolls: list[Dice], keeps: list[Dice]) -> None:
    """Check that five dice were thrown, and what was kept came of the roll before and stayed in the next."""
    assert all(len(roll) == 5 and roll == tuple(sorted(roll)) and set(roll) <= set(range(1, 7)) for roll in rolls)
    assert len(keeps) == min(len(rolls), 2)
    for n, kept in enumerate(keeps):
        assert contains(rolls[n], kept)
        if n + 1 < len(rolls):
            assert contains(rolls[n + 1], kept)
            assert kept != rolls[n]
        else:
            assert kept == rolls[n]


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_the_scores_of_a_transcript_are_those_of_the_twin(ruleset: str) -> None:
    text = transcript(ruleset)
    held: list[dict[str, int]] = [{}, {}]
    totals, places = [0, 0], []
    for round_, seat, rolls, keeps, told in turns_told(text):
        places.append((round_, seat))
        check_rolls(rolls, keeps)
        found = re.fullmatch(
            r"(\w+)( on the first roll)? (-?\d+)(?:, further five of a kind (\d+))?(?:, section bonus (\d+))?"
            r"; total (-?\d+)",
            told,
        )
        assert found, told
        row, first, points, extra, bonus, total = found.groups()
        dice, card = rolls[-1], held[seat]
        assert bool(first) == (len(rolls) == 1)
        assert row in scoring_twin.legal_rows(ruleset, card, dice, {})
        assert int(extra or 0) == scoring_twin.five_pays(ruleset, card, dice, {})
        before = scoring_twin.section_bonus(ruleset, card, {})
        paid = scoring_twin.turn_pays(ruleset, card, row, dice, first_roll=bool(first), options={})
        assert int(points) == paid
        card[row] = paid
        assert int(bonus or 0) == scoring_twin.section_bonus(ruleset, card, {}) - before
        totals[seat] += int(points) + int(extra or 0) + int(bonus or 0)
        assert int(total) == totals[seat]
    assert places == [(round_, seat) for round_ in range(1, TURNS[ruleset] + 1) for seat in (0, 1)]
    best = [name for name, total in zip(("greedy", "turn_optimal"), totals, strict=True) if total == max(totals)]
    assert text.endswith(f"\n\ntotals {totals[0]} {totals[1]}: won by {' and '.join(best)}\n")


def test_the_chips_of_the_showdown_transcript_are_those_of_the_twin() -> None:
    text = transcript("showdown")
    chips, pot = [20, 20], 0
    hands: dict[int, Dice] = {}
    felts = re.findall(r"^(?:round \d+\n  |at the end )(chips \d+ \d+, pot \d+)$", text, flags=re.MULTILINE)
    places = []
    for round_, seat, rolls, keeps, told in turns_told(text):
        if not hands:
            chips, pot = [held - 1 for held in chips], pot + 2
            assert felts[round_ - 1] == f"chips {chips[0]} {chips[1]}, pot {pot}"
        places.append((round_, seat))
        check_rolls(rolls, keeps)
        assert told == showdown_twin.kind_of(rolls[-1])
        hands[seat] = rolls[-1]
        if len(hands) == 2:
            won = showdown_twin.compare(hands[0], hands[1], tie_break="face")
            shares = {1: (pot, 0), -1: (0, pot), 0: (pot // 2, pot // 2)}[won]
            chips, pot = [held + share for held, share in zip(chips, shares, strict=True)], pot - sum(shares)
            hands = {}
    assert places == [(round_, (round_ - 1 + place) % 2) for round_ in range(1, 11) for place in (0, 1)]
    assert felts[10:] == [f"chips {chips[0]} {chips[1]}, pot {pot}"]
    assert text.endswith(f"\n\ntotals {chips[0]} {chips[1]}: won by greedy and turn_optimal\n")
    assert chips == [20, 20]


def test_the_transcripts_show_what_they_were_chosen_for() -> None:
    for ruleset in ("fifteen", "yahtzee"):
        assert transcript(ruleset).count("further five of a kind 100") == 2
        assert transcript(ruleset).count("section bonus 35") == 1
    assert transcript("school").count("section bonus 50") == 1
    assert "five_of_a_kind on the first roll" in transcript("school")
    assert transcript("two-stage").count("section bonus 50") == 2
    assert "; total 70\n" in transcript("two-stage")
    assert transcript("yatzy").count("section bonus 50") == 1


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_games_played_together_end_as_each_played_by_hand(ruleset: str) -> None:
    """A block of dice sets, all its tables in lockstep, against one game after the other."""
    rules, names = rules_for(ruleset), ("collector", "random")
    first, stop = 40, 46
    result = play_block(block_of(rules, names, first, stop), rules, SEED, {bot.name: bot for bot in bots(*names)})
    for dice_set in range(first, stop):
        recorder = Recorder(rules, bots(*names), SEED, dice_set)
        recorder.play()
        assert result.totals[dice_set - first, 0].tolist() == recorder.game.totals()
