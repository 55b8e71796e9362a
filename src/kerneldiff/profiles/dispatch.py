"""The CPU operators of a step: calls, own time, launches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kerneldiff.links.model import Trace
from kerneldiff.profiles.cpu_step import COMPILED_GRAPH
from kerneldiff.profiles.model import OperatorStat
from kerneldiff.traces.model import Int64s, Kind


def operator_stats(trace: Trace, step: int) -> tuple[OperatorStat, ...]:
    """Count the operators of a step by name, in order of their first call.

    Own time is the duration less that of operators directly inside, so that the own times of a thread
    add up to the time spent in operators. The call of a compiled graph, which the profiler writes as an
    annotation, is one of the compiler's operators; its name without the graph's hash counts.
    """
    cpu, gpu = trace.cpu, trace.gpu
    graphs = _compiled_graphs(trace)
    here = np.flatnonzero((cpu.step == step) & ((cpu.kind == Kind.OPERATOR) | graphs))
    if not len(here):
        return ()
    own = own_times(trace, graphs)[here]
    launched = gpu.operator[(gpu.step == step) & (gpu.operator >= 0) & ~gpu.replayed]
    launches = np.bincount(launched, minlength=len(cpu))[here]
    of_graph = len(trace.raw.strings)  # one place behind the last name
    labels = np.where(graphs[here], of_graph, cpu.name[here])
    names, place, inverse = np.unique(labels, return_index=True, return_inverse=True)
    calls = np.bincount(inverse)
    spent = np.bincount(inverse, weights=own).astype(np.int64)
    started = np.bincount(inverse, weights=launches).astype(np.int64)
    first = cpu.start_ns[here[place]]
    return tuple(
        OperatorStat(
            operator=COMPILED_GRAPH if names[i] == of_graph else trace.raw.strings[int(names[i])],
            calls=int(calls[i]),
            own_ns=int(spent[i]),
            launches=int(started[i]),
        )
        for i in np.lexsort((names, first)).tolist()
    )


def _compiled_graphs(trace: Trace) -> NDArray[np.bool_]:
    """Tell which CPU slices are calls of a compiled graph."""
    named = [i for i, text in enumerate(trace.raw.strings) if text.startswith("## Call CompiledFxGraph")]
    graphs: NDArray[np.bool_] = np.isin(trace.cpu.name, named) & (trace.cpu.kind == Kind.ANNOTATION)
    return graphs


def own_times(trace: Trace, graphs: NDArray[np.bool_]) -> Int64s:
    """Give each CPU slice's duration less that of the operators whose nearest operator it is."""
    cpu = trace.cpu
    duration = cpu.end_ns - cpu.start_ns
    own = duration.copy()
    counts = (cpu.kind == Kind.OPERATOR) | graphs
    operators = np.flatnonzero(counts)
    around = cpu.parent[operators]
    while True:  # annotations between two operators hide nothing
        climb = (around >= 0) & ~counts[around]
        if not climb.any():
            break
        around[climb] = cpu.parent[around[climb]]
    inside = around >= 0
    np.subtract.at(own, around[inside], duration[operators[inside]])
    result: Int64s = np.maximum(own, 0)
    return result
