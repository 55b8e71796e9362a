"""Writes docs/checks/ from the docstrings of the rules, and the output of the commands in the pages on checks.

Run it with ``python tests/write_check_pages.py``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from doc_blocks import PAGES, rewritten
from kerneldiff.checks.pages import as_markdown, file_name, page_of
from kerneldiff.checks.rules import RULES

DOCS = Path(__file__).parents[1] / "docs" / "checks"


def main() -> None:
    DOCS.mkdir(exist_ok=True)
    wanted = {file_name(rule): as_markdown(page_of(rule)) for rule in RULES}
    for path in DOCS.glob("KD*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (DOCS / name).write_text(text, encoding="utf-8")
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(rewritten(page.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
