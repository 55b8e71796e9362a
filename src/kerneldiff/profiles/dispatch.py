"""The CPU operators of a step: calls, own time, launches."""

from __future__ import annotations

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.profiles.model import OperatorStat
from kerneldiff.traces.model import Int64s, Kind


def operator_stats(trace: Trace, step: int) -> tuple[OperatorStat, ...]:
    """Count the operators of a step by name, in order of their first call.

    Own time is the duration less that of operators directly inside, so that the own times of a thread
    add up to the time spent in operators.
    """
    cpu, gpu = trace.cpu, trace.gpu
    here = np.flatnonzero((cpu.step == step) & (cpu.kind == Kind.OPERATOR))
    if not len(here):
        return ()
    own = own_times(trace)[here]
    launched = gpu.operator[(gpu.step == step) & (gpu.operator >= 0) & ~gpu.replayed]
    launches = np.bincount(launched, minlength=len(cpu))[here]
    names, place, inverse = np.unique(cpu.name[here], return_index=True, return_inverse=True)
    calls = np.bincount(inverse)
    spent = np.bincount(inverse, weights=own).astype(np.int64)
    started = np.bincount(inverse, weights=launches).astype(np.int64)
    first = cpu.start_ns[here[place]]
    return tuple(
        OperatorStat(
            operator=trace.raw.strings[int(names[i])],
            calls=int(calls[i]),
            own_ns=int(spent[i]),
            launches=int(started[i]),
        )
        for i in np.lexsort((names, first)).tolist()
    )


def own_times(trace: Trace) -> Int64s:
    """Give each CPU slice's duration less that of the operators whose nearest operator it is."""
    cpu = trace.cpu
    duration = cpu.end_ns - cpu.start_ns
    own = duration.copy()
    operators = np.flatnonzero(cpu.kind == Kind.OPERATOR)
    around = cpu.parent[operators]
    while True:  # annotations between two operators hide nothing
        climb = (around >= 0) & (cpu.kind[around] != Kind.OPERATOR)
        if not climb.any():
            break
        around[climb] = cpu.parent[around[climb]]
    inside = around >= 0
    np.subtract.at(own, around[inside], duration[operators[inside]])
    result: Int64s = np.maximum(own, 0)
    return result
