"""Columns that grow: appended batch by batch, read once at the end."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

# In quotes: array takes a parameter at run time only from Python 3.12 on.
Values: TypeAlias = "array[int] | NDArray[Any]"
Batch: TypeAlias = Mapping[str, Values]

TYPE_CODES: Final = {"int64": "q", "int32": "i", "uint8": "B"}


class Table:
    """Named columns of one length.

    ``array`` grows in place (``realloc``, which moves pages and copies nothing for large blocks), so the peak is the
    columns themselves; a list of parts, joined at the end, needs twice that.
    """

    def __init__(self, columns: Mapping[str, str]) -> None:
        """Make empty columns of the given types: ``int64``, ``int32`` or ``uint8``."""
        self._arrays: dict[str, array[int]] = {name: array(TYPE_CODES[kind]) for name, kind in columns.items()}

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self._arrays.values())))

    def append(self, batch: Batch) -> None:
        """Add rows; the batch has each column, in the column's type."""
        for name, values in batch.items():
            if len(values):  # a memoryview of nothing cannot be cast
                self._arrays[name].frombytes(memoryview(cast("Any", values)).cast("B"))

    def replace(self, name: str, row: int, value: int) -> None:
        """Set one value."""
        self._arrays[name][row] = value

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns as numpy arrays that share the memory; the table must not grow after that."""
        return {name: np.frombuffer(values, dtype=values.typecode) for name, values in self._arrays.items()}


def int64s(values: list[Any]) -> array[int]:
    """Return a column of int64; raise OverflowError or TypeError for what does not fit."""
    return array("q", values)


def int32s(values: list[Any]) -> array[int]:
    """Return a column of int32; raise OverflowError or TypeError for what does not fit."""
    return array("i", values)
