"""Small charts as numbers for the templates: intervals on one axis, waterfalls, shares of change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kerneldiff.diffs.model import RELATIONS, Diff, Times
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.reports import phrases
from kerneldiff.units import time_text

_QUANTITIES = (
    ("gpu", "GPU time", "sum of the durations of a step's GPU events"),
    ("gpu_busy", "GPU busy", "time in which at least one GPU event runs"),
    ("cpu", "CPU dispatch", "time of operators and runtime calls on the launching threads"),
    ("step", "Step time", "from the end of one step's last GPU event to the next one's"),
)
# An axis this wide shows what matters; wider intervals run off it, with an arrow.
_WIDEST = math.log(4)
_NARROWEST = math.log(1.15)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRow:
    """One quantity: texts, and its place on the shared logarithmic axis in percent of its width (None: no estimate)."""

    name: str
    meaning: str
    baseline: str
    candidate: str
    change: str
    interval: str
    call: str
    reason: str
    at: float | None
    low: float | None
    high: float | None
    off_left: bool
    off_right: bool


def time_rows(times: Times) -> list[TimeRow]:
    """Lay out the four quantities on one axis around "no change"."""
    calls = [(name, meaning, getattr(times, key)) for key, name, meaning in _QUANTITIES]
    reach = _reach([call for _, _, call in calls])
    return [_time_row(name, meaning, call, reach) for name, meaning, call in calls]


def _reach(calls: Sequence[TimeCall]) -> float:
    """Choose how far the axis reaches: all ratios and the settled intervals; what is open may run off it."""
    logs = [abs(math.log(call.ratio)) * 1.2 for call in calls if call.ratio]
    ends = [
        abs(math.log(bound)) * 1.1
        for call in calls
        if call.interval and call.call != "inconclusive"
        for bound in call.interval
        if bound > 0
    ]
    return max([*logs, *(min(end, _WIDEST) for end in ends), _NARROWEST])


def _time_row(name: str, meaning: str, call: TimeCall, reach: float) -> TimeRow:
    low, high = call.interval or (None, None)
    return TimeRow(
        name=name,
        meaning=meaning,
        baseline="not known" if call.baseline_ns is None else time_text(call.baseline_ns),
        candidate="not known" if call.candidate_ns is None else time_text(call.candidate_ns),
        change=phrases.change_text(call.ratio) if call.ratio else "",
        interval=phrases.interval_text(call),
        call=call.call,
        reason=call.reason,
        at=_place(call.ratio, reach),
        low=_place(low, reach),
        high=_place(high, reach),
        off_left=low is not None and low > 0 and math.log(low) < -reach,
        off_right=high is not None and high > 0 and math.log(high) > reach,
    )


def _place(ratio: float | None, reach: float) -> float | None:
    if ratio is None or ratio <= 0 or not math.isfinite(ratio):
        return None
    return round(50 + 50 * max(-1.0, min(1.0, math.log(ratio) / reach)), 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of a waterfall: from ``left``, ``width`` wide, in percent of the chart."""

    name: str
    value: str
    css: str
    sign: str
    left: float
    width: float
    total: bool = False
    count: int | None = None
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """Bars from the baseline's total to the candidate's; the changes add up to the nanosecond."""

    title: str
    note: str
    bars: tuple[Bar, ...]


class Step(NamedTuple):
    """One change: its name, ns, class and sign, how many things it sums up, and the largest of them in words."""

    name: str
    change: int
    css: str
    sign: str
    number: int | None
    told: tuple[str, ...] = ()


def waterfalls_of(diff: Diff) -> list[Waterfall]:
    """Lay out the waterfalls that the diff has."""
    found = (_gpu(diff), _cpu(diff))
    return [fall for fall in found if fall is not None]


def _gpu(diff: Diff) -> Waterfall | None:
    """Take the GPU busy time apart by relation, with the overlap of streams as a row of its own."""
    parts = diff.waterfalls.gpu
    if parts is None or not (parts.baseline_ns or parts.candidate_ns):
        return None
    steps: list[Step] = []
    for relation in RELATIONS:
        rows = [row for row in parts.rows if row.match is not None and diff.matches[row.match].relation == relation]
        if rows:
            change = sum(row.delta_ns for row in rows)
            steps.append(Step(relation, change, f"r-{relation}", phrases.SIGNS[relation], len(rows)))
    overlap = [row.delta_ns for row in parts.rows if row.kind == "overlap"]
    if overlap:
        steps.append(Step("overlap of streams", sum(overlap), "r-unproven", "", None))
    return waterfall("GPU busy time, by relation", parts.baseline_ns, parts.candidate_ns, steps)


_CPU_ROWS = {
    "removed": ("operators that left", "r-removed", "\N{MINUS SIGN}"),
    "added": ("operators that came", "r-added", "+"),
    "kept": ("same operators", "r-same", "="),
    "between": ("between operators", "r-same", ""),
    "loader": ("data loader", "r-same", ""),
    "runtime": ("runtime calls", "r-same", ""),
    "sync": ("waiting for the GPU", "r-unproven", ""),
}


def _cpu(diff: Diff) -> Waterfall | None:
    """Take the step apart on the CPU thread that launches most."""
    parts = diff.waterfalls.cpu
    if parts is None or not (parts.baseline_ns or parts.candidate_ns):
        return None
    steps = []
    for row in parts.rows:
        name, css, sign = _CPU_ROWS.get(row.kind, (row.kind, "r-same", ""))
        told = tuple(
            f"{phrases.clipped(item.name, 60)} {phrases.signed_time(item.delta_ns)}"
            for item in row.items[:3]
            if item.delta_ns
        )
        more = sum(1 for item in row.items[3:] if item.delta_ns)
        told += (f"and {more} more",) if more else ()
        steps.append(Step(name, row.delta_ns, css, sign, len(row.items) or None, told))
    return waterfall(
        "CPU side of the step, on the thread that launches most", parts.baseline_ns, parts.candidate_ns, steps
    )


def waterfall(title: str, before: int, after: int, steps: Sequence[Step]) -> Waterfall:
    """Place the bars on an axis that starts at zero."""
    ends = [before]
    for step in steps:
        ends.append(ends[-1] + step.change)
    scale = 100 / (max(*ends, after, 1) * 1.0)
    bars = [
        Bar(
            name="baseline",
            value=time_text(before),
            css="total",
            sign="",
            left=0,
            width=_round(before * scale),
            total=True,
        )
    ]
    for step, start in zip(steps, ends, strict=False):
        left = min(start, start + step.change)
        bars.append(
            Bar(
                name=step.name,
                value=phrases.signed_time(step.change),
                css=step.css,
                sign=step.sign,
                left=_round(left * scale),
                width=_round(abs(step.change) * scale),
                count=step.number,
                told=step.told,
            )
        )
    bars.append(
        Bar(
            name="candidate",
            value=time_text(after),
            css="total",
            sign="",
            left=0,
            width=_round(after * scale),
            total=True,
        )
    )
    note = "The changes add up to the difference to the nanosecond." if ends[-1] == after else ""
    return Waterfall(title=title, note=note, bars=tuple(bars))


def _round(value: float) -> float:
    return round(value, 3)
