"""What a bot's process left behind: the line that tells most, and the bot's own paths."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.agent.bot_process import TAIL
from arena.agent.commands import locate_command
from arena.agent.printed import in_place, places, tail_in_place, telling
from arena.agent.sources import locate

NODE = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module './x'
Require stack:
- /bots/bot.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
  [cause]: Error: another
}

Node.js v20.20.2
"""
CHAINED = """\
Traceback (most recent call last):
  File "bot.py", line 2, in <module>
ValueError: first

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "bot.py", line 4, in <module>
bot.Hopeless: then
"""


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        (NODE, "Error: Cannot find module './x'"),
        ("TypeError [ERR_X]: no\n    at x\n\nNode.js v20.20.2\n", "TypeError [ERR_X]: no"),
        (
            "Traceback (most recent call last):\n  File 'b'\njson.decoder.DecodeError: no",
            "json.decoder.DecodeError: no",
        ),
        ("Traceback (most recent call last):\n  assert x\nAssertionError", "AssertionError"),
        (CHAINED, "bot.Hopeless: then"),
        ("panic: no\n\ngoroutine 1 [running]:\nexit status 2", "panic: no"),
        ("Exception in thread 1 java.lang.X: no\n\tat Bot.main(Bot.java:3)", "Exception in thread 1 java.lang.X: no"),
        ("bot.c:3:1: note\nneed the file data.bin\n\n", "need the file data.bin"),
        ("an Error: in the midst of a line\nthe last", "the last"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("x" * 600, "x" * 500),
        (" \n", ""),
    ],
)
def test_the_line_that_tells_most(printed: str, told: str) -> None:
    assert telling(printed) == told


def test_paths_of_the_copy(tmp_path: Path) -> None:
    """A file beside, one from elsewhere, and a home that is reached by a link."""
    beside, elsewhere, real = (tmp_path / name for name in ("beside", "elsewhere", "real"))
    for folder in (beside, elsewhere, real):
        folder.mkdir()
    (beside / "bot.py").write_text("")
    (elsewhere / "data.txt").write_text("")
    (tmp_path / "link").symlink_to("real")
    home = tmp_path / "link" / "0"
    renamed = places(locate_command([sys.executable, "bot.py", str(elsewhere / "data.txt")], beside), home)
    for there in (home, real / "0"):
        assert in_place(f'File "{there}/bot.py" {there}/outside/2/data.txt {there}/new', renamed) == (
            f'File "{beside}/bot.py" {elsewhere}/data.txt {beside}/new'
        )
    mine = locate(beside / "bot.py")
    assert in_place(f"{real}/0/bot.py {home}", places(mine, home)) == f"{beside}/bot.py {beside}"
    assert len(tail_in_place("a" * TAIL, {"a": "longer"})) == TAIL


def test_of_two_paths_the_longer_one_is_meant() -> None:
    renamed = {"/var/x/1": "/bots/me", "/private/var/x/1": "/bots/me", "/var/x/1/bot": "/bots/bot"}
    text = "/private/var/x/1/a.py, /var/x/1/a.py, /var/x/1/bot.py"
    assert in_place(text, renamed) == "/bots/me/a.py, /bots/me/a.py, /bots/bot.py"
