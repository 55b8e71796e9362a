"""The work of a program that ran on the CPU: its innermost operators and Inductor's generated kernels.

Only for files that say so themselves (``kerneldiff record`` notes the device): in any other file without GPU events
the operators may be launches whose kernels were not recorded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import Final

import numpy as np

from kerneldiff.links.cpu import ancestors
from kerneldiff.links.model import Trace
from kerneldiff.names import KernelName, decode, normalise
from kerneldiff.profiles.events import REGION_PREFIXES, arguments
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.profiles.views import MAY_COPY, VIEWS
from kerneldiff.traces.model import Kind

GENERATED: Final = re.compile(r"(?:graph_\d+_)?(cpp_fused\w*)")
# They allocate, or read one number back: no work of the program.
_NO_WORK: Final = frozenset(
    f"aten::{name}"
    for name in [
        "empty",
        "empty_like",
        "empty_strided",
        "new_empty",
        "new_empty_strided",
        "resize_",
        "set_",
        "item",
        "_local_scalar_dense",
        "is_nonzero",
        "result_type",
        "record_stream",
    ]
)

# One piece of work, whatever they call for it: a product copies its bias into the output first, say.
_WHOLE: Final = frozenset(
    f"aten::{name}"
    for name in """addbmm addmm addmv baddbmm bmm mkldnn_convolution mm mv native_batch_norm native_batch_norm_backward
    native_group_norm native_group_norm_backward native_layer_norm native_layer_norm_backward
    _addmm_activation _embedding_bag _scaled_dot_product_flash_attention_for_cpu
    _scaled_dot_product_flash_attention_for_cpu_backward""".split()
)


def with_cpu_kernels(run: Profile, trace: Trace) -> Profile:
    """Put the CPU's kernels in the place of the GPU's, which this program has none of.

    The steps are grouped and one is chosen as with GPU events: equal lists of names, the largest group, in it the
    lower median by time.
    """
    complete = [index for index, step in enumerate(trace.steps) if step.complete] or list(range(len(trace.steps)))
    working = _working(trace)
    rows = {index: np.flatnonzero(working & (trace.cpu.step == index)) for index in complete}
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index in complete:
        groups[tuple(_short(trace.raw.strings[i]) for i in trace.cpu.name[rows[index]].tolist())].append(index)
    alike = max(groups.values(), key=lambda group: (len(group), group[-1]))
    spent = trace.cpu.end_ns - trace.cpu.start_ns
    ranked = sorted(alike, key=lambda index: (int(spent[rows[index]].sum()), index))
    chosen = ranked[(len(ranked) - 1) // 2]
    count = len(rows[chosen])
    return replace(
        run,
        step_number=trace.steps[chosen].number,
        alike=len(alike),
        events=tuple(_event(trace, row, trace.steps[chosen].start_ns) for row in rows[chosen].tolist()),
        durations=np.stack([spent[rows[index]] for index in alike]).astype(np.int64),
        by_recording=(len(alike),),
        explained=run.explained and replace(run.explained, traffic=(None,) * count),
        notes=tuple(note for note in run.notes if note.code != "gpu-not-recorded"),
    )


def _working(trace: Trace) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which slices do work themselves: no view, nothing that works below them."""
    cpu, strings = trace.cpu, trace.raw.strings
    names = [index for index in np.unique(cpu.name).tolist() if _works(strings[index])]
    works: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.isin(cpu.name, names) & (cpu.kind == Kind.OPERATOR)
    whole = np.isin(cpu.name, [index for index in names if strings[index] in _WHOLE]) & works
    works &= ~_below(trace, whole)
    holds = np.zeros(len(cpu), dtype=np.bool_)
    parents = np.unique(cpu.parent[works])
    while len(parents := parents[parents >= 0]):
        holds[parents] = True
        parents = np.unique(cpu.parent[parents])
    return works & ~holds


def _below(
    trace: Trace, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which slices lie inside a chosen one, at any depth."""
    parent = trace.cpu.parent
    below = np.zeros(len(parent), dtype=np.bool_)
    while True:
        deeper = (parent >= 0) & (chosen | below)[parent] & ~below
        if not deeper.any():
            return below
        below |= deeper


def _works(name: str) -> bool:
    if GENERATED.fullmatch(name):
        return True
    return (
        "::" in name
        and " " not in name
        and not name.startswith("torch::autograd::")
        and name not in VIEWS | MAY_COPY | _NO_WORK
    )


def _short(name: str) -> str:
    """Leave out the number of the graph, which tells the order of compiling in one process."""
    found = GENERATED.fullmatch(name)
    return found[1] if found else name


def _decoded(name: str) -> KernelName:
    """Decode a generated kernel; of an operator only its library is known, by its namespace."""
    if GENERATED.fullmatch(name):
        return decode(name)
    return KernelName(name=name, family="operator", library=name.partition("::")[0])


def _event(trace: Trace, row: int, step_start_ns: int) -> GpuEvent:
    cpu, strings = trace.cpu, trace.raw.strings
    name = strings[int(cpu.name[row])]
    around = [i for i in ancestors(cpu, row)[1:] if cpu.kind[i] == Kind.OPERATOR]
    chain = [
        (i, strings[int(cpu.name[i])]) for i in around if not strings[int(cpu.name[i])].startswith(REGION_PREFIXES)
    ]
    if not GENERATED.fullmatch(name):
        chain = [(row, name), *chain]
    facts = arguments(trace, chain, jit=False) if chain else {}
    return GpuEvent(
        name=name,
        normalised=normalise(_short(name)),
        decoded=_decoded(name),
        kind="cpu_kernel",
        chain=tuple(called for _, called in reversed(chain)),
        call=row,
        start_ns=int(cpu.start_ns[row]) - step_start_ns,
        gpu_ns=int(cpu.end_ns[row] - cpu.start_ns[row]),
        **facts,
    )
