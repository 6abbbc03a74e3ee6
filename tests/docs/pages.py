"""The pages that people read, and what is in them: files to be saved, links, headings."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

FILE = re.compile(r"`([\w./-]+\.(?:py|yaml))`[^`\n]*:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def files_in(name: str) -> dict[str, str]:
    """Return the files that a page tells its reader to save, each under a line that names it and ends in a colon."""
    return dict(FILE.findall(text_of(name)))


def fences_in(name: str, language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(text_of(name)) if kind == language]


def save(files: dict[str, str], folder: Path) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def links_in(page: Path) -> list[str]:
    return LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors that headings have on the web: lower case, words joined by hyphens, other marks left out."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
