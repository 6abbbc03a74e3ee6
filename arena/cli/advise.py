"""``arena advise``: what every decision in a position is worth."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from arena.cli.positions import OPTION, RULESET, card_of, roll_of, ruleset_of
from arena.errors import UserError
from arena.rules.model import MAX_SEATS

if TYPE_CHECKING:
    from arena.rules.model import Ruleset
    from arena.solver.advice import KeepAdvice


@click.command()
@RULESET
@click.argument("dice")
@click.option("--roll", "number", type=click.IntRange(min=1), required=True, metavar="N", help="Which roll it is.")
@click.option("--card", default="", metavar="ROW=POINTS,...", help="The rows that are filled.")
@click.option("--best", metavar="HAND", help="In showdown: the best hand so far, such as 55221.")
@click.option("--held", type=click.IntRange(1, MAX_SEATS - 1), help="In showdown: how many hold it (default 1).")
@click.option(
    "--later",
    type=click.IntRange(0, MAX_SEATS - 1),
    help="In showdown: how many roll after you (default 0 with --best, else 1).",
)
@OPTION
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def advise(
    ruleset_id: str,
    dice: str,
    number: int,
    card: str,
    best: str | None,
    held: int | None,
    later: int | None,
    options: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print what every keep of DICE, such as 44416, is worth, and what it loses to the best; after the last roll rows.

    Worth is counted in points of the whole game: those on the card, and those still expected under optimal play. In
    showdown it is the share of the pot.
    """
    ruleset = ruleset_of(ruleset_id, options)
    roll = roll_of(ruleset, dice)
    if number > ruleset.rolls:
        raise UserError(f"--roll {number}: a turn of {ruleset.name} has {ruleset.rolls} rolls")
    answer: dict[str, Any] = {"ruleset": ruleset.name, "hash": ruleset.hash, "dice": sorted(map(int, dice))}
    answer["roll"] = number
    if ruleset.showdown:
        if card:
            raise UserError(f"{ruleset.id} has no card; say --best HAND")
        if number == ruleset.rolls:
            raise UserError(f"--roll {number}: nothing is decided after the last roll of {ruleset.name}")
        answer["keeps"] = [_keep(advice) for advice in _hands(ruleset, roll, number, best, held, later)]
    elif best is not None or held is not None or later is not None:
        raise UserError(f"{ruleset.id} compares no hands: --best, --held and --later are for showdown; say --card")
    else:
        answer |= _card_game(ruleset, roll, number, card)
    if as_json:
        click.echo(json.dumps(answer))
        return
    for line in _lines(answer):
        click.echo(line)


def _hands(
    ruleset: Ruleset, roll: int, number: int, best: str | None, held: int | None, later: int | None
) -> list[KeepAdvice]:
    from arena.rules.hands import HandRules
    from arena.solver.advice import advise_hands
    from arena.solver.showdown import ShowdownValues

    if best is None and held is not None:
        raise UserError("--held says how many hold the best hand: say --best HAND")
    rules = HandRules(ruleset)
    rank = -1 if best is None else rules.ranks[roll_of(ruleset, best)]
    holders = 0 if best is None else held or 1
    follow = later if later is not None else int(best is None)
    seats = holders + 1 + follow
    if not ruleset.min_seats <= seats <= ruleset.max_seats:
        raise UserError(f"{seats} seats: {ruleset.id} is played by {ruleset.min_seats} to {ruleset.max_seats}")
    stakes = ShowdownValues(rules, seats).stakes(follow, rank, holders)
    return advise_hands(stakes, roll, number=number, rolls=ruleset.rolls)


def _card_game(ruleset: Ruleset, roll: int, number: int, card: str) -> dict[str, Any]:
    from arena.rules.card import CardRules
    from arena.solver.advice import advise_card_keeps, advise_rows
    from arena.solver.values import CardValues

    rules = CardRules(ruleset)
    held = card_of(rules, card)
    if not rules.open_mask(held.filled):
        raise UserError("--card: every row is filled, so none is open")
    values = CardValues(rules)
    if number == ruleset.rolls:
        rows = advise_rows(values, held, roll, first_roll=number == 1)
        return {"rows": [advice._asdict() for advice in rows]}
    return {"keeps": [_keep(advice) for advice in advise_card_keeps(values, held, roll, number)]}


def _keep(advice: KeepAdvice) -> dict[str, Any]:
    return {"keep": list(advice.keep), "value": advice.value, "loss": advice.loss}


def _lines(answer: dict[str, Any]) -> list[str]:
    if "rows" in answer:
        width = max(len(row["row"]) for row in answer["rows"])
        lines = [f"{'row':{width}}{'points':>8}{'value':>12}{'loss':>10}"]
        return lines + [
            f"{row['row']:{width}}{row['points']:8}{row['value']:12.4f}{row['loss']:10.4f}" for row in answer["rows"]
        ]
    kept = [(" ".join(map(str, keep["keep"])) or "nothing", keep) for keep in answer["keeps"]]
    width = max(len(text) for text, _ in kept)
    lines = [f"{'keep':{width}}{'value':>12}{'loss':>10}"]
    return lines + [f"{text:{width}}{keep['value']:12.4f}{keep['loss']:10.4f}" for text, keep in kept]
