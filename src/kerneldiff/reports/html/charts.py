"""Small charts as numbers for the templates: intervals on one axis, waterfalls, shares of change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """Bars from the baseline's total to the candidate's; the changes add up to the nanosecond."""

    title: str
    note: str
    bars: tuple[Bar, ...]


Step = tuple[str, int, str, str, int | None]


def gpu_waterfall(diff: Diff) -> Waterfall | None:
    """Take the GPU time of the representative steps apart by relation."""
    before = sum(match.baseline_ns for match in diff.matches)
    after = sum(match.candidate_ns for match in diff.matches)
    if not before and not after:
        return None
    steps: list[Step] = []
    for relation in RELATIONS:
        found = [match for match in diff.matches if match.relation == relation]
        if found:
            change = sum(match.delta_ns for match in found)
            steps.append((relation, change, f"r-{relation}", phrases.SIGNS[relation], len(found)))
    return waterfall("GPU time of the shown steps, by relation", before, after, steps)


def cpu_waterfall(diff: Diff) -> Waterfall | None:
    """Take the CPU time inside operators apart: those that left, came, and stayed."""
    dispatch = diff.dispatch
    groups = (
        ("operators that left", dispatch.removed, "r-removed", "\N{MINUS SIGN}"),
        ("operators that came", dispatch.added, "r-added", "+"),
        ("called another number of times", dispatch.changed, "r-resized", "~"),
        ("same operators, same calls", dispatch.kept, "r-same", "="),
    )
    every = [change for _, found, _, _ in groups for change in found]
    before = sum(change.baseline.own_ns for change in every if change.baseline)
    after = sum(change.candidate.own_ns for change in every if change.candidate)
    if not before and not after:
        return None
    steps: list[Step] = [
        (name, sum(change.delta_ns for change in found), css, sign, len(found)) for name, found, css, sign in groups if found
    ]
    return waterfall("CPU time inside operators of the shown steps", before, after, steps)


def waterfall(title: str, before: int, after: int, steps: Sequence[Step]) -> Waterfall:
    """Place the bars on an axis that starts at zero."""
    ends = [before]
    for _, change, _, _, _ in steps:
        ends.append(ends[-1] + change)
    scale = 100 / (max(*ends, after, 1) * 1.0)
    bars = [Bar(name="baseline", value=time_text(before), css="total", sign="", left=0, width=_round(before * scale), total=True)]
    for (name, change, css, sign, count), start in zip(steps, ends, strict=False):
        left = min(start, start + change)
        bars.append(
            Bar(
                name=name,
                value=phrases.signed_time(change),
                css=css,
                sign=sign,
                left=_round(left * scale),
                width=_round(abs(change) * scale),
                count=count,
            )
        )
    bars.append(Bar(name="candidate", value=time_text(after), css="total", sign="", left=0, width=_round(after * scale), total=True))
    note = "The changes add up to the difference to the nanosecond." if ends[-1] == after else ""
    return Waterfall(title=title, note=note, bars=tuple(bars))


def _round(value: float) -> float:
    return round(value, 3)
