"""Where the CPU time of a step went, as rows that add up to the difference."""

from __future__ import annotations

from rich.text import Text

from kerneldiff.diffs.explained import Waterfall, WaterfallRow
from kerneldiff.diffs.model import Diff
from kerneldiff.reports.text.layout import Column, heading, row
from kerneldiff.reports.text.rows import signed
from kerneldiff.units import time_text

_WORDS = {
    "removed": "operators that left",
    "added": "operators that came",
    "kept": "the same operators",
    "between": "between operators",
    "loader": "data loader",
    "runtime": "runtime calls",
    "sync": "waiting for the GPU",
}
_COLUMNS = (
    Column(width=None),
    Column(width=10, right=True),
    Column(width=10, right=True),
    Column(width=10, right=True),
)
_MOST_ITEMS = 3
_LEAST_SHARE = 20  # names are listed that make a twentieth of the step


def cpu_waterfall(diff: Diff, total: int) -> list[Text]:
    """Lay out the CPU side of both representative steps: every row is a part, the last is their sum."""
    fall = diff.waterfalls.cpu
    if fall is None or not fall.rows:
        return []
    lines = [heading("CPU side of one step, on the thread that launches most")]
    lines += row(("", "baseline", "candidate", "change"), _COLUMNS, total, ("dim",) * 4)
    for part in [one for one in fall.rows if one.baseline_ns or one.candidate_ns]:
        lines += _row(part, total)
        lines += _items(fall, part, total)
    cells = ("from the step's mark to its end", time_text(fall.baseline_ns), time_text(fall.candidate_ns))
    lines += row((*cells, signed(fall.delta_ns)), _COLUMNS, total, ("bold",) * 4)
    return lines


def _row(part: WaterfallRow, total: int) -> list[Text]:
    number = len(part.items)
    count = f" ({number})" if number and part.kind in ("removed", "added", "kept") else ""
    cells = (
        f"  {_WORDS[part.kind]}{count}",
        "" if part.kind == "added" else time_text(part.baseline_ns),
        "" if part.kind == "removed" else time_text(part.candidate_ns),
        signed(part.delta_ns),
    )
    return row(cells, _COLUMNS, total)


def _items(fall: Waterfall, part: WaterfallRow, total: int) -> list[Text]:
    """Name the largest differences inside a row."""
    least = max(fall.baseline_ns, fall.candidate_ns) // _LEAST_SHARE
    lines = []
    for item in [one for one in part.items if abs(one.delta_ns) >= least][:_MOST_ITEMS]:
        cells = (
            f"      {item.name}",
            time_text(item.baseline_ns) if item.baseline_calls else "",
            time_text(item.candidate_ns) if item.candidate_calls else "",
            signed(item.delta_ns),
        )
        lines += row(cells, _COLUMNS, total, ("dim",) * 4)
    return lines
