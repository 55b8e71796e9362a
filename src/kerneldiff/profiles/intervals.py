"""Unions of time intervals."""

from __future__ import annotations

import numpy as np

from kerneldiff.traces.model import Int64s


def merge(start: Int64s, end: Int64s) -> tuple[Int64s, Int64s]:
    """Merge intervals into disjoint ones in order; shape (n,) in, (m,) out, m <= n."""
    if not len(start):
        return start, end
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order])
    first = np.concatenate([[True], start[1:] > reach[:-1]])
    last = np.concatenate([first[1:], [True]])
    return start[first], reach[last]


def length(start: Int64s, end: Int64s) -> int:
    """Give the length of the union of intervals."""
    low, high = merge(start, end)
    return int((high - low).sum())


def length_without(start: Int64s, end: Int64s, hole_start: Int64s, hole_end: Int64s) -> int:
    """Give the length of a union less the part that a second union covers."""
    # |A \\ B| = |A u B| - |B|
    both = length(np.concatenate([start, hole_start]), np.concatenate([end, hole_end]))
    return both - length(hole_start, hole_end)
