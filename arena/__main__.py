"""``python -m arena`` is ``arena``."""

import os.path
import sys

OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib might be a bot yet

if __name__ == "__main__":
    if not sys.flags.safe_path and sys.path[0] != OURS:  # Python looks in the working folder first; there bots may lie
        del sys.path[0]

    from arena.cli.main import main

    main()
