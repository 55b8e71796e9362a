"""HBM traffic that a fusion saves, or that a split adds, from shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kerneldiff.diffs.model import Match
from kerneldiff.profiles.explained import Traffic
from kerneldiff.profiles.generated import PERHAPS_IN_PLACE
from kerneldiff.profiles.model import Profile


def with_savings(matches: Sequence[Match], baseline: Profile, candidate: Profile) -> tuple[Match, ...]:
    """Fill ``bytes_saved`` of fusions and splits; a split saves a negative amount."""
    return tuple(
        replace(match, bytes_saved=bytes_saved(match, baseline, candidate))
        if match.relation in ("fused", "split")
        else match
        for match in matches
    )


def bytes_saved(match: Match, baseline: Profile, candidate: Profile) -> int | None:
    """Give the compulsory traffic that the candidate no longer has; None where shapes do not tell.

    Where both sides' traffic is known it is the difference (the smaller of both figures where the one kernel may write
    in place, which is not known). Where only the side with more kernels has shapes it is
    what its intermediates cost: each is written by one kernel of the group and read back by another.
    """
    ours, theirs = _traffic(baseline, match.baseline), _traffic(candidate, match.candidate)
    many, few, sign = (ours, theirs, 1) if match.relation == "fused" else (theirs, ours, -1)
    if many is not None and few is not None:
        difference = sum(one.total_bytes for one in many) - sum(one.total_bytes for one in few)
        if any(PERHAPS_IN_PLACE in one.assumptions for one in few):
            difference = min(difference, intermediate_bytes(many))
        return sign * difference
    return None if many is None else sign * intermediate_bytes(many)


def _traffic(run: Profile, members: Sequence[int]) -> list[Traffic] | None:
    """List the traffic of a group's events in launch order; None where a kernel that does work has none."""
    found = []
    for index in members:
        event, moved = run.events[index], run.traffic[index]
        if moved is not None:
            found.append(moved)
        elif not event.decoded.auxiliary:
            return None
    return found or None


def intermediate_bytes(group: Sequence[Traffic]) -> int:
    """Give the bytes of results that later members of a group read: written once, and read as often as they are.

    A kernel reads no more of them than there are: its other arguments of the same size come from elsewhere.
    """
    results: Counter[tuple[int, str]] = Counter()
    used: Counter[tuple[int, str]] = Counter()
    saved = 0
    for moved in group:
        sizes = {(tensor.elements, tensor.dtype): tensor.size_bytes for tensor in moved.reads}
        read = Counter((tensor.elements, tensor.dtype) for tensor in moved.reads)
        for key, size in sizes.items():
            known = min(read[key], results[key])
            fresh = max(0, known - used[key])
            saved += (known + fresh) * size
            used[key] += fresh
        results.update((tensor.elements, tensor.dtype) for tensor in moved.writes)
    return saved
