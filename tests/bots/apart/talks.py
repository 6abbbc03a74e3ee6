"""Prints signs that are a terminal's, and answers nothing, at every second roll of the first round."""

import sys


def hold(turn):
    if turn.roll == 2:
        print(f"thinking about {turn.dice}\x1b[2J\r\n[bold]loud[/bold]\tend", "\u202eback", sep="\n")
        print("to stderr", file=sys.stderr)
        if turn.round == 1:
            return "\x1b[31m[red]all"
    return ()


def choose_row(turn):
    return helped(turn)


def helped(turn):
    return turn.open_rows[0]
