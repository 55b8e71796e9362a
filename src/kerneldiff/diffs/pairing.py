"""From two event lists to groups of units that do the same work: which belong together, not yet how they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kerneldiff.diffs.align import align, identity_key
from kerneldiff.diffs.leftovers import join_leftovers, sizes_agree
from kerneldiff.diffs.model import Confidence
from kerneldiff.diffs.operators import GENERIC
from kerneldiff.diffs.units import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Units of both sides that do the same work, as indices into the unit lists; one side may be empty."""

    baseline: tuple[int, ...]
    candidate: tuple[int, ...]
    confidence: Confidence


def pair(baseline: Sequence[Unit], candidate: Sequence[Unit]) -> list[Group]:
    """Put every unit of both sides into exactly one group.

    Where several pairings are equally good, the choice must not depend on which side is called the baseline: the
    work is done in a fixed orientation, and mirrored.
    """
    if _orientation(candidate) < _orientation(baseline):
        return [
            replace(group, baseline=group.candidate, candidate=group.baseline) for group in _pair(candidate, baseline)
        ]
    return _pair(baseline, candidate)


def _orientation(units: Sequence[Unit]) -> tuple[int, list[str]]:
    return len(units), [repr((*identity_key(unit), unit.event.code_hash, unit.event.chain)) for unit in units]


def _pair(baseline: Sequence[Unit], candidate: Sequence[Unit]) -> list[Group]:
    pairs = _exchange(align(baseline, candidate), baseline, candidate)
    groups = [Group(baseline=(b,), candidate=(c,), confidence=_confidence(baseline[b], candidate[c])) for b, c in pairs]
    joined = join_leftovers(baseline, candidate, pairs)
    groups += [Group(baseline=b, candidate=c, confidence=how) for b, c, how in joined]
    groups = _second_passes(groups, baseline, candidate)
    groups = _surround(groups, baseline, candidate)
    groups = _absorb(groups, baseline, candidate)
    seen_b = {index for group in groups for index in group.baseline}
    seen_c = {index for group in groups for index in group.candidate}
    groups += [Group(baseline=(i,), candidate=(), confidence="proved") for i in range(len(baseline)) if i not in seen_b]
    groups += [
        Group(baseline=(), candidate=(i,), confidence="proved") for i in range(len(candidate)) if i not in seen_c
    ]
    return groups


def _confidence(one: Unit, other: Unit) -> Confidence:
    return "proved" if one.event.normalised == other.event.normalised else "inferred"


def _exchange(
    pairs: list[tuple[int, int]], baseline: Sequence[Unit], candidate: Sequence[Unit]
) -> list[tuple[int, int]]:
    """Give heavy kernels their identical partner even where it runs in another order.

    Alignment keeps the order, so two products that changed places are left over or paired with whatever stands
    in their place. Identity goes first; partners that lose theirs this way are paired anew in order.
    """
    weak = {(b, c) for b, c in pairs if baseline[b].event.normalised != candidate[c].event.normalised}
    taken_b, taken_c = {b for b, _ in pairs}, {c for _, c in pairs}
    free_b = [b for b in range(len(baseline)) if baseline[b].heavy and b not in taken_b] + [b for b, _ in weak]
    free_c = [c for c in range(len(candidate)) if candidate[c].heavy and c not in taken_c] + [c for _, c in weak]
    waiting: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for c in sorted(free_c):
        waiting[_exact(candidate[c])].append(c)
    found = [(b, waiting[key].pop(0)) for b in sorted(free_b) if waiting.get(key := _exact(baseline[b]))]
    if not found:
        return pairs
    gone_b, gone_c = {b for b, _ in found}, {c for _, c in found}
    kept = [(b, c) for b, c in pairs if b not in gone_b and c not in gone_c]
    widowed_b = [b for b, c in pairs if c in gone_c and b not in gone_b]
    widowed_c = [c for b, c in pairs if b in gone_b and c not in gone_c]
    again = align([baseline[b] for b in widowed_b], [candidate[c] for c in widowed_c])
    return sorted(kept + found + [(widowed_b[i], widowed_c[j]) for i, j in again])


def _exact(unit: Unit) -> tuple[object, ...]:
    return (*identity_key(unit), unit.event.code_hash)


def _second_passes(groups: list[Group], baseline: Sequence[Unit], candidate: Sequence[Unit]) -> list[Group]:
    """Put the second pass of a generated reduction with its first.

    Inductor splits a large reduction into two kernels that list the same operators, one right behind the other.
    """
    used_b = {index for group in groups for index in group.baseline}
    used_c = {index for group in groups for index in group.candidate}
    found = []
    for group in groups:
        more_b = [i + 1 for i in group.baseline if i + 1 not in used_b and _is_second_pass(baseline, i + 1)]
        more_c = [i + 1 for i in group.candidate if i + 1 not in used_c and _is_second_pass(candidate, i + 1)]
        wider = (tuple(sorted((*group.baseline, *more_b))), tuple(sorted((*group.candidate, *more_c))))
        found.append(replace(group, baseline=wider[0], candidate=wider[1]) if more_b or more_c else group)
    return found


def _is_second_pass(units: Sequence[Unit], index: int) -> bool:
    if index >= len(units):
        return False
    first, second = units[index - 1].event.decoded, units[index].event.decoded
    reductions = ("reduction", "persistent_reduction")
    return first.op in reductions and second.op in reductions and set(first.fused_ops) == set(second.fused_ops)


def _surround(groups: list[Group], baseline: Sequence[Unit], candidate: Sequence[Unit]) -> list[Group]:
    """Put left-over copies next to the parts of a heavy operation with them.

    Where one attention kernel became several (or several became one), the casts and layout copies directly before and
    after the parts exist for their sake; no operator name says so.
    """
    used_b = {index for group in groups for index in group.baseline}
    used_c = {index for group in groups for index in group.candidate}
    found = []
    for group in groups:
        ours = [baseline[index] for index in group.baseline]
        theirs = [candidate[index] for index in group.candidate]
        more_b = _beside(baseline, group.baseline, used_b) if len(ours) > 1 and any(u.heavy for u in theirs) else ()
        more_c = _beside(candidate, group.candidate, used_c) if len(theirs) > 1 and any(u.heavy for u in ours) else ()
        used_b.update(more_b)
        used_c.update(more_c)
        wider = ((*group.baseline, *more_b), (*group.candidate, *more_c))
        found.append(replace(group, baseline=tuple(sorted(wider[0])), candidate=tuple(sorted(wider[1]))))
    return found


def _beside(units: Sequence[Unit], members: Sequence[int], used: set[int]) -> tuple[int, ...]:
    """List the unused units of generic operators that stand right beside some units of a group."""
    found: set[int] = set()
    for member in members:
        for step in (-1, 1):
            at = member + step
            while 0 <= at < len(units) and at not in used and units[at].basics <= GENERIC:
                if units[at].event.kind != "kernel" or not any(
                    sizes_agree(units[at].event, units[index].event) for index in members
                ):
                    break
                found.add(at)
                at += step
    return tuple(sorted(found))


def _absorb(groups: list[Group], baseline: Sequence[Unit], candidate: Sequence[Unit]) -> list[Group]:
    """Put a left-over elementwise unit into the heavy kernel that does its work now.

    A product and a separate addition become one product with the bias in its epilogue: the operator of the
    left-over unit is among those of the other side's heavy kernel, and not among those of its own side's. A kernel
    that is the very same on both sides did not take over anything.
    """
    used_b = {index for group in groups for index in group.baseline}
    used_c = {index for group in groups for index in group.candidate}
    found = []
    for group in groups:
        if len(group.baseline) != 1 or len(group.candidate) != 1:
            found.append(group)
            continue
        one, other = baseline[group.baseline[0]], candidate[group.candidate[0]]
        if not one.heavy or one.event.normalised == other.event.normalised:
            found.append(group)
            continue
        more_b = _follower(baseline, group.baseline[0], used_b, _taken_over(other, one, candidate))
        more_c = _follower(candidate, group.candidate[0], used_c, _taken_over(one, other, baseline))
        used_b.update(more_b)
        used_c.update(more_c)
        found.append(
            replace(
                group,
                baseline=(*group.baseline, *more_b),
                candidate=(*group.candidate, *more_c),
                confidence="inferred" if more_b or more_c else group.confidence,
            )
        )
    return found


def _taken_over(wider: Unit, narrower: Unit, units: Sequence[Unit]) -> frozenset[str]:
    """Give the operations that one heavy kernel does in its epilogue and the other does not.

    A product that accumulates on an addend which its own operator call copied into the output took no addition over:
    the addition became a copy (``addmm`` with a matrix).
    """
    more = wider.basics - narrower.basics
    copied = any(
        unit.event.call == wider.event.call and unit.event.call >= 0 and unit.basics == {"copy"} for unit in units
    )
    return more - {"add"} if copied else more


def _follower(units: Sequence[Unit], heavy: int, used: set[int], taken_over: frozenset[str]) -> tuple[int, ...]:
    """List the unused elementwise units right behind a heavy kernel whose operations it could have taken over."""
    follow = []
    for index in range(heavy + 1, len(units)):
        unit = units[index]
        done = unit.basics - {"copy"}  # the copy that the kernel makes of the result besides
        if unit.heavy or index in used or not done or not done <= taken_over:
            break
        if unit.event.kind != "kernel":
            break
        follow.append(index)
    return tuple(follow)
