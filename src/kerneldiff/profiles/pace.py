"""Whether the CPU or the GPU sets the pace of a run."""

from __future__ import annotations

from kerneldiff.profiles.explained import Pace
from kerneldiff.profiles.model import Bound

GPU_BOUND_SHARE = 0.9
CPU_BOUND_SHARE = 0.75
# Gaps in which the GPU waited for the CPU.
_LATE = frozenset({"late-launch", "synchronisation", "copy"})


def bound(pace: Pace | None) -> Bound:
    """Say what set the pace of the profiled run.

    ``gpu`` from a busy share of 0.9; ``cpu`` up to 0.75 when most idle time of the GPU ended with an event whose
    launch came after the idling began; else ``unknown``, and so without step times.
    """
    if pace is None or pace.busy_share is None:
        return "unknown"
    if pace.busy_share >= GPU_BOUND_SHARE:
        return "gpu"
    late = sum(ns for cause, ns in pace.gap_ns if cause in _LATE)
    if pace.busy_share <= CPU_BOUND_SHARE and late > 0 and late * 2 >= pace.idle_ns:
        return "cpu"
    return "unknown"
