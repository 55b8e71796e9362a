"""Columns that grow: appended batch by batch, read once at the end."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kerneldiff.traces.model import MISSING, Int32s, Int64s

Batch: TypeAlias = Mapping[str, NDArray[Any]]

TYPE_CODES: Final = {"int64": "q", "int32": "i", "uint8": "B"}


class UnfitError(Exception):
    """A value does not fit its column."""


class Table:
    """Named columns of one length.

    ``array`` grows in place (``realloc``, which moves pages and copies nothing for large blocks), so the peak is the
    columns themselves; a list of parts, joined at the end, needs twice that.
    """

    def __init__(self, columns: Mapping[str, str]) -> None:
        """Make empty columns of the given types: ``int64``, ``int32`` or ``uint8``."""
        self._rows = 0
        self._arrays: dict[str, array[int]] = {name: array(TYPE_CODES[kind]) for name, kind in columns.items()}

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._rows

    def append(self, batch: Batch) -> None:
        """Add rows; each column in its type. A column that the batch lacks is MISSING in these rows."""
        if not batch:
            return
        for name, values in batch.items():
            if len(values):  # a memoryview of nothing cannot be cast
                self._pad(self._arrays[name])
                self._arrays[name].frombytes(values.data.cast("B"))
        self._rows += len(next(iter(batch.values())))

    def replace(self, name: str, row: int, value: int) -> None:
        """Set one value of a column that all batches had."""
        self._arrays[name][row] = value

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns as numpy arrays that share the memory; the table must not grow after that."""
        return {name: self._column(values) for name, values in self._arrays.items()}

    def _column(self, values: array[int]) -> NDArray[Any]:
        if not values:
            # Few files have all columns: one MISSING stands for those that no batch had.
            return np.broadcast_to(np.array(MISSING if self._rows else 0, dtype=values.typecode), (self._rows,))
        self._pad(values)
        return np.frombuffer(values, dtype=values.typecode)

    def _pad(self, values: array[int]) -> None:
        """Fill a column up with MISSING for the batches that lacked it."""
        if len(values) < self._rows:
            values.frombytes(np.full(self._rows - len(values), MISSING, dtype=values.typecode).data.cast("B"))


def int64s(values: list[Any]) -> Int64s:
    """Return a column of int64; raise UnfitError for what does not fit."""
    return np.frombuffer(packed("q", values), dtype=np.int64)


def int32s(values: list[Any]) -> Int32s:
    """Return a column of int32; raise UnfitError for what does not fit."""
    return np.frombuffer(packed("i", values), dtype=np.int32)


def doubles(values: list[Any]) -> NDArray[np.float64]:
    """Return an array of doubles; raise UnfitError for what is no number."""
    return np.frombuffer(packed("d", values), dtype=np.float64)


def packed(code: str, values: list[Any]) -> bytes:
    """Return the machine's bytes of many numbers; twice as fast as ``array``, ``np.array`` or ``np.fromiter``."""
    try:
        return struct.pack(f"{len(values)}{code}", *values)
    except (struct.error, OverflowError) as error:
        raise UnfitError from error
