"""Nesting of CPU slices by time, thread by thread."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kerneldiff.links.model import CpuColumns
from kerneldiff.traces.model import Int64s, Kind, RawTrace

NESTED_KINDS = (Kind.OPERATOR, Kind.ANNOTATION, Kind.RUNTIME)
# Slices that start and end together: the annotation is outside, the runtime call inside.
_DEPTH_OF_KIND = np.zeros(len(Kind), dtype=np.int8)
_DEPTH_OF_KIND[Kind.OPERATOR] = 1
_DEPTH_OF_KIND[Kind.RUNTIME] = 2


def nest(raw: RawTrace) -> CpuColumns:
    """Sort the CPU slices of a trace and find the slice around each; steps are filled later.

    Nesting is by time on the slice's own thread only: autograd launches from a thread of its own
    while the main thread sits in an annotation that encloses those launches in time.
    """
    events = raw.events
    rows = np.flatnonzero(np.isin(events.kind, NESTED_KINDS)).astype(np.int64)
    start = events.start_ns[rows]
    end = start + events.dur_ns[rows]
    track = events.track[rows]
    kind = events.kind[rows]
    order = np.lexsort((rows, _DEPTH_OF_KIND[kind], -end, start, track))
    rows, start, end, track, kind = rows[order], start[order], end[order], track[order], kind[order]
    return CpuColumns(
        row=rows,
        kind=kind,
        name=events.name[rows],
        track=track,
        start_ns=start,
        end_ns=end,
        parent=_parents(track, start, end, kind),
        operator_row=_index_of(rows, raw.operators.row),
        step=np.full(len(rows), -1, dtype=np.int32),
    )


def _index_of(rows: Int64s, table_rows: Int64s) -> Int64s:
    """Give the position of each row in a sparse table's ascending rows, -1 where it is not there."""
    if not len(table_rows):
        return np.full(len(rows), -1, dtype=np.int64)
    at = np.searchsorted(table_rows, rows)
    at[at == len(table_rows)] = 0
    return np.where(table_rows[at] == rows, at, -1).astype(np.int64)


def _parents(track: NDArray[np.int32], start: Int64s, end: Int64s, kind: NDArray[np.uint8]) -> Int64s:
    """Find for each slice the innermost earlier slice that is still open when it starts.

    A runtime call is a leaf: clock rounding makes calls overlap their successors by a tick.
    """
    parents = np.full(len(start), -1, dtype=np.int64)
    borders = [0, *(np.flatnonzero(np.diff(track)) + 1).tolist(), len(start)]
    leaf = int(Kind.RUNTIME)
    for low, high in pairwise(borders):
        found: list[int] = []
        add = found.append
        stack: list[int] = []
        ends: list[int] = []
        columns = zip(start[low:high].tolist(), end[low:high].tolist(), kind[low:high].tolist(), strict=True)
        for index, (begin, stop, what) in enumerate(columns, low):
            # A slice of no length at its parent's end is still inside; one with a length is not.
            while ends and (ends[-1] < begin or (ends[-1] == begin and stop > begin)):
                stack.pop()
                ends.pop()
            add(stack[-1] if stack else -1)
            if what != leaf:
                stack.append(index)
                ends.append(stop)
        parents[low:high] = found
    return parents


def innermost(cpu: CpuColumns, at: Int64s, kind: Kind) -> Int64s:
    """Climb from slices to the nearest slice of a kind, themselves included; -1 where there is none."""
    found = at.copy()
    while True:
        climb = (found >= 0) & (cpu.kind[found] != kind)
        if not climb.any():
            return found
        found[climb] = cpu.parent[found[climb]]


def ancestors(cpu: CpuColumns, index: int) -> list[int]:
    """List a slice and all slices around it, innermost first."""
    chain = []
    while index >= 0:
        chain.append(index)
        index = int(cpu.parent[index])
    return chain
