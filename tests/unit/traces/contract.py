"""The column contract as a check that any reader's result can be put through."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import reference

from kerneldiff.traces import MISSING, RawTrace

TYPES = {
    "events": {
        "name": "int32",
        "category": "int32",
        "kind": "uint8",
        "track": "int32",
        "start_ns": "int64",
        "dur_ns": "int64",
        "external_id": "int64",
    },
    "device": {
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
    },
    "runtime": {"row": "int64", "correlation": "int64", "grid": "int32", "block": "int32", "size_bytes": "int64"},
    "operators": {
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
    },
    "python": {"row": "int64", "python_id": "int64", "parent_id": "int64", "module_id": "int64"},
    "sync": {
        "row": "int64",
        "correlation": "int64",
        "sync_kind": "int32",
        "device": "int32",
        "stream": "int64",
        "wait_on_stream": "int64",
        "wait_on_event": "int64",
        "wait_on_correlation": "int64",
    },
}
TEXTS = {
    "name",
    "category",
    "queue",
    "collective",
    "kernel_kwargs",
    "kernel_backend",
    "kernel_file",
    "kernel_hash",
    "kernel_name",
    "sync_kind",
}
JSON_TEXTS = {"input_dims", "input_types", "input_strides", "concrete_inputs"}


def check(trace: RawTrace, text: bytes) -> None:
    """Assert that a trace says what the text of a sound file says, in all columns."""
    expected = reference.read(text)
    check_form(trace)
    for table in TYPES:
        assert rows(trace, table) == getattr(expected, table), table
    assert dict(trace.counts_by_phase) == expected.phases
    times = [event[key] for event in expected.events for key in ("start_ns", "dur_ns")]
    assert trace.whole_microseconds == all(time % 1000 == 0 for time in times)


def check_form(trace: RawTrace) -> None:
    """Assert what holds of every trace, sound or repaired: types, lengths, ids within their tables."""
    for table, types in TYPES.items():
        columns = getattr(trace, table)
        assert [part.name for part in dataclasses.fields(columns)] == list(types)
        lengths = set()
        for name, kind in types.items():
            column = getattr(columns, name)
            assert isinstance(column, np.ndarray)
            assert column.dtype == kind, (table, name, column.dtype)
            assert column.shape[1:] == ((3,) if name in ("grid", "block") else ())
            lengths.add(len(column))
            if name in TEXTS | JSON_TEXTS and len(column):
                assert column.min() >= MISSING
                assert column.max() < len(trace.strings)
        assert len(lengths) == 1, table
        if table != "events" and len(columns.row):
            assert (np.diff(columns.row) > 0).all()
            assert columns.row[0] >= 0
            assert columns.row[-1] < len(trace.events)
    assert len(set(trace.strings)) == len(trace.strings)
    assert len(set(trace.tracks)) == len(trace.tracks)
    if len(trace.events):
        assert trace.events.track.min() >= 0
        assert trace.events.track.max() < len(trace.tracks)


def rows(trace: RawTrace, table: str) -> list[dict[str, Any]]:
    """Return a table as dictionaries with texts for ids."""
    columns = {name: readable(trace, name, getattr(getattr(trace, table), name)) for name in TYPES[table]}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def readable(trace: RawTrace, name: str, column: np.ndarray) -> list[Any]:
    if name in TEXTS:
        return [trace.text(number) for number in column.tolist()]
    if name in JSON_TEXTS:
        parsed = [trace.parsed(number) for number in column.tolist()]
        assert parsed == [None if n == MISSING else json.loads(trace.strings[n]) for n in column.tolist()]
        return parsed
    if name == "track":
        return [(trace.tracks[number].pid, trace.tracks[number].tid) for number in column.tolist()]
    if name in ("grid", "block"):
        return [tuple(values) for values in column.tolist()]
    return column.tolist()
