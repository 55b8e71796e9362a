"""The picture: both representative steps on one time axis, joined by ribbons; drawn here so that it needs no script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kerneldiff.diffs.model import RELATIONS, Diff, Match
from kerneldiff.profiles.model import GpuEvent, Lanes, Profile
from kerneldiff.reports import phrases
from kerneldiff.reports.html.lanes import CPU_ROW, MOST_DEPTH, Lane, Stage, stage
from kerneldiff.reports.joins import joins
from kerneldiff.traces.model import Int64s
from kerneldiff.units import time_text

# Paths are drawn in these units over the width of the picture, and stretched to it.
UNITS = 1000
_THINNEST = 0.7
# Of shapes of one colour that end on the same part of a unit only the first is drawn: the others would not be seen.
_FINEST = 2
# A label is drawn where it fits: in percent of the width, at the least for a short one, and for each letter of a long one.
_LABEL_PERCENT = 3.5
_LETTER_PERCENT = 0.57
_MOST_EVENTS = 20_000
_MOST_SLICES = 2_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of time in ns from the start of a step; it begins below zero where clocks of CPU and GPU disagree."""

    start_ns: int
    end_ns: int

    def share(self, at_ns: float) -> float:
        """Give a point's place in the stretch, 0 to 1."""
        return (at_ns - self.start_ns) / (self.end_ns - self.start_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A short text inside a block; ``x`` and ``width`` in percent, ``y`` in pixels."""

    x: float
    width: float
    y: int
    text: str
    css: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What the template draws.

    Attributes:
        span: what the width stands for.
        ticks: place in percent and text.
        ribbons, blocks, cpu: (class, path data), in the order of painting.
        left_out: events that are not drawn; short_calls: CPU slices that are not.
    """

    stage: Stage
    span: Span
    ticks: tuple[tuple[float, str], ...]
    ribbons: tuple[tuple[str, str], ...]
    blocks: tuple[tuple[str, str], ...]
    cpu: tuple[tuple[str, str], ...]
    labels: tuple[Label, ...]
    left_out: int
    short_calls: int


def picture_of(runs: tuple[Profile, ...], matches: Sequence[Match]) -> Picture | None:
    """Draw one run, or two with their matches; None when there is nothing to draw."""
    span = _span(runs)
    if span.end_ns <= span.start_ns:
        return None
    lanes = stage(runs)
    relation = _relations(runs, matches)
    return Picture(
        stage=lanes,
        span=span,
        ticks=tuple(_ticks(span)),
        ribbons=_ribbons(runs, matches, lanes, span),
        blocks=_blocks(runs, relation, lanes, span),
        cpu=_cpu(runs, lanes, span),
        labels=tuple(_labels(runs, relation, lanes, span)),
        short_calls=sum(
            len(run.lanes) + run.lanes.left_out - len(drawn_slices(run.lanes)) for run in runs if run.lanes
        ),
        left_out=sum(max(0, len(run.events) - _MOST_EVENTS) for run in runs),
    )


def of_diff(diff: Diff) -> Picture | None:
    """Draw two runs."""
    return picture_of((diff.baseline, diff.candidate), diff.matches)


def _span(runs: Sequence[Profile]) -> Span:
    """Find what holds all GPU events and CPU slices of some runs, and the start of the step."""
    starts, ends = [0], [0]
    for run in runs:
        starts += [event.start_ns for event in run.events]
        ends += [event.start_ns + event.gpu_ns for event in run.events]
        if run.lanes is not None and len(run.lanes):
            starts.append(int(run.lanes.start_ns.min()))
            ends.append(int((run.lanes.start_ns + run.lanes.dur_ns).max()))
    return Span(start_ns=min(starts), end_ns=max(ends))


def _relations(runs: Sequence[Profile], matches: Sequence[Match]) -> list[list[str]]:
    """Give the relation of each event of each side."""
    found = [["same"] * len(run.events) for run in runs]
    for match in matches:
        for side, members in enumerate((match.baseline, match.candidate)):
            for index in members:
                found[side][index] = match.relation
    return found


def _ticks(span: Span) -> Iterator[tuple[float, str]]:
    step = nice_step((span.end_ns - span.start_ns) / 6)
    for at in range(-(-span.start_ns // step) * step, span.end_ns, step):
        if span.share(at) < 0.95:
            yield round(100 * span.share(at), 3), time_text(at) if at else "0"


def nice_step(least: float) -> int:
    """Give the smallest of 1, 2, 5, 10, 20 ... that is not below a number.

    >>> nice_step(130.0), nice_step(0.2)
    (200, 1)
    """
    scale = 1
    while True:
        for factor in (1, 2, 5):
            if factor * scale >= least:
                return factor * scale
        scale *= 10


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _place(event: GpuEvent, span: Span) -> tuple[float, float]:
    """Give left and right end in units, never thinner than can be seen."""
    left = span.share(event.start_ns) * UNITS
    return left, max(left + _THINNEST, span.share(event.start_ns + event.gpu_ns) * UNITS)


def _box(left: float, right: float, y: float, height: float) -> str:
    width = _number(right - left)
    return f"M{_number(left)} {_number(y)}h{width}v{_number(height)}h-{width}z"


def lane_of(lanes: Sequence[Lane]) -> dict[int | None, Lane]:
    """Map each stream (or thread) to its lane."""
    return {key: lane for lane in lanes for key in lane.keys}


def _blocks(
    runs: Sequence[Profile], relation: list[list[str]], lanes: Stage, span: Span
) -> tuple[tuple[str, str], ...]:
    drawn: dict[str, list[str]] = defaultdict(list)
    for side, run in enumerate(runs):
        homes = lane_of(lanes.of(side, "gpu"))
        ends: dict[tuple[str, int], int] = {}
        for event, name in zip(run.events[:_MOST_EVENTS], relation[side], strict=False):
            lane = homes[event.stream]
            left, right = _place(event, span)
            if ends.get((name, lane.y)) != (end := round(right * _FINEST)):
                drawn[name].append(_box(left, right, lane.y, lane.height))
            ends[name, lane.y] = end
    return tuple((name, "".join(drawn[name])) for name in RELATIONS if name in drawn)


def _ribbons(
    runs: Sequence[Profile], matches: Sequence[Match], lanes: Stage, span: Span
) -> tuple[tuple[str, str], ...]:
    if len(runs) < 2:
        return ()
    homes = [lane_of(lanes.of(side, "gpu")) for side in (0, 1)]
    drawn: dict[str, list[str]] = defaultdict(list)
    ends: dict[str, tuple[int, int]] = {}
    for match in matches:
        for ours, theirs in joins(match):
            if max(ours, theirs) >= _MOST_EVENTS:
                continue
            upper, lower = runs[0].events[ours], runs[1].events[theirs]
            top = homes[0][upper.stream].y + homes[0][upper.stream].height
            above, below = _place(upper, span), _place(lower, span)
            end = (round(above[1] * _FINEST), round(below[1] * _FINEST))
            if ends.get(match.relation) != end:
                drawn[match.relation].append(ribbon(above, below, top, homes[1][lower.stream].y))
            ends[match.relation] = end
    return tuple((name, "".join(drawn[name])) for name in RELATIONS if name in drawn)


def ribbon(upper: tuple[float, float], lower: tuple[float, float], top: int, bottom: int) -> str:
    """Draw a band from one block down to another."""
    middle = _number((top + bottom) / 2)
    a, b, c, d = (_number(x) for x in (*upper, *lower))
    return f"M{a} {top}C{a} {middle} {c} {middle} {c} {bottom}H{d}C{d} {middle} {b} {middle} {b} {top}z"


def drawn_slices(lanes: Lanes) -> Int64s:
    """Choose the CPU slices to draw, in order: not too deep, and of very many the longest."""
    found = np.flatnonzero(lanes.depth < MOST_DEPTH)
    if len(found) > _MOST_SLICES:
        longest = np.argsort(-lanes.dur_ns[found], kind="stable")[:_MOST_SLICES]
        found = found[np.sort(longest)]
    return found


def _cpu(runs: Sequence[Profile], lanes: Stage, span: Span) -> tuple[tuple[str, str], ...]:
    """Draw CPU slices, one shade for even and one for odd depths; what falls on a drawn pixel is not drawn again."""
    drawn: dict[str, list[str]] = defaultdict(list)
    for side, run in enumerate(runs):
        found = run.lanes
        if found is None:
            continue
        homes = lane_of(lanes.of(side, "cpu"))
        reached: dict[tuple[int, int], float] = {}
        kept = drawn_slices(found)
        columns = (found.start_ns, found.dur_ns, found.depth, found.track, found.runtime)
        for start, dur, depth, track, runtime in zip(*(column[kept].tolist() for column in columns), strict=True):
            lane = homes.get(track)
            left, right = (span.share(at) * UNITS for at in (start, start + dur))
            if lane is None or right < reached.get((track, depth), -1.0) + 0.4:
                continue
            right = max(right, left + 0.4)
            reached[track, depth] = right
            css = "runtime" if runtime else f"depth{depth % 2}"
            drawn[css].append(_box(left, right, lane.y + depth * CPU_ROW, CPU_ROW - 1))
    return tuple((name, "".join(drawn[name])) for name in ("depth0", "depth1", "runtime") if name in drawn)


def _labels(runs: Sequence[Profile], relation: list[list[str]], lanes: Stage, span: Span) -> Iterator[Label]:
    for side, run in enumerate(runs):
        homes = lane_of(lanes.of(side, "gpu"))
        for event, name in zip(run.events, relation[side], strict=True):
            width = 100 * event.gpu_ns / (span.end_ns - span.start_ns)
            if width >= _LABEL_PERCENT:
                yield Label(
                    x=round(100 * span.share(event.start_ns), 3),
                    width=round(width, 3),
                    y=homes[event.stream].y,
                    text=_fitting(event, width),
                    css=name,
                )


def _fitting(event: GpuEvent, width: float) -> str:
    whole = event.decoded.label or event.name
    short = phrases.short_text(event)
    fitting = [text for text in (whole, short) if len(text) * _LETTER_PERCENT < width - 0.6]
    return fitting[0] if fitting else ""
