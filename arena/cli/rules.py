"""``arena rules``: the rulesets, shown and asked."""

from __future__ import annotations

import csv
import json
import sys
from typing import TYPE_CHECKING, Any

import click

from arena.cli.groups import NearGroup
from arena.cli.positions import OPTION, RULESET, card_of, roll_of, ruleset_of
from arena.errors import UserError

if TYPE_CHECKING:
    from arena.rules.model import Row, Ruleset


@click.group(cls=NearGroup, invoke_without_command=True)
@click.pass_context
def rules(ctx: click.Context) -> None:
    """List the rulesets, or show, score and compare by one of them."""
    if ctx.invoked_subcommand is None:
        from arena.agent.plugins import Plugins
        from arena.rules.file import load_ruleset
        from arena.rules.shipped import ruleset_ids, shipped_ruleset

        plugins = Plugins()
        titles = {name: shipped_ruleset(name).title for name in ruleset_ids()}
        for plugin in plugins.working:
            for name, path in plugin.rulesets.items():
                titles[name] = f"{load_ruleset(path).title} (plugin {plugin.label})"
        width = max(map(len, titles))
        for name, title in sorted(titles.items()):
            click.echo(f"{name:{width}}  {title}")
        for label, reason in plugins.broken.items():
            click.echo(f"the plugin {label} is broken: {reason}", err=True)


@rules.command()
@RULESET
@OPTION
def show(ruleset_id: str, options: tuple[str, ...]) -> None:
    """Print a ruleset: its card, pays, options, decisions and source."""
    from arena.rules.model import Due
    from arena.rules.model import show as written

    ruleset = ruleset_of(ruleset_id, options)
    click.echo(f"{ruleset.name}: {ruleset.title}")
    click.echo(f"source: {ruleset.source}")
    click.echo(f"hash: {ruleset.hash}")
    click.echo(f"seats: {ruleset.min_seats} to {ruleset.max_seats}, settlement: {ruleset.settlement}")
    if ruleset.card:
        order = ", one after the other" if ruleset.card.in_order and len(ruleset.card.sections) > 1 else ""
        click.echo(f"\ncard: {ruleset.card.turns} turns{order}")
        for section in ruleset.card.sections:
            click.echo(f"  {section.name}: {section.turns} of {len(section.rows)} rows")
            for row in section.rows:
                click.echo(f"    {row.name:16}{_pay(row)}")
            if bonus := section.bonus:
                when = "as soon as" if bonus.due is Due.REACHED else "at its end, if"
                click.echo(f"    bonus {bonus.points} {when} its rows sum to {bonus.at} or more")
        if five := ruleset.card.five_bonus:
            click.echo(f"  a further five of a kind earns {five.points} while {five.row} holds {five.holds}")
        if joker := ruleset.card.joker:
            held = "is filled" if joker.holds is None else f"holds {joker.holds}"
            click.echo(f"  joker: {joker.mode}, once {joker.row} {held}")
    if ruleset.showdown:
        click.echo("\nhands, highest first: " + ", ".join(ruleset.showdown.ranking))
    click.echo("\noptions:")
    for option in ruleset.options:
        default = "" if option.value == option.default else f" (default {written(option.default)})"
        click.echo(f"  {option.name}={written(option.value)}{default}: {option.allowed}")
    if ruleset.decisions:
        click.echo("\ndecisions:")
        for decision in ruleset.decisions:
            click.echo(f"  - {decision}")


def _pay(row: Row) -> str:
    from arena.rules.model import Pattern

    parts = [f"{row.pay} {row.amount}" if row.amount else str(row.pay)]
    if row.sequence:
        exact = isinstance(row.sequence, tuple)
        shown = "-".join(map(str, row.sequence)) if isinstance(row.sequence, tuple) else f"{row.sequence} in sequence"
        parts.append(f"for {'exactly ' if exact else ''}{shown}")
    elif row.pattern is not Pattern.CHANCE or row.name == Pattern.CHANCE:
        parts.append(f"for {row.pattern}")
    if row.doubles:
        parts.append("doubled on the first roll")
    if row.plus:
        parts.append(f"then {row.plus} more")
    return ", ".join(parts)


@rules.command()
@RULESET
@click.argument("dice")
@click.option("--first-roll", is_flag=True, help="All dice were kept after the first roll.")
@click.option("--card", default="", metavar="ROW=POINTS,...", help="The rows that are filled.")
@OPTION
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def score(ruleset_id: str, dice: str, first_roll: bool, card: str, options: tuple[str, ...], as_json: bool) -> None:
    """Print what each legal row would pay for DICE, such as 44416; in showdown the hand's kind and rank."""
    from arena.rules.card import CardRules
    from arena.rules.hands import show_dice

    ruleset = ruleset_of(ruleset_id, options)
    roll = roll_of(ruleset, dice)
    if ruleset.showdown:
        if first_roll or card:
            raise UserError(f"{ruleset.id} has no card: neither --card nor --first-roll means anything")
        kind, rank = _hand(ruleset, roll)
        answer: dict[str, Any] = {"kind": kind, "rank": rank}
    else:
        card_rules = CardRules(ruleset)
        held = card_of(card_rules, card)
        if not card_rules.open_mask(held.filled):
            raise UserError("--card: every row is filled, so none is open")
        pays = {
            name: card_rules.row_pays(held, card_rules.row_ids[name], roll, first_roll)
            for name in card_rules.open_rows(held, roll)
        }
        answer = {"rows": pays, "extra": card_rules.five_pays(held, roll)}
    if as_json:
        click.echo(json.dumps(answer))
    elif ruleset.showdown:
        shown = show_dice(sorted(map(int, dice), reverse=True), ruleset.showdown.faces)
        click.echo(f"{shown}: {answer['kind']}, rank {answer['rank']}")
    else:
        for name, points in answer["rows"].items():
            click.echo(f"{name:16}{points:5}")
        if answer["extra"]:
            click.echo(f"{'extra':16}{answer['extra']:5}")


def _hand(ruleset: Ruleset, roll: int) -> tuple[str, int]:
    from arena.dice.lattice import lattice
    from arena.rules.hands import HandRules, hand_kind

    return str(hand_kind(lattice(ruleset.dice).rolls[roll])), HandRules(ruleset).ranks[roll]


@rules.command()
@RULESET
@click.argument("first", metavar="HAND")
@click.argument("second", metavar="HAND")
@OPTION
def compare(ruleset_id: str, first: str, second: str, options: tuple[str, ...]) -> None:
    """Print which of two hands wins in showdown: first, second or tie."""
    ruleset = ruleset_of(ruleset_id, options)
    if not ruleset.showdown:
        raise UserError(f"{ruleset.id} compares no hands; showdown does")
    ranks = [_hand(ruleset, roll_of(ruleset, hand))[1] for hand in (first, second)]
    click.echo("tie" if ranks[0] == ranks[1] else "first" if ranks[0] > ranks[1] else "second")


@rules.command()
@RULESET
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@OPTION
def table(ruleset_id: str, as_csv: bool, options: tuple[str, ...]) -> None:
    """Print the complete score table over all rolls, on the first roll and later; in showdown kinds and ranks."""
    from arena.dice.lattice import lattice
    from arena.rules.card import CardRules

    ruleset = ruleset_of(ruleset_id, options)
    rolls = ["".join(map(str, dice)) for dice in lattice(ruleset.dice).rolls]
    lines: list[tuple[object, ...]]
    if ruleset.showdown:
        lines = [
            ("dice", "kind", "rank"),
            *((dice, *_hand(ruleset, roll)) for roll, dice in enumerate(rolls)),
        ]
    else:
        card_rules = CardRules(ruleset)
        lines = [("row", "dice", "first_roll", "points")]
        lines += [
            (name, dice, first, card_rules.points[first][row][roll])
            for row, name in enumerate(card_rules.names)
            for roll, dice in enumerate(rolls)
            for first in (0, 1)
        ]
    if as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(lines)
    else:
        for line in lines:
            click.echo("  ".join(f"{cell!s:16}" for cell in line).rstrip())
