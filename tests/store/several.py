"""Runs the command several times in one process, and writes what was printed to files.

Called with pairs of words: a name for the files, ``NAME.out`` and ``NAME.err``, and the words of the command. Prints
every exit code that is not 0.
"""

from __future__ import annotations

import sys
from pathlib import Path

from leagues import Console


def main() -> None:
    arena, here = Console(), Path.cwd()
    for name, words in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        run = arena(*words.split(), cwd=here)
        Path(f"{name}.out").write_text(run.out, encoding="utf-8")
        Path(f"{name}.err").write_text(run.err, encoding="utf-8")
        if run.code:
            print(run.code)


if __name__ == "__main__":
    main()
