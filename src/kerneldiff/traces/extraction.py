"""Decoded arguments to batches of columns, one function per sparse table.

List comprehensions over one attribute are the fastest way from objects to columns in CPython: attrgetter with map, and
astuple with zip, were measured and are not better.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kerneldiff.traces.interning import Dim3Ids, JsonIds, StringIds
from kerneldiff.traces.model import MISSING, Int64s
from kerneldiff.traces.structs import Args, texts_of
from kerneldiff.traces.tables import Batch, int32s, int64s

DEVICE_COLUMNS: Final = {
    "row": "int64",
    "correlation": "int64",
    "device": "int32",
    "stream": "int64",
    "context": "int32",
    "queue": "int32",
    "registers": "int32",
    "shared_memory": "int32",
    "grid": "int32",
    "block": "int32",
    "size_bytes": "int64",
    "graph_id": "int64",
    "graph_node": "int64",
    "collective": "int32",
}
RUNTIME_COLUMNS: Final = {
    "row": "int64",
    "correlation": "int64",
    "grid": "int32",
    "block": "int32",
    "size_bytes": "int64",
}
OPERATOR_COLUMNS: Final = {
    "row": "int64",
    "sequence": "int64",
    "forward_thread": "int64",
    "input_dims": "int32",
    "input_types": "int32",
    "input_strides": "int32",
    "concrete_inputs": "int32",
    "num_warps": "int32",
    "num_stages": "int32",
    "kernel_kwargs": "int32",
    "kernel_backend": "int32",
    "kernel_file": "int32",
    "kernel_hash": "int32",
    "kernel_name": "int32",
    "collective": "int32",
}
PYTHON_COLUMNS: Final = {"row": "int64", "python_id": "int64", "parent_id": "int64", "module_id": "int64"}
SYNC_COLUMNS: Final = {
    "row": "int64",
    "correlation": "int64",
    "sync_kind": "int32",
    "device": "int32",
    "stream": "int64",
    "wait_on_stream": "int64",
    "wait_on_event": "int64",
    "wait_on_correlation": "int64",
}


class Interner:
    """The tables that all batches of one file share."""

    def __init__(self) -> None:
        self.strings = StringIds()
        self.json = JsonIds(self.strings)
        self.dims = Dim3Ids()


def device_batch(rows: Int64s, args: list[Args], interner: Interner) -> Batch:
    """Return the rows of the device table."""
    dims = interner.dims
    batch: dict[str, NDArray[Any]] = {
        "row": rows,
        "correlation": int64s([a.correlation for a in args]),
        "device": int32s([a.device for a in args]),
        "stream": int64s([v if type(v := a.stream) is int else number(v) for a in args]),
        "context": int32s([a.context for a in args]),
        "registers": int32s([a.registers for a in args]),
        "shared_memory": int32s([a.shared_memory for a in args]),
        "grid": int32s([dims[text] for text in texts_of([a.grid for a in args])]),
        "block": int32s([dims[text] for text in texts_of([a.block for a in args])]),
        "size_bytes": sizes(args),
    }
    rare = [
        index
        for index, a in enumerate(args)
        if a.queue is not None or a.collective_name is not None or a.graph_id != MISSING or a.graph_node != MISSING
    ]
    return batch | spread(rare, rare_device_columns([args[index] for index in rare], interner), len(args))


def rare_device_columns(args: list[Args], interner: Interner) -> Batch:
    """Return the columns of queues, graph replays and collectives."""
    strings = interner.strings
    return {
        "queue": int32s([strings[None if a.queue is None else str(a.queue)] for a in args]),
        "graph_id": int64s([a.graph_id for a in args]),
        "graph_node": int64s([a.graph_node for a in args]),
        "collective": int32s([strings[collective(a)] for a in args]),
    }


def runtime_batch(rows: Int64s, args: list[Args], interner: Interner) -> Batch:
    """Return the rows of the runtime table."""
    dims = interner.dims
    return {
        "row": rows,
        "correlation": int64s([a.correlation for a in args]),
        "grid": int32s([dims[text] for text in texts_of([a.grid for a in args])]),
        "block": int32s([dims[text] for text in texts_of([a.block for a in args])]),
        "size_bytes": sizes(args),
    }


def operator_batch(rows: Int64s, args: list[Args], interner: Interner) -> Batch:
    """Return the rows of the operator table: those with any of its arguments."""
    json = interner.json
    batch: dict[str, NDArray[Any]] = {
        "sequence": int64s([a.sequence for a in args]),
        "forward_thread": int64s([a.forward_thread for a in args]),
        "input_dims": int32s([json[text] for text in texts_of([a.input_dims for a in args])]),
        "input_types": int32s([json[text] for text in texts_of([a.input_types for a in args])]),
        "input_strides": int32s([json[text] for text in texts_of([a.input_strides for a in args])]),
        "concrete_inputs": int32s([json[text] for text in texts_of([a.concrete_inputs for a in args])]),
    }
    rare = [
        index
        for index, a in enumerate(args)
        if a.kernel_backend is not None
        or a.collective_name is not None
        or a.kernel_file is not None
        or a.kernel_hash is not None
        or a.kernel_name is not None
        or a.kernel_kwargs is not None
        or a.num_warps != MISSING
        or a.num_stages != MISSING
    ]
    batch |= spread(rare, rare_operator_columns([args[index] for index in rare], interner), len(args))
    has_any = np.zeros(len(args), dtype=bool)
    for values in batch.values():
        has_any |= values != MISSING
    return {"row": rows[has_any]} | {name: values[has_any] for name, values in batch.items()}


def rare_operator_columns(args: list[Args], interner: Interner) -> Batch:
    """Return the columns of Triton launches and collectives."""
    strings = interner.strings
    return {
        "num_warps": int32s([a.num_warps for a in args]),
        "num_stages": int32s([a.num_stages for a in args]),
        "kernel_kwargs": int32s([strings[a.kernel_kwargs] for a in args]),
        "kernel_backend": int32s([strings[a.kernel_backend] for a in args]),
        "kernel_file": int32s([strings[a.kernel_file] for a in args]),
        "kernel_hash": int32s([strings[a.kernel_hash] for a in args]),
        "kernel_name": int32s([strings[a.kernel_name] for a in args]),
        "collective": int32s([strings[collective(a)] for a in args]),
    }


def python_batch(rows: Int64s, args: list[Args], interner: Interner) -> Batch:
    """Return the rows of the Python table."""
    del interner
    batch: dict[str, NDArray[Any]] = {
        "row": rows,
        "python_id": int64s([a.python_id for a in args]),
        "parent_id": with_nulls([a.python_parent for a in args]),
    }
    modules = [a.python_module for a in args]
    if modules.count(MISSING) < len(modules):
        batch["module_id"] = with_nulls(modules)
    return batch


def sync_batch(rows: Int64s, args: list[Args], interner: Interner) -> Batch:
    """Return the rows of the table of ``cuda_sync`` records."""
    strings = interner.strings
    return {
        "row": rows,
        "correlation": int64s([a.correlation for a in args]),
        "sync_kind": int32s([strings[a.sync_kind] for a in args]),
        "device": int32s([a.device for a in args]),
        "stream": int64s([v if type(v := a.stream) is int else number(v) for a in args]),
        "wait_on_stream": int64s([a.wait_on_stream for a in args]),
        "wait_on_event": int64s([a.wait_on_event for a in args]),
        "wait_on_correlation": int64s([a.wait_on_correlation for a in args]),
    }


def with_nulls(values: list[int | None]) -> Int64s:
    """Return a column of integers some of which may be null: the roots of Python's stacks have a null parent."""
    return int64s([MISSING if value is None else value for value in values] if None in values else values)


def spread(rows: list[int], columns: Batch, length: int) -> dict[str, NDArray[Any]]:
    """Return columns of a length with these values in these rows and MISSING in the others; none without rows."""
    wide: dict[str, NDArray[Any]] = {}
    if rows:
        for name, values in columns.items():
            wide[name] = np.full(length, MISSING, dtype=values.dtype)
            wide[name][rows] = values
    return wide


def sizes(args: list[Args]) -> Int64s:
    """Return ``bytes``, or ``size`` where that is absent (AMD's copies by the runtime, MTIA)."""
    return int64s(
        [v if type(v := a.bytes) is int and (v != MISSING or a.size == MISSING) else size_of(a) for a in args]
    )


def size_of(args: Args) -> int:
    """Return the size in bytes, which AMD writes as text."""
    size = number(args.bytes)
    return number(args.size) if size == MISSING else size


def number(value: int | str | None) -> int:
    """Return an integer that may be written as text, MISSING for anything else."""
    if isinstance(value, str):
        return int(value) if value.isdecimal() and value.isascii() and len(value) < 19 else MISSING
    return MISSING if value is None else value


def collective(args: Args) -> str | None:
    """Return the one text that describes a collective, None for any other event."""
    if args.collective_name is None:
        return None
    numbers = (args.collective_in, args.collective_out, args.collective_group)
    counts = "|".join("" if n == MISSING else str(n) for n in numbers)
    return f"{args.collective_name}|{args.collective_dtype or ''}|{counts}"
