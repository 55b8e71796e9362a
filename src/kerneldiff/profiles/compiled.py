"""Compiled code in a run: lookups, regions, graphs, replays, and what happened inside the window."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kerneldiff.links.calls import call_class
from kerneldiff.links.cpu import ancestors
from kerneldiff.links.model import Trace
from kerneldiff.profiles.cpu_step import COMPILED_GRAPH, common_name
from kerneldiff.profiles.explained import Compiled, Occurrence
from kerneldiff.traces.model import Int64s, Kind

# torch/_dynamo/eval_frame.py and torch/csrc/dynamo name these slices; guards run inside the cache lookup.
_LOOKUPS = frozenset({"TorchDynamo Cache Lookup"})
_PROLOGUES = frozenset({"Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue"})
_REGION = re.compile(r"Torch-Compiled Region: (?P<name>.+)")
_ITEMS = frozenset({"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero"})
_COMPILATION = re.compile(r"_compile\.(<locals>\.)?compile_inner")
_MOST_OCCURRENCES = 50


def compiled_code(trace: Trace, step: int) -> Compiled:
    """Gather the facts; counts and times are of the representative step, occurrences of all recorded steps."""
    here = np.flatnonzero(trace.cpu.step == step).astype(np.int64)
    lookups, prologues = _named(trace, here, _LOOKUPS), _named(trace, here, _PROLOGUES)
    items = _outermost(trace, _named(trace, here, _ITEMS))
    regions = _regions(trace, here)
    strings, names = trace.raw.strings, np.unique(trace.cpu.name).tolist()
    inside = trace.cpu.step >= 0
    compilations = [i for i in names if _COMPILATION.search(strings[i])]
    allocations = [i for i in names if call_class(strings[i]) == "allocate" and "Free" not in strings[i]]
    is_call = trace.cpu.kind == Kind.RUNTIME
    return Compiled(
        lookups=len(lookups),
        lookup_ns=_spent(trace, lookups),
        prologue_ns=_spent(trace, prologues),
        regions=tuple(dict.fromkeys(regions)),
        region_calls=len(regions),
        graphs=len(_graphs(trace, here)),
        replays=int((is_call[here] & np.isin(trace.cpu.name[here], _graph_launches(trace, names))).sum()),
        item_calls=len(items),
        item_ns=_spent(trace, items),
        recompilations=_occurrences(trace, inside & ~is_call & np.isin(trace.cpu.name, compilations)),
        allocations=_occurrences(trace, inside & is_call & np.isin(trace.cpu.name, allocations)),
    )


def _graph_launches(trace: Trace, names: list[int]) -> list[int]:
    return [i for i in names if call_class(trace.raw.strings[i]) == "graph"]


def _named(trace: Trace, here: Int64s, wanted: frozenset[str]) -> Int64s:
    ids = [i for i in np.unique(trace.cpu.name[here]).tolist() if trace.raw.strings[i] in wanted]
    return here[np.isin(trace.cpu.name[here], ids)]


def _outermost(trace: Trace, slices: Int64s) -> Int64s:
    """Leave out slices whose parent is listed too: ``aten::item`` contains ``aten::_local_scalar_dense``."""
    return slices[~np.isin(trace.cpu.parent[slices], slices)]


def _spent(trace: Trace, slices: Int64s) -> int:
    return int((trace.cpu.end_ns[slices] - trace.cpu.start_ns[slices]).sum())


def frames(regions: Sequence[str]) -> tuple[str, ...]:
    """List the frames of compiled regions: a region ``0/1`` is frame 0, compiled again for other inputs.

    Several frames come from graph breaks, or from functions that were compiled one by one; the trace does not tell which.

    >>> frames(["0/0", "0/1", "1/0"])
    ('0', '1')
    """
    return tuple(dict.fromkeys(region.partition("/")[0] for region in regions))


def _regions(trace: Trace, here: Int64s) -> list[str]:
    strings = trace.raw.strings
    found = {i: m["name"] for i in np.unique(trace.cpu.name[here]).tolist() if (m := _REGION.fullmatch(strings[i]))}
    return [found[name] for name in trace.cpu.name[here].tolist() if name in found]


def _graphs(trace: Trace, here: Int64s) -> Int64s:
    names = trace.cpu.name[here]
    ids = [i for i in np.unique(names).tolist() if common_name(trace.raw.strings[i]) == COMPILED_GRAPH]
    return here[np.isin(names, ids)]


def _occurrences(trace: Trace, wanted: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[Occurrence, ...]:
    cpu, strings = trace.cpu, trace.raw.strings
    found = np.flatnonzero(wanted)
    if len(found) > _MOST_OCCURRENCES:  # the longest are the ones that matter
        longest = np.argsort(cpu.end_ns[found] - cpu.start_ns[found], kind="stable")[-_MOST_OCCURRENCES:]
        found = np.sort(found[longest])
    return tuple(
        Occurrence(
            name=strings[int(cpu.name[index])],
            step=trace.steps[int(cpu.step[index])].number,
            ns=int(cpu.end_ns[index] - cpu.start_ns[index]),
            chain=tuple(
                strings[int(cpu.name[i])] for i in reversed(ancestors(cpu, index)[1:]) if cpu.kind[i] == Kind.OPERATOR
            ),
        )
        for index in found.tolist()
    )
