"""Whether the CPU or the GPU sets the pace of the profiled run."""

from __future__ import annotations

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.profiles.model import Bound, StepSamples
from kerneldiff.profiles.representative import members
from kerneldiff.traces.model import Int64s

GPU_BOUND_SHARE = 0.9
CPU_BOUND_SHARE = 0.75


def bound(trace: Trace, step: int, samples: StepSamples) -> Bound:
    """Say what sets the pace: ``gpu`` from a busy share of 0.9, ``cpu`` up to 0.75 with late launches.

    The share is GPU busy time over step time, at the median of the complete steps; a launch is late
    when its call began after the GPU had run out of work.
    """
    if not len(samples.gpu_busy_ns) or not len(samples.step_ns):
        return "unknown"
    step_ns = float(np.median(samples.step_ns))
    if step_ns <= 0:
        return "unknown"
    share = float(np.median(samples.gpu_busy_ns)) / step_ns
    if share >= GPU_BOUND_SHARE:
        return "gpu"
    if share <= CPU_BOUND_SHARE and _launches_late(trace, members(trace, step)):
        return "cpu"
    return "unknown"


def _launches_late(trace: Trace, rows: Int64s) -> bool:
    """Tell whether most idle time of a step's GPU ended with an event whose launch came after the idling began."""
    gpu, cpu = trace.gpu, trace.cpu
    rows = rows[gpu.launch[rows] >= 0]
    rows = rows[np.argsort(gpu.start_ns[rows], kind="stable")]
    if not len(rows):
        return False
    start = gpu.start_ns[rows]
    done = np.maximum.accumulate(start + gpu.longest_ns[rows])
    # What came before the step's first event counts: it waited for its launch or for the step before.
    before = gpu.start_ns + gpu.longest_ns
    earlier = before[before <= start[0]]
    idle_from = np.concatenate([[earlier.max() if len(earlier) else start[0]], done[:-1]])
    idle = np.maximum(0, start - idle_from)
    late = cpu.end_ns[gpu.launch[rows]] >= idle_from
    total = int(idle.sum())
    return total > 0 and int(idle[late].sum()) >= total / 2
