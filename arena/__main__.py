"""``python -m arena`` is ``arena``."""

import os.path
import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:  # Python looks in the working folder first, and there bots may lie
        folder = sys.path.pop(0)
        if folder == os.path.dirname(os.path.dirname(os.path.abspath(__file__))):  # noqa: PTH100, PTH120 - see above
            sys.path.append(folder)

    from arena.cli.main import main

    main()
