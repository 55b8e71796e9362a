"""From filled columns to the parts of a RawTrace: what only the whole file can tell."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kerneldiff.traces.categories import CATEGORY_OF_OLD_STEPS, STEP_PREFIX
from kerneldiff.traces.columns import Columns
from kerneldiff.traces.model import (
    DeviceColumns,
    EventColumns,
    Kind,
    OperatorColumns,
    PythonColumns,
    RuntimeColumns,
    SyncColumns,
    Track,
)
from kerneldiff.traces.pairs import without_rows
from kerneldiff.traces.repairs import as_written

TABLES: Final[dict[str, type[Any]]] = {
    "device": DeviceColumns,
    "runtime": RuntimeColumns,
    "operators": OperatorColumns,
    "python": PythonColumns,
    "sync": SyncColumns,
}
STRING_IDS: Final[dict[str, tuple[str, ...]]] = {
    "events": ("name", "category"),
    "device": ("queue", "collective"),
    "operators": (
        "input_dims",
        "input_types",
        "input_strides",
        "concrete_inputs",
        "kernel_kwargs",
        "kernel_backend",
        "kernel_file",
        "kernel_hash",
        "kernel_name",
        "collective",
    ),
    "sync": ("sync_kind",),
}
PART: Final = 1 << 16
DIM3_IDS: Final = ("grid", "block")

ByTable = dict[str, dict[str, NDArray[Any]]]


def assemble(filled: Columns, strings_before: int) -> dict[str, Any]:
    """Return the parts of a RawTrace that come from events.

    Args:
        filled: the columns; nothing can be added to them after that.
        strings_before: how many strings were decoded before backslashes were known to stand for themselves.
    """
    columns = without_rows(filled.columns(), filled.open_slices.rows())
    strings = filled.interner.strings.strings()
    if strings_before:
        strings, columns = with_raw_backslashes(strings, strings_before, columns)
    tracks = tuple(Track(pid=pid, tid=tid) for pid, tid in filled.tracks.pairs())
    events = columns["events"]
    events["kind"] = settled_kinds(events, strings)
    triples = filled.interner.dims.triples()
    sparse = {}
    for table, make in TABLES.items():
        dims = {name: triples[columns[table][name]] for name in DIM3_IDS if name in columns[table]}
        sparse[table] = make(**(columns[table] | dims))
    return sparse | {
        "events": EventColumns(**events),
        "strings": strings,
        "tracks": tracks,
        "counts_by_phase": tuple(sorted(filled.phases.items())),
        "whole_microseconds": are_whole(events["start_ns"]) and are_whole(events["dur_ns"]),
    }


def are_whole(nanoseconds: NDArray[np.int64]) -> bool:
    """Tell whether all times are whole microseconds; by parts, for the peak of memory is here."""
    starts = range(0, len(nanoseconds), PART)
    return all(not (nanoseconds[start : start + PART] % 1000).any() for start in starts)


def with_raw_backslashes(strings: tuple[str, ...], before: int, columns: ByTable) -> tuple[tuple[str, ...], ByTable]:
    """Return the strings with the first so many as they stand in the file, and the columns with their ids."""
    ids: dict[str, int] = {}
    texts = (as_written(text) if number < before else text for number, text in enumerate(strings))
    # One more for MISSING, which is -1 and so takes the last.
    new = np.array([*(ids.setdefault(text, len(ids)) for text in texts), -1], dtype=np.int32)
    for table, names in STRING_IDS.items():
        columns[table] |= {name: new[columns[table][name]] for name in names}
    return tuple(ids), columns


def settled_kinds(events: dict[str, NDArray[Any]], strings: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the kinds with the steps of 2021 as annotations: their category is that of operators."""
    kinds: NDArray[np.uint8] = events["kind"]
    if CATEGORY_OF_OLD_STEPS in strings:
        is_step = np.array([text.startswith(STEP_PREFIX) for text in strings])
        is_old = events["category"] == strings.index(CATEGORY_OF_OLD_STEPS)
        kinds = np.where(is_old & is_step[events["name"]], np.uint8(Kind.ANNOTATION), kinds)
    return kinds
