"""Puts the explanation of one run's representative step together."""

from __future__ import annotations

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.profiles.chains import dispatch_tree
from kerneldiff.profiles.compiled import compiled_code
from kerneldiff.profiles.cpu_step import cpu_step
from kerneldiff.profiles.epilogues import epilogues
from kerneldiff.profiles.explained import Explained
from kerneldiff.profiles.gaps import pace
from kerneldiff.profiles.model import GpuEvent, StepSamples
from kerneldiff.profiles.own_time import step_own_times
from kerneldiff.profiles.traffic import step_traffic
from kerneldiff.profiles.views import view_stats
from kerneldiff.traces.model import Int64s


def explain(trace: Trace, step: int, rows: Int64s, events: tuple[GpuEvent, ...], samples: StepSamples) -> Explained:
    """Explain one step.

    Args:
        trace: a linked trace.
        step: index of the step.
        rows: its GPU events, as indices into ``trace.gpu``.
        events: the same as values.
        samples: of all complete steps, for the medians.
    """
    times = step_own_times(trace, step)
    traffic = step_traffic(trace, rows, events)
    return Explained(
        cpu=cpu_step(trace, step),
        nodes=dispatch_tree(trace, times, rows, events),
        views=view_stats(trace, times),
        epilogues=epilogues(events, traffic),
        traffic=traffic,
        pace=pace(trace, step, rows, samples),
        compiled=compiled_code(trace, step),
        step_lengths_ns=np.array([one.end_ns - one.start_ns for one in trace.steps], dtype=np.int64),
    )
