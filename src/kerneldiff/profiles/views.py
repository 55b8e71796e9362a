"""Operators that only rewrote metadata: which, how often, how long on the CPU, and why one may say so."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.profiles.explained import ViewChange, ViewStat
from kerneldiff.profiles.own_time import OwnTimes
from kerneldiff.profiles.shapes import parse_dims
from kerneldiff.traces.model import Int64s, Kind

# Operators that return a view of their input, by PyTorch's list (docs/source/tensor_view.rst) and the aliasing
# marks of native_functions.yaml; _unsafe_view and _reshape_alias are their forms inside the dispatcher.
VIEWS: Final = frozenset(
    f"aten::{name}"
    for name in [
        "_reshape_alias", "_unsafe_view", "adjoint", "alias", "as_strided", "as_strided_", "chunk", "detach",
        "detach_", "diagonal", "expand", "expand_as", "hsplit", "vsplit", "dsplit", "tensor_split", "imag",
        "indices", "real", "lift_fresh", "mH", "mT", "matrix_H", "movedim", "moveaxis", "narrow", "numpy_T",
        "permute", "select", "slice", "split", "split_with_sizes", "squeeze", "squeeze_", "swapaxes", "swapdims",
        "t", "t_", "transpose", "transpose_", "unbind", "unflatten", "unfold", "unsafe_chunk", "unsafe_split",
        "unsqueeze", "unsqueeze_", "values", "view", "view_as", "view_as_complex", "view_as_real", "broadcast_to",
    ]
)  # fmt: skip
# These return their input or a view of it where they can, and copy where they cannot (same sources).
MAY_COPY: Final = frozenset(
    f"aten::{name}"
    for name in [
        "reshape", "reshape_as", "contiguous", "to", "flatten", "ravel", "type_as", "resolve_conj", "resolve_neg",
        "atleast_1d", "atleast_2d", "atleast_3d",
    ]
)  # fmt: skip


def view_stats(trace: Trace, times: OwnTimes) -> tuple[ViewStat, ...]:
    """List the operators of a step that rewrote metadata only, in order of their first call.

    ``times`` are the own times of the step's slices. A call counts when its operator is listed by PyTorch as a view, or as one that may be, and when no GPU event
    was launched by it or anything below it.
    """
    cpu, raw = trace.cpu, trace.raw
    names = {i: raw.strings[i] for i in np.unique(cpu.name).tolist() if raw.strings[i] in VIEWS | MAY_COPY}
    slices, own = times.slices, times.own_ns
    wanted = np.isin(cpu.name[slices], list(names)) & (cpu.kind[slices] == Kind.OPERATOR)
    if not wanted.any():
        return ()
    busy = _launching(trace)
    groups: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for index, ns in zip(slices[wanted].tolist(), own[wanted].tolist(), strict=True):
        groups[names[int(cpu.name[index])]].append((index, ns))
    sizes = _sizes(trace, slices)
    return tuple(_stat(name, calls, busy, sizes) for name, calls in groups.items())


def _launching(trace: Trace) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which CPU slices have a GPU event at or below them."""
    cpu = trace.cpu
    busy = np.zeros(len(cpu), dtype=np.bool_)
    at = np.unique(trace.gpu.launch[trace.gpu.launch >= 0])
    while len(at):
        busy[at] = True
        at = np.unique(cpu.parent[at])
        at = at[at >= 0]
        at = at[~busy[at]]
    return busy


def _stat(
    name: str,
    calls: list[tuple[int, int]],
    busy: np.ndarray[tuple[int], np.dtype[np.bool_]],
    sizes: dict[int, tuple[str, str]],
) -> ViewStat:
    quiet = [(index, ns) for index, ns in calls if not busy[index]]
    known = Counter(sizes[index] for index, _ in quiet if index in sizes)
    listed = (
        "PyTorch lists it as a view" if name in VIEWS else "it may return a view, and copied nothing in these calls"
    )
    return ViewStat(
        operator=name,
        calls=len(quiet),
        own_ns=sum(ns for _, ns in quiet),
        copied=len(calls) - len(quiet),
        proof=f"no GPU event at or below {'it' if len(quiet) == 1 else 'them'}, and {listed}",
        changes=tuple(ViewChange(before=pair[0], after=pair[1], calls=times) for pair, times in known.most_common()),
    )


def _sizes(trace: Trace, slices: Int64s) -> dict[int, tuple[str, str]]:
    """Find sizes and strides before and after.

    An ``as_strided`` has both, and speaks for the operators around it; a ``view`` or a ``reshape`` says the sizes
    that were asked for.
    """
    cpu, raw = trace.cpu, trace.raw
    found: dict[int, tuple[str, str]] = {}
    names = {i: raw.strings[i] for i in np.unique(cpu.name[slices]).tolist() if raw.strings[i] in _TELLING}
    for index in slices[np.isin(cpu.name[slices], list(names)) & (cpu.operator_row[slices] >= 0)].tolist():
        strided = names[int(cpu.name[index])] == "aten::as_strided"
        pair = _before_after(trace, int(cpu.operator_row[index]), strided=strided)
        at = index
        while pair is not None and at >= 0 and raw.strings[int(cpu.name[at])] in VIEWS | MAY_COPY:
            found[at] = pair
            at = int(cpu.parent[at])
    return found


_TELLING: Final = frozenset({"aten::as_strided", "aten::view", "aten::_unsafe_view", "aten::_reshape_alias"})


def _before_after(trace: Trace, row: int, *, strided: bool) -> tuple[str, str] | None:
    raw, operators = trace.raw, trace.raw.operators
    dims, strides = raw.text(int(operators.input_dims[row])), raw.text(int(operators.input_strides[row]))
    concrete = raw.text(int(operators.concrete_inputs[row]))
    if dims is None or strides is None or concrete is None:
        return None
    return _as_text(dims, strides, concrete, strided=strided)


@lru_cache(maxsize=4096)
def _as_text(dims: str, strides: str, concrete: str, *, strided: bool) -> tuple[str, str] | None:
    sizes, steps = parse_dims(dims), parse_dims(strides)
    try:
        given = msgspec.json.decode(concrete)
    except (msgspec.DecodeError, RecursionError):
        return None
    wanted = given[1 : 3 if strided else 2] if isinstance(given, list) else []
    if not sizes or not steps or len(wanted) != (2 if strided else 1) or not all(_is_list(one) for one in wanted):
        return None
    return f"{list(sizes[0] or ())} strides {list(steps[0] or ())}", " strides ".join(wanted)


def _is_list(text: object) -> bool:
    return isinstance(text, str) and text.startswith("[")
