"""What a recording of several variants ends with: comparisons, builds, and the table of setups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from rich.text import Text

from kerneldiff.diffs.builds import BuildSpread
from kerneldiff.diffs.model import Diff
from kerneldiff.reports.escape import terminal
from kerneldiff.reports.text import render, verdict_only
from kerneldiff.reports.text.builds import spread
from kerneldiff.reports.text.layout import heading, make_console, paragraph, print_lines
from kerneldiff.reports.text.setups import table


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """What there is to show.

    Attributes:
        diffs: each variant against the first.
        labels: names, the first variant's first.
        spreads: of variants that were built several times.
        warnings: what must be said before any verdict. remarks: what is said at the end.
    """

    diffs: Sequence[Diff]
    labels: Sequence[str]
    spreads: Sequence[BuildSpread] = ()
    warnings: Sequence[str] = ()
    remarks: Sequence[str] = ()


def show(found: Variants, file: TextIO, *, quiet: bool = False) -> None:
    """Print comparisons of recorded variants; with ``quiet`` the verdicts alone."""
    labels = found.labels
    console = make_console(file)
    total = console.width
    for text in found.warnings:
        print_lines(
            console, [_styled(line, "bold red") for line in paragraph(text, total, indent=10, first="MISMATCH")]
        )
    by_variant = {one.variant: one for one in found.spreads}
    for diff, label in zip(found.diffs, labels[1:], strict=True):
        lines = [Text(), heading(terminal(f"{labels[0]} > {label}"))]
        lines += verdict_only(diff, total) if quiet else render(diff, total)
        if label in by_variant:
            lines += [Text(), *spread(by_variant[label], labels[0], total)]
        print_lines(console, lines)
    if not quiet:
        print_lines(console, [Text(), *table(found.diffs, labels, total)] if found.diffs else [])
        for text in found.remarks:
            print_lines(console, paragraph(text, total, indent=2, first="-"))


def _styled(line: Text, style: str) -> Text:
    line.stylize(style)
    return line
