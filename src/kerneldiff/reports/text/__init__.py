"""The comparison in a terminal, at any width from 60 columns, with or without colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.text import Text

from kerneldiff.diffs.model import Diff
from kerneldiff.reports.text import sections
from kerneldiff.reports.text.layout import heading, make_console, print_lines
from kerneldiff.reports.text.rows import side_by_side
from kerneldiff.reports.text.setups import table
from kerneldiff.reports.text.waterfall import cpu_waterfall


def show(diffs: Sequence[Diff], file: TextIO, *, quiet: bool = False, everything: bool = False) -> None:
    """Print comparisons to a stream."""
    console = make_console(file)
    for index, diff in enumerate(diffs):
        if index:
            print_lines(console, [Text()])
        print_lines(
            console,
            [*verdict_only(diff, console.width)] if quiet else render(diff, console.width, everything=everything),
        )
    if len(diffs) > 1:
        labels = [sections.setup_name(run) for run in (diffs[0].baseline, *(diff.candidate for diff in diffs))]
        print_lines(console, [Text(), *table(diffs, labels, console.width)])


def show_titled(title: str, diff: Diff, file: TextIO, *, everything: bool = False) -> None:
    """Print one comparison under a title; the list in launch order is left out where a list of changes says it shorter."""
    console = make_console(file)
    print_lines(console, [Text(title, style="bold underline"), Text()])
    print_lines(console, [*render(diff, console.width, everything=everything, brief=not everything), Text(), Text()])


def verdict_only(diff: Diff, total: int) -> list[Text]:
    """Lay out the answer alone."""
    return sections.verdict(diff, total)


def render(diff: Diff, total: int, *, everything: bool = False, brief: bool = False) -> list[Text]:
    """Lay out one comparison: lines of at most ``total`` cells.

    ``brief`` leaves out the list in launch order where the list of changes is there.
    """
    changes = sections.changes(diff, total)
    step = f"step {_step(diff.baseline.step_number)} against {_step(diff.candidate.step_number)}"
    parts = [
        sections.runs(diff, total),
        sections.verdict(diff, total),
        sections.times(diff, total),
        changes,
        [heading(f"{_what(diff)} in launch order ({step})"), *side_by_side(diff, total, everything=everything)]
        if diff.matches and not (brief and changes)
        else [],
        cpu_waterfall(diff, total),
        sections.dispatch(diff, total),
        sections.notes(diff, total),
    ]
    lines: list[Text] = []
    for part in parts:
        if part:
            lines += [Text(), *part] if lines else part
    return lines


def _what(diff: Diff) -> str:
    on_cpu = any(event.kind == "cpu_kernel" for event in (*diff.baseline.events, *diff.candidate.events))
    return "CPU kernels" if on_cpu else "GPU events"


def _step(number: int | None) -> str:
    return "(whole file)" if number is None else str(number)
