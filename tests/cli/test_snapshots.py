"""What the commands print, to the letter."""

from __future__ import annotations

from leagues import ROOT, Console, Outcome

HELP = """\
Usage: arena [OPTIONS] COMMAND [ARGS]...

  The arena where dice-poker bots compete.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
  advise       Print what every decision in a position is worth.
  agents       List the bots that can be entered by name.
  check        Try a bot before it plays.
  export       Write the games of a run, a line each.
  faults       List what the bots of a run did wrong.
  leaderboard  Print published standings.
  replay       Print one game of a run, roll by roll.
  rules        List rulesets, and show, score and compare by them.
  run          Play a tournament and publish its leaderboards.
  solve        Find the exact value of a ruleset.
"""

RUN_OPTIONS = "--backend --workers --address --games --seed --only --out --run-dir --fresh"

RULES = """\
fifteen    Fifteen rows with bonus and joker
school     The school, fifteen rows, the first six first
showdown   Showdown, hands compared for chips
thirteen   The online game, thirteen rows
two-stage  Dice poker with points, two turns
yahtzee    Yahtzee
yatzy      Yatzy, the Scandinavian game
"""

THIRTEEN = """\
thirteen: The online game, thirteen rows
source: 4: Покер със зарове (rules page of a Bulgarian-language online board-game site, with its game statistics)
hash: 7810bb4c7a55de924352b1cd9ffb4eb6e6881e72683ffe7c08dd4515e215b920
seats: 1 to 6, settlement: none

card: 13 turns
  upper: 6 of 6 rows
    ones            sum_face 1
    twos            sum_face 2
    threes          sum_face 3
    fours           sum_face 4
    fives           sum_face 5
    sixes           sum_face 6
  lower: 7 of 7 rows
    three_of_a_kind sum_all, for three_of_a_kind
    four_of_a_kind  sum_all, for four_of_a_kind
    full_house      fixed 25, for full_house
    small_straight  fixed 30, for 4 in sequence
    large_straight  fixed 40, for 5 in sequence
    five_of_a_kind  fixed 50, for five_of_a_kind
    chance          sum_all, for chance

options:
  rolls=3: 2, 3
  five_is_full_house=false: false, true
  four_is_two_pairs=false: false, true

decisions:
  - No bonus and no joker, as the sheet names none.
  - The site's statistics do not say who starts; white is taken to.
  - Any open row may be chosen, also a worse one than the hand could fill.
"""

SHOWDOWN = """\
showdown+rolls=2+straight_above_three=false: Showdown, hands compared for chips
source: 5: Покер на костях (Russian rules page with a glossary)
hash: {hash}
seats: 2 to 6, settlement: chips

hands, highest first: five_of_a_kind, four_of_a_kind, full_house, three_of_a_kind, straight, two_pairs, pair, nothing

options:
  tie_break=face: face, kickers, high_die
  straight_above_three=false (default true): false, true
  rolls=2 (default 3): 2, 3
  stack=20: 1 to 1,000,000
  ante=1: 0 to 1,000,000
  rounds=10: 1 to 1,000,000 or none
  ends=first_out: first_out, last_standing
  faces=numbers: numbers, cards
"""

SCORE = """\
ones                0
twos                0
threes              0
fours              16
fives               0
sixes               6
pair               22
two_pairs           0
three_of_a_kind    22
four_of_a_kind     22
full_house          0
small_straight      0
large_straight      0
five_of_a_kind      0
chance             22
"""

AGENTS = {
    "collector": "Keeps its most frequent face, the higher of two, and writes where it pays most.",
    "greedy": "Takes the first roll as it comes and writes it where it pays most; in showdown stands on any pair.",
    "random": "Keeps each die or not by the toss of a coin, and writes into any open row.",
    "turn_optimal": (
        "Plays every turn for its greatest expected points, exactly; in showdown for the chance to win the round."
    ),
}


def assert_prints(outcome: Outcome, expected: str) -> None:
    assert (outcome.code, outcome.err, outcome.out) == (0, "", expected)


def test_help(arena: Console) -> None:
    assert_prints(arena("--help"), HELP)
    assert_prints(arena("-h"), HELP)


def test_no_command_at_all_is_a_mistake_that_helps(arena: Console) -> None:
    nothing = arena()
    assert (nothing.code, nothing.out, nothing.err) == (2, "", HELP)


def test_help_of_run_names_every_option(arena: Console) -> None:
    run = arena("run", "--help")
    assert run.out.startswith(
        "Usage: arena run [OPTIONS] FILE\n\n  Play the tournament in FILE, and publish a leaderboard"
    )
    told = [word for word in run.out.split() if word.startswith("--")]
    assert [word for word in told if word in RUN_OPTIONS.split()] == RUN_OPTIONS.split()


def test_version(arena: Console) -> None:
    assert_prints(arena("--version"), "arena, version 0.1.0\n")


def test_rules(arena: Console) -> None:
    assert_prints(arena("rules"), RULES)


def test_rules_show(arena: Console) -> None:
    assert_prints(arena("rules", "show", "thirteen"), THIRTEEN)


def test_rules_show_with_options(arena: Console) -> None:
    shown = arena("rules", "show", "showdown", "--option", "straight_above_three=false", "--option", "rolls=2")
    ruleset_hash = shown.out.split("hash: ")[1][:64]
    assert shown.out.split("\ndecisions:\n")[0] == SHOWDOWN.format(hash=ruleset_hash)


def test_rules_score(arena: Console) -> None:
    assert_prints(arena("rules", "score", "fifteen", "44644"), SCORE)


def test_rules_score_of_a_joker(arena: Console) -> None:
    joker = ("rules", "score", "fifteen", "44444", "--card", "five_of_a_kind=50")
    assert_prints(arena(*joker), "fours              20\nextra             100\n")
    assert_prints(arena(*joker, "--json"), '{"rows": {"fours": 20}, "extra": 100}\n')


def test_rules_score_of_a_hand(arena: Console) -> None:
    assert_prints(arena("rules", "score", "showdown", "66123"), "6 6 3 2 1: pair, rank 6\n")
    cards = arena("rules", "score", "showdown", "66123", "--option", "faces=cards")
    assert_prints(cards, "A A J 10 9: pair, rank 6\n")
    assert_prints(arena("rules", "score", "showdown", "66123", "--json"), '{"kind": "pair", "rank": 6}\n')


def test_agents(arena: Console) -> None:
    listed = arena("agents")
    assert (listed.code, listed.err) == (0, "")
    rows = [[cell.strip() for cell in line.strip("│┃").split("│")] for line in listed.lines if "│" in line]
    assert [name for name, *_ in rows] == sorted(path.stem for path in (ROOT / "agents").glob("*.py"))
    assert {where for _, where, _ in rows} == {"bundled"}
    said = {name: description for name, _, description in rows}
    assert {name: said[name] for name in AGENTS} == AGENTS
    assert str(ROOT) not in listed.out
