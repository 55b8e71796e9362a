"""Begin and end records (``ph`` B and E), matched into slices.

Kineto writes complete slices only; other writers of the format use pairs. They nest within one thread:
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Duration Events).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

BEGIN: Final = "B"
END: Final = "E"


class OpenSlices:
    """The begin records that wait for their end, by track.

    Attributes:
        unmatched_ends: how many end records had no begin.
    """

    def __init__(self) -> None:
        self.unmatched_ends = 0
        self._open: dict[int, list[tuple[int, int]]] = {}

    def begin(self, track: int, row: int, start_ns: int) -> None:
        """Remember a slice that has begun."""
        self._open.setdefault(track, []).append((row, start_ns))

    def end(self, track: int, end_ns: int) -> tuple[int, int] | None:
        """Return row and duration of the innermost open slice of the track, or None when there is none."""
        waiting = self._open.get(track)
        if not waiting:
            self.unmatched_ends += 1
            return None
        row, start_ns = waiting.pop()
        return row, end_ns - start_ns

    def rows(self) -> list[int]:
        """Return the rows that are still open."""
        return sorted(row for waiting in self._open.values() for row, _ in waiting)


def without_rows(columns: dict[str, dict[str, NDArray[Any]]], rows: list[int]) -> dict[str, dict[str, NDArray[Any]]]:
    """Return all columns without some rows of ``events``; the sparse tables' ``row`` is numbered anew."""
    if not rows:
        return columns
    keep = np.ones(len(columns["events"]["name"]), dtype=bool)
    keep[rows] = False
    renumbered = np.cumsum(keep) - 1
    result = {"events": {name: values[keep] for name, values in columns["events"].items()}}
    for table, of_table in columns.items():
        if table != "events":
            kept = keep[of_table["row"]]
            result[table] = {name: values[kept] for name, values in of_table.items()}
            result[table]["row"] = renumbered[result[table]["row"]]
    return result
