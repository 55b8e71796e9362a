"""Where a difference in time comes from: rows that add up to it exactly."""

from __future__ import annotations

from collections.abc import Sequence

from kerneldiff.diffs.explained import CpuRow, Waterfall, WaterfallItem, WaterfallRow, Waterfalls
from kerneldiff.diffs.model import Match
from kerneldiff.profiles.explained import CpuItem, CpuStep, ItemKind, Pace
from kerneldiff.profiles.model import Profile

_ROWS: tuple[tuple[CpuRow, tuple[ItemKind, ...]], ...] = (
    ("between", ("annotation",)),
    ("loader", ("loader",)),
    ("runtime", ("runtime",)),
    ("sync", ("sync",)),
)


def waterfalls(baseline: Profile, candidate: Profile, matches: Sequence[Match]) -> Waterfalls:
    """Divide the differences of the representative steps; a side that was not recorded has no waterfall."""
    ours, theirs = baseline.explained, candidate.explained
    if ours is None or theirs is None:
        return Waterfalls(cpu=None, gpu=None)
    cpu = cpu_waterfall(ours.cpu, theirs.cpu) if ours.cpu and theirs.cpu else None
    gpu = gpu_waterfall(ours.pace, theirs.pace, matches) if ours.pace and theirs.pace else None
    return Waterfalls(cpu=cpu, gpu=gpu)


def cpu_waterfall(baseline: CpuStep, candidate: CpuStep) -> Waterfall:
    """Divide the difference of two CPU extents.

    Operators are compared by name; runtime calls inside them stand in the row of runtime calls.
    """
    operators = _items(baseline.of("operator"), candidate.of("operator"))
    removed = [item for item in operators if not item.candidate_calls]
    added = [item for item in operators if not item.baseline_calls]
    kept = [item for item in operators if item.baseline_calls and item.candidate_calls]
    rows = [_row("removed", removed), _row("added", added), _row("kept", kept)]
    for kind, kinds in _ROWS:
        items = _items(baseline.of(*kinds), candidate.of(*kinds))
        extra = (baseline.between_ns, candidate.between_ns) if kind == "between" else (0, 0)
        rows.append(_row(kind, items, extra))
    return Waterfall(
        baseline_ns=baseline.extent_ns,
        candidate_ns=candidate.extent_ns,
        rows=tuple(row for row in rows if row.items or row.baseline_ns or row.candidate_ns),
    )


def _items(ours: Sequence[CpuItem], theirs: Sequence[CpuItem]) -> list[WaterfallItem]:
    """Pair the items of both sides by name, the largest difference first."""
    before = {item.name: item for item in ours}
    after = {item.name: item for item in theirs}
    items = [
        WaterfallItem(
            name=name,
            baseline_calls=before[name].calls if name in before else 0,
            candidate_calls=after[name].calls if name in after else 0,
            baseline_ns=before[name].ns if name in before else 0,
            candidate_ns=after[name].ns if name in after else 0,
        )
        for name in dict.fromkeys([*before, *after])
    ]
    return sorted(items, key=lambda item: -abs(item.delta_ns))


def _row(kind: CpuRow, items: Sequence[WaterfallItem], extra: tuple[int, int] = (0, 0)) -> WaterfallRow:
    return WaterfallRow(
        kind=kind,
        baseline_ns=sum(item.baseline_ns for item in items) + extra[0],
        candidate_ns=sum(item.candidate_ns for item in items) + extra[1],
        items=tuple(items),
    )


def gpu_waterfall(baseline: Pace, candidate: Pace, matches: Sequence[Match]) -> Waterfall | None:
    """Divide the difference of two GPU busy times by match, with the overlap of streams as the last row.

    None where the matches do not speak of all GPU time.
    """
    rows = [
        WaterfallRow(kind="match", match=index, baseline_ns=match.baseline_ns, candidate_ns=match.candidate_ns)
        for index, match in enumerate(matches)
    ]
    if (sum(row.baseline_ns for row in rows), sum(row.candidate_ns for row in rows)) != (
        baseline.gpu_ns,
        candidate.gpu_ns,
    ):
        return None
    if baseline.overlap_ns or candidate.overlap_ns:
        rows.append(WaterfallRow(kind="overlap", baseline_ns=-baseline.overlap_ns, candidate_ns=-candidate.overlap_ns))
    return Waterfall(baseline_ns=baseline.busy_ns, candidate_ns=candidate.busy_ns, rows=tuple(rows))
