"""What a recording of several variants ends with: comparisons, builds, and the table of setups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.text import Text

from kerneldiff.diffs.builds import BuildSpread
from kerneldiff.diffs.model import Diff
from kerneldiff.reports.text import make_console, print_lines, render, verdict_only
from kerneldiff.reports.text.builds import spread
from kerneldiff.reports.text.layout import heading, paragraph
from kerneldiff.reports.text.setups import table

Remarks = tuple[Sequence[str], Sequence[str]]


def show(
    diffs: Sequence[Diff],
    labels: Sequence[str],
    file: TextIO,
    *,
    spreads: Sequence[BuildSpread] = (),
    remarks: Remarks = ((), ()),
    quiet: bool = False,
) -> None:
    """Print comparisons of recorded variants.

    Args:
        diffs: each variant against the first.
        labels: names, the first variant's first.
        file: where to.
        spreads: of variants that were built several times.
        remarks: what must be said before any verdict, and what is said at the end.
        quiet: the verdicts alone.
    """
    console = make_console(file)
    total = console.width
    for text in remarks[0]:
        print_lines(
            console, [_styled(line, "bold red") for line in paragraph(text, total, indent=10, first="MISMATCH")]
        )
    by_variant = {one.variant: one for one in spreads}
    for diff, label in zip(diffs, labels[1:], strict=True):
        lines = [Text(), heading(f"{labels[0]} > {label}")]
        lines += verdict_only(diff, total) if quiet else render(diff, total)
        if label in by_variant:
            lines += [Text(), *spread(by_variant[label], labels[0], total)]
        print_lines(console, lines)
    if not quiet:
        print_lines(console, [Text(), *table(diffs, labels, total)] if diffs else [])
        for text in remarks[1]:
            print_lines(console, paragraph(text, total, indent=2, first="-"))


def _styled(line: Text, style: str) -> Text:
    line.stylize(style)
    return line
