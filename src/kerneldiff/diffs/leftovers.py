"""Joining of what alignment left over on both sides: fusions, splits and replacements."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from math import prod

from kerneldiff.diffs.model import Confidence
from kerneldiff.diffs.operators import CREATED, GENERIC, UBIQUITOUS
from kerneldiff.diffs.units import Unit
from kerneldiff.profiles.model import GpuEvent

# Standing in the same stretch weighs more than one operator more in common across an anchor.
_NEAR = 12
Joined = tuple[tuple[int, ...], tuple[int, ...], Confidence]


def join_leftovers(
    baseline: Sequence[Unit], candidate: Sequence[Unit], pairs: Sequence[tuple[int, int]]
) -> list[Joined]:
    """Group left-over units of both sides by the operations they share; what is left pairs by position.

    Only units within the same stretch between anchors, or in the stretches next to it, are joined: fusion moves
    work across an anchor (gelu of an MLP), and no further. Each unit picks its one best partner; units that
    picked each other's partners form one group, so that long chains of weak likeness do not grow.
    """
    places = _Places(baseline, candidate, pairs)
    groups = _Groups()
    for b in places.free_b:
        if (best := places.best_for_baseline(b)) is not None:
            groups.join(("b", b), ("c", best))
    for c in places.free_c:
        if (best := places.best_for_candidate(c)) is not None:
            groups.join(("b", best), ("c", c))
    joined = groups.listed()
    used_b = {index for b, _, _ in joined for index in b}
    used_c = {index for _, c, _ in joined for index in c}
    return joined + _by_position(places, used_b, used_c)


class _Groups:
    """Connected groups of units (union by relabelling; groups are small)."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, int], set[tuple[str, int]]] = {}

    def join(self, one: tuple[str, int], other: tuple[str, int]) -> None:
        both = self._of.get(one, {one}) | self._of.get(other, {other})
        for member in both:
            self._of[member] = both

    def listed(self) -> list[Joined]:
        distinct = {id(group): group for group in self._of.values()}.values()
        return [
            (
                tuple(sorted(index for side, index in group if side == "b")),
                tuple(sorted(index for side, index in group if side == "c")),
                "inferred",
            )
            for group in distinct
        ]


class _Places:
    """Where left-over units stand between the anchors, and how well two of them go together."""

    def __init__(self, baseline: Sequence[Unit], candidate: Sequence[Unit], pairs: Sequence[tuple[int, int]]) -> None:
        self.baseline, self.candidate = baseline, candidate
        taken_b, taken_c = {b for b, _ in pairs}, {c for _, c in pairs}
        self.free_b = [i for i in range(len(baseline)) if i not in taken_b]
        self.free_c = [i for i in range(len(candidate)) if i not in taken_c]
        in_order = _ascending(pairs)
        anchors_b, anchors_c = [b for b, _ in in_order], [c for _, c in in_order]
        stretch_b = {i: bisect_right(anchors_b, i) for i in self.free_b}
        stretch_c = {i: bisect_right(anchors_c, i) for i in self.free_c}
        # Stretches in which nothing is left over on either side do not count: backward passes have two products in a row.
        number = {stretch: rank for rank, stretch in enumerate(sorted({*stretch_b.values(), *stretch_c.values()}))}
        self.stretch_b = {i: number[stretch] for i, stretch in stretch_b.items()}
        self.stretch_c = {i: number[stretch] for i, stretch in stretch_c.items()}
        self._by_stretch_b = _grouped(self.stretch_b)
        self._by_stretch_c = _grouped(self.stretch_c)

    def best_for_baseline(self, b: int) -> int | None:
        near = _near(self._by_stretch_c, self.stretch_b[b])
        scored = [(score, -abs(b - c), -c) for c in near if (score := self._score(b, c)) > 0]
        return -max(scored)[2] if scored else None

    def best_for_candidate(self, c: int) -> int | None:
        near = _near(self._by_stretch_b, self.stretch_c[c])
        scored = [(score, -abs(b - c), -b) for b in near if (score := self._score(b, c)) > 0]
        return -max(scored)[2] if scored else None

    def _score(self, b: int, c: int) -> int:
        one, other = self.baseline[b], self.candidate[c]
        if not _can_replace(one.event, other.event):
            return 0
        shared = one.basics & other.basics
        specific = shared - GENERIC
        near = self.stretch_b[b] == self.stretch_c[c]
        # A tensor that is made has no size among the inputs of a kernel that makes it itself.
        telling = shared & CREATED or shared - UBIQUITOUS
        if not specific and not (shared and near and (telling or sizes_agree(one.event, other.event))):
            return 0
        identical = one.event.normalised == other.event.normalised
        return 8 * len(specific) + 2 * len(shared) + _NEAR * near + 4 * identical + sizes_agree(one.event, other.event)


def _can_replace(one: GpuEvent, other: GpuEvent) -> bool:
    """Say whether one kind of event can do the work of the other: a kernel can copy on the device, not across the bus."""
    if one.kind == other.kind:
        return True
    if "kernel" not in (one.kind, other.kind):
        return False
    copy = other if one.kind == "kernel" else one
    return copy.kind == "memset" or copy.decoded.op == "memcpy_d2d"


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Keep the pairs that are in order on both sides (an exchanged pair is no anchor)."""
    kept: list[tuple[int, int]] = []
    ordered = sorted(pairs)
    lowest_after = [0] * len(ordered)
    lowest = 1 << 60
    for index in range(len(ordered) - 1, -1, -1):
        lowest_after[index] = lowest
        lowest = min(lowest, ordered[index][1])
    highest = -1
    for index, (b, c) in enumerate(ordered):
        if highest < c < lowest_after[index]:
            kept.append((b, c))
        highest = max(highest, c)
    return kept


def _grouped(stretches: dict[int, int]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = defaultdict(list)
    for index, stretch in stretches.items():
        groups[stretch].append(index)
    return groups


def _near(by_stretch: dict[int, list[int]], stretch: int) -> list[int]:
    return [index for at in (stretch, stretch - 1, stretch + 1) for index in by_stretch.get(at, ())]


def sizes_agree(one: GpuEvent, other: GpuEvent) -> bool:
    """Say whether the tensors of two events can be the same, as far as shapes tell: unknown agrees with everything."""
    sizes, others = _sizes(one), _sizes(other)
    return not sizes or not others or bool(sizes & others)


def _sizes(event: GpuEvent) -> set[int]:
    return {prod(dims) for dims in event.input_shapes or () if dims}


def _by_position(places: _Places, used_b: set[int], used_c: set[int]) -> list[Joined]:
    """Pair what is left within one stretch, where one side does not say what it does.

    Two sides that both name their operators, and name none in common, are no pair.
    """
    left_b = _grouped({i: s for i, s in places.stretch_b.items() if i not in used_b})
    left_c = _grouped({i: s for i, s in places.stretch_c.items() if i not in used_c})
    joined: list[Joined] = []
    for stretch in sorted(left_b.keys() & left_c.keys()):
        ours = [i for i in left_b[stretch] if places.baseline[i].event.kind == "kernel"]
        theirs = [i for i in left_c[stretch] if places.candidate[i].event.kind == "kernel"]
        silent_b = [i for i in ours if _silent(places.baseline[i])]
        silent_c = [i for i in theirs if _silent(places.candidate[i])]
        if not ours or not theirs or not (silent_b or silent_c):
            continue
        if (len(theirs) == 1 and silent_c) or (len(ours) == 1 and silent_b):
            joined.append((tuple(ours), tuple(theirs), "position"))
        elif len(ours) == len(theirs):
            joined += [((b,), (c,), "position") for b, c in zip(ours, theirs, strict=True)]
    return joined


def _silent(unit: Unit) -> bool:
    """Say whether nothing tells what a unit does: no operator, no decoded operation, no operators in its name."""
    return not unit.basics and not unit.heavy and not unit.event.decoded.fused_ops
