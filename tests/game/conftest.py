"""The readable twins of the rules stand beside the rules' own tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "rules"))
