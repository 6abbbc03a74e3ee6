"""A group of commands that says which one may have been meant."""

from __future__ import annotations

import click

from arena.errors import nearest


class NearGroup(click.Group):
    """A group that names the nearest command for one that there is not, whatever version click is of."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments begin with.

        Raises:
            UsageError: if there is none of that name.
        """
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            hint = nearest(name, self.list_commands(ctx)).removeprefix(", ").capitalize()
            ctx.fail(f"No such command {name!r}. {hint}".strip())
        return super().resolve_command(ctx, args)
