"""Tables that give each distinct value a small number."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from kerneldiff.traces.model import MISSING
from kerneldiff.traces.structs import TrackId

INT32_MAX: Final = 2**31 - 1
NO_DIM3: Final = (MISSING, MISSING, MISSING)


class StringIds(dict[str | None, int]):
    """Text to id; ids count up in the order of first appearance."""

    def __init__(self) -> None:
        super().__init__({None: MISSING})

    def __missing__(self, text: str | None) -> int:
        number = self[text] = len(self) - 1
        return number

    def count(self) -> int:
        """Return the number of distinct texts."""
        return len(self) - 1

    def strings(self) -> tuple[str, ...]:
        """Return the texts in the order of their ids."""
        return tuple(text for text in self if text is not None)


class JsonIds(dict[bytes, int]):
    """JSON text as bytes to the string id of the same text without insignificant white space.

    The white space goes so that one fact has one text in every layout of the file.
    """

    def __init__(self, strings: StringIds) -> None:
        super().__init__({b"": MISSING, b"null": MISSING})
        self._strings = strings

    def __missing__(self, raw: bytes) -> int:
        compact = msgspec.json.format(raw, indent=-1) if any(blank in raw for blank in b" \n\t\r") else raw
        number = self[raw] = self._strings[compact.decode("utf-8", "replace")]
        return number


class TrackIds(dict[TrackId, "TracksOfProcess"]):
    """pid, then tid, to the index of the track; 7 and "7" are one, for files mix both."""

    def __init__(self) -> None:
        super().__init__()
        self._by_text: dict[tuple[str, str], int] = {}

    def __missing__(self, pid: TrackId) -> TracksOfProcess:
        tracks = self[pid] = TracksOfProcess(track_text(pid), self._by_text)
        return tracks

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return (pid, tid) as text in the order of their numbers."""
        return tuple(self._by_text)


class TracksOfProcess(dict[TrackId, int]):
    """tid to the index of the track, within one process."""

    def __init__(self, pid: str, by_text: dict[tuple[str, str], int]) -> None:
        super().__init__()
        self._pid = pid
        self._by_text = by_text

    def __missing__(self, tid: TrackId) -> int:
        number = self[tid] = self._by_text.setdefault((self._pid, track_text(tid)), len(self._by_text))
        return number


def track_text(value: TrackId) -> str:
    """Return a pid or tid as text, an absent one as empty text."""
    return "" if value is None else str(value)


class Dim3Ids(dict[bytes, int]):
    """JSON text of a grid or block to the index of its three numbers."""

    def __init__(self) -> None:
        super().__init__({b"": 0})
        self._triples: list[tuple[int, int, int]] = [NO_DIM3]

    def __missing__(self, raw: bytes) -> int:
        self._triples.append(dim3(raw))
        number = self[raw] = len(self._triples) - 1
        return number

    def triples(self) -> NDArray[np.int32]:
        """Return the numbers behind the indices, shape (n, 3)."""
        return np.array(self._triples, dtype=np.int32)


def dim3(raw: bytes) -> tuple[int, int, int]:
    """Return the three numbers of a launch dimension, or MISSING thrice for anything else.

    Triton operators have such text as ``"grid(100,)"`` under the same key.
    """
    try:
        x, y, z = msgspec.json.decode(raw, type=tuple[int, int, int])
    except msgspec.DecodeError:
        return NO_DIM3
    return (x, y, z) if max(abs(x), abs(y), abs(z)) <= INT32_MAX else NO_DIM3
