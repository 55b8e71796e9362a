"""The CPU side of the representative step as slices on a time axis, for a picture."""

from __future__ import annotations

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.profiles.model import Lanes
from kerneldiff.traces.model import Int64s, Kind

MOST_SLICES = 6_000


def step_lanes(trace: Trace, step: int) -> Lanes | None:
    """Gather the CPU slices that start in a step; None where there are none.

    Of a step with very many, the longest are kept and the rest is counted: what is left out is too short to be seen.
    """
    cpu = trace.cpu
    depths = _depths(trace)
    here = np.flatnonzero((cpu.step == step) & (cpu.end_ns > cpu.start_ns))
    if not len(here):
        return None
    kept = here
    if len(here) > MOST_SLICES:
        longest = np.argsort(cpu.start_ns[here] - cpu.end_ns[here], kind="stable")[:MOST_SLICES]
        kept = here[np.sort(longest)]
    ids, name = np.unique(cpu.name[kept], return_inverse=True)
    _, track = np.unique(cpu.track[kept], return_inverse=True)
    return Lanes(
        names=tuple(trace.raw.strings[int(one)] for one in ids.tolist()),
        name=name.astype(np.int64),
        start_ns=cpu.start_ns[kept] - trace.steps[step].start_ns,
        dur_ns=cpu.end_ns[kept] - cpu.start_ns[kept],
        depth=_from_zero(depths[kept], track),
        track=track.astype(np.int64),
        runtime=cpu.kind[kept] == Kind.RUNTIME,
        left_out=len(here) - len(kept),
    )


def _depths(trace: Trace) -> Int64s:
    """Count the slices around each one; a parent always stands before its children."""
    parents = trace.cpu.parent
    depths = np.zeros(len(parents), dtype=np.int64)
    level = np.flatnonzero(parents >= 0)
    at = parents[level]
    while len(level):
        depths[level] += 1
        at = parents[at]
        level, at = level[at >= 0], at[at >= 0]
    return depths


def _from_zero(depths: Int64s, track: Int64s) -> Int64s:
    """Let the outermost kept slice of each thread stand at depth 0."""
    least = np.full(int(track.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(least, track, depths)
    shifted: Int64s = depths - least[track]
    return shifted
