"""``arena replay``: one game of a run, roll by roll, from its transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from arena.game.transcript import ReplayedTurn
    from arena.replays import StoredGame


@click.command()
@click.argument("run")
@click.argument("game")
@click.option("--check", is_flag=True, help="Have the bots play it again, and tell the first difference.")
def replay(run: str, game: str, check: bool) -> int:
    """Print one GAME of a RUN roll by roll, held against the rules.

    RUN is a run's folder, or its name under runs. GAME is RULESET/AGENT/AGENT/DICESET, agents by seat, such as
    thirteen/greedy/random/17. With --check the bots decide again: exit code 1 tells of a difference.
    """
    from arena.cli.runs import run_folder
    from arena.replays import stored_game

    found = stored_game(run_folder(run), game)
    if check:
        return _check(found)
    _show(found)
    return 0


def _check(game: StoredGame) -> int:
    from arena.replays import check_again

    decisions, difference = check_again(game)
    if difference is None:
        click.echo(f"same, {decisions} decisions")
        return 0
    turn = difference.turn
    dice = " ".join(map(str, turn.rolls[difference.roll - 1]))
    click.echo(f"round {turn.round}, seat {turn.seat}, {game.agents[turn.seat]}, roll {difference.roll}: {dice}")
    click.echo(f"  recorded: {difference.recorded}")
    click.echo(f"  now:      {difference.now}")
    return 1


def _show(game: StoredGame) -> None:
    from rich.text import Text

    from arena.cli.tables import console, print_table

    turns: list[ReplayedTurn] = []
    damage: UserError | None = None
    try:
        turns.extend(game.turns())  # what comes before the damage is shown
    except UserError as error:
        damage = error
    screen = console()
    screen.print(Text(game.name, style="bold"), soft_wrap=True)
    print_table(screen, _table(game, turns))
    if damage is not None:
        raise damage
    for line in _outcome(game, turns):
        screen.print(Text(line), soft_wrap=True)


def _table(game: StoredGame, turns: Sequence[ReplayedTurn]) -> Table:
    """Return a line for every turn: rolls and keeps, the row and its points; in showdown the hand and the chips."""
    from rich.table import Table
    from rich.text import Text

    from arena.cli.tables import MAX_NAME, shortened
    from arena.rules.card import CardRules

    rolls = game.rules.ruleset.rolls
    table = Table()
    table.add_column("round", justify="right")
    table.add_column("seat", no_wrap=True)
    for roll in range(1, rolls):
        table.add_column(f"roll {roll}", no_wrap=True)
        table.add_column("keeps", no_wrap=True)
    table.add_column(f"roll {rolls}", no_wrap=True)
    in_cards = isinstance(game.rules, CardRules)
    table.add_column("row" if in_cards else "hand", no_wrap=True)
    for name in ("points", *_bonuses(game), "total") if in_cards else ("chips", "pot"):
        table.add_column(name, justify="right", no_wrap=True)
    names, round_ = shortened(game.agents, MAX_NAME), 0
    for turn in turns:
        if turn.round != round_ and round_:
            table.add_section()
        shown = str(turn.round) if turn.round != round_ else ""
        round_ = turn.round
        table.add_row(
            *map(Text, [shown, f"{turn.seat} {names[game.agents[turn.seat]]}", *_rolls(game, turn), *_end(game, turn)])
        )
    return table


def _bonuses(game: StoredGame) -> list[str]:
    """Return what a row can earn beside its points: a further five of a kind, and the bonus of a section."""
    sheet = game.rules.ruleset.card
    assert sheet is not None
    return ["five"] * (sheet.five_bonus is not None) + ["bonus"] * any(section.bonus for section in sheet.sections)


def _rolls(game: StoredGame, turn: ReplayedTurn) -> list[str]:
    """Return the cells of the dice: each roll, and what was kept of it."""
    cells = []
    for roll, dice in enumerate(turn.rolls):
        cells.append(_dice(game, dice))
        if roll < len(turn.keeps):
            keep = turn.keeps[roll]
            cells.append("all" if keep == dice else _dice(game, keep) or "none")
    count = 2 * game.rules.ruleset.rolls - 1
    return (cells + [""] * count)[:count]


def _dice(game: StoredGame, dice: tuple[int, ...]) -> str:
    from arena.rules.hands import show_dice
    from arena.rules.model import FaceStyle

    showdown = game.rules.ruleset.showdown
    return show_dice(dice, showdown.faces if showdown else FaceStyle.NUMBERS)


def _end(game: StoredGame, turn: ReplayedTurn) -> list[str]:
    """Return the cells of how the turn ended."""
    from arena.records import End
    from arena.rules.card import CardRules
    from arena.rules.hands import hand_kind

    seat, out = turn.seat, turn.end is not End.FINISHED
    if not isinstance(game.rules, CardRules):
        hand = turn.end.label if out else str(hand_kind(turn.rolls[-1]))
        return [hand, str(turn.before.chips[seat]), str(turn.before.pot)]
    before, after = turn.before[seat], turn.after[seat]
    earned = {"five": after.extra - before.extra, "bonus": after.bonus - before.bonus}
    bonuses = [str(earned[name] or "") for name in _bonuses(game)]
    if turn.row is None:
        return [turn.end.label, "", *bonuses, str(after.total)]
    return [game.rules.names[turn.row], str(after.points[turn.row]), *bonuses, str(after.total)]


def _outcome(game: StoredGame, turns: Sequence[ReplayedTurn]) -> list[str]:
    """Return the lines below the table: who went out and why, the totals, and who won."""
    from arena.records import End

    lines = []
    messages = {fault.seat: fault.message for fault in game.faults}
    for turn in turns:
        if turn.end is not End.FINISHED:
            told = messages.get(turn.seat, "of this one no details were kept")
            lines.append(f"{game.agents[turn.seat]} is out, {turn.end.label}: {told}")
    lines.append(", ".join(f"{name} {total}" for name, total in zip(game.agents, game.totals, strict=True)))
    won = [name for seat, name in enumerate(game.agents) if game.winners >> seat & 1]
    if len(game.agents) > 1:
        lines.append(f"won by {won[0]}" if len(won) == 1 else f"drawn: {' and '.join(won)}" if won else "nobody's")
    return lines
