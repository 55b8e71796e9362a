"""Lines of a terminal report: columns, wrapping, styles. No line is wider than the report."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from kerneldiff.diffs.model import Relation
from kerneldiff.reports.escape import terminal
from kerneldiff.reports.phrases import SIGNS

RELATION_STYLES: Final[dict[str, str]] = {
    "same": "dim",
    "unproven": "magenta",
    "resized": "yellow",
    "recompiled": "yellow",
    "reselected": "yellow",
    "reimplemented": "yellow",
    "fused": "bold cyan",
    "split": "bold yellow",
    "added": "yellow",
    "removed": "cyan",
}
# In ASCII, since a terminal in a pipe may have no other minus sign.
RELATION_SIGNS: Final[dict[Relation, str]] = {**SIGNS, "removed": "-"}
CALL_STYLES: Final[dict[str, str]] = {
    "faster": "bold cyan",
    "slower": "bold yellow",
    "equivalent": "",
    "inconclusive": "magenta",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: ``width`` in cells, None for the one that takes what is left."""

    width: int | None
    right: bool = False


def wrap(text: str, width: int) -> list[str]:
    """Break untrusted text into lines of at most ``width`` cells, at blanks and commas where there are some."""
    lines: list[str] = []
    line = ""
    for word in _words(terminal(text)):
        if cell_len(line) + cell_len(word.rstrip()) <= width:
            line += word
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = word.lstrip()
        while cell_len(line.rstrip()) > width:
            head = _take(line, width)
            lines.append(head)
            line = line[len(head) :]
    if line.strip() or not lines:
        lines.append(line.rstrip())
    return lines


def _words(text: str) -> Iterable[str]:
    """Split behind blanks and commas, keeping them."""
    word = ""
    for char in text:
        word += char
        if char in " ,":
            yield word
            word = ""
    if word:
        yield word


def _take(text: str, width: int) -> str:
    taken = ""
    for char in text:
        if cell_len(taken + char) > width:
            break
        taken += char
    return taken or text[:1]


def row(cells: Sequence[str], columns: Sequence[Column], total: int, styles: Sequence[str] = ()) -> list[Text]:
    """Lay out one row: every cell is wrapped within its column; cells of one line are separated by a blank."""
    fixed = sum(column.width or 0 for column in columns) + len(columns) - 1
    widths = [column.width if column.width is not None else max(8, total - fixed) for column in columns]
    wrapped = [wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for at in range(max(len(part) for part in wrapped)):
        line = Text()
        for index, (part, width, column) in enumerate(zip(wrapped, widths, columns, strict=True)):
            content = part[at] if at < len(part) else ""
            pad = " " * (width - cell_len(content))
            style = styles[index] if index < len(styles) else ""
            line.append((" " if index else "") + (pad if column.right else ""))
            line.append(content, style=style)
            line.append("" if column.right else pad)
        line.rstrip()
        lines.append(line)
    return lines


def paragraph(text: str, total: int, *, indent: int = 0, first: str = "", style: str = "") -> list[Text]:
    """Lay out running text with a hanging indent; ``first`` stands before the first line inside the indent."""
    lines = []
    for index, part in enumerate(wrap(text, total - indent)):
        lead = first.ljust(indent) if index == 0 else " " * indent
        line = Text(lead)
        line.append(part, style=style)
        lines.append(line)
    return lines


def heading(text: str) -> Text:
    """Lay out the heading of a section."""
    return Text(text, style="bold")


WIDEST = 140
NARROWEST = 60
PLAIN_WIDTH = 80


def make_console(file: TextIO) -> Console:
    """Make a console that never wraps by itself; colours as the stream and NO_COLOR allow."""
    if file.isatty():
        width = shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns
    else:
        columns = os.environ.get("COLUMNS", "")
        width = int(columns) if columns.isdigit() and int(columns) > 0 else PLAIN_WIDTH
    width = max(NARROWEST, min(WIDEST, width))
    return Console(file=file, width=width, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_lines(console: Console, lines: Sequence[Text]) -> None:
    """Print lines as they are."""
    for line in lines:
        console.print(line, soft_wrap=True)
