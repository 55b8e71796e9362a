"""From decoded events to the columns of the contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kerneldiff.traces import extraction
from kerneldiff.traces.categories import CATEGORY_OF_OLD_STEPS, DEVICE_KINDS, LEGACY_CPU_PID, STEP_PREFIX, kind_of
from kerneldiff.traces.extraction import Interner
from kerneldiff.traces.interning import TrackIds
from kerneldiff.traces.model import (
    DeviceColumns,
    EventColumns,
    Int64s,
    Kind,
    OperatorColumns,
    PythonColumns,
    RuntimeColumns,
    SyncColumns,
    Track,
)
from kerneldiff.traces.structs import AnyEvent, Args
from kerneldiff.traces.tables import Batch, Table, int32s, int64s

EVENT_COLUMNS: Final = {
    "name": "int32",
    "category": "int32",
    "kind": "uint8",
    "track": "int32",
    "start_ns": "int64",
    "dur_ns": "int64",
    "external_id": "int64",
}

BatchOf = Callable[[Int64s, list[Args], Interner], Batch]
SPARSE: Final[tuple[tuple[str, tuple[Kind, ...], dict[str, str], BatchOf], ...]] = (
    ("device", DEVICE_KINDS, extraction.DEVICE_COLUMNS, extraction.device_batch),
    ("runtime", (Kind.RUNTIME,), extraction.RUNTIME_COLUMNS, extraction.runtime_batch),
    ("operators", (Kind.OPERATOR, Kind.ANNOTATION), extraction.OPERATOR_COLUMNS, extraction.operator_batch),
    ("python", (Kind.PYTHON,), extraction.PYTHON_COLUMNS, extraction.python_batch),
    ("sync", (Kind.SYNC,), extraction.SYNC_COLUMNS, extraction.sync_batch),
)


class Categories(dict[str | None, int]):
    """Category to a small number, with the kind and the string id behind each."""

    def __init__(self, interner: Interner) -> None:
        super().__init__()
        self._strings = interner.strings
        self.kinds = np.empty(0, dtype=np.uint8)
        self.string_ids = np.empty(0, dtype=np.int32)

    def __missing__(self, category: str | None) -> int:
        number = self[category] = len(self)
        self.kinds = np.append(self.kinds, np.uint8(kind_of(category)))
        self.string_ids = np.append(self.string_ids, np.int32(self._strings[category]))
        return number


class Columns:
    """All columns of one file while it is read."""

    def __init__(self) -> None:
        self.interner = Interner()
        self.tracks = TrackIds()
        self.phases: Counter[str] = Counter()
        self._categories = Categories(self.interner)
        self._events = Table(EVENT_COLUMNS)
        self._sparse = {name: Table(columns) for name, _, columns, _ in SPARSE}

    def __len__(self) -> int:
        """Return the number of slices so far."""
        return len(self._events)

    def add(self, events: list[Any], times: Callable[[list[Any]], Int64s]) -> None:
        """Add the slices among these events; all of them or, when a value does not fit, none.

        Raises:
            InexactTimeError: the times must be decoded in another way.
            OverflowError, TypeError: a value does not fit its column.
        """
        slices = [event for event in events if event.ph == "X"]
        categories = np.array([self._categories[event.cat] for event in slices], dtype=np.int64)
        kinds = self._categories.kinds[categories]
        dense = self._dense(slices, categories, kinds, times)
        batches = [(name, self._batch(slices, kinds, wanted, of)) for name, wanted, _, of in SPARSE]
        self.phases.update([event.ph for event in events])
        self._events.append(dense)
        for name, batch in batches:
            if batch is not None:
                self._sparse[name].append(batch)

    def _dense(
        self, slices: list[AnyEvent], categories: Int64s, kinds: NDArray[np.uint8], times: Callable[[list[Any]], Int64s]
    ) -> Batch:
        strings, tracks = self.interner.strings, self.tracks
        return {
            "name": int32s([strings[event.name] for event in slices]),
            "category": self._categories.string_ids[categories],
            "kind": kinds,
            "track": int32s([tracks[event.pid, event.tid] for event in slices]),
            "start_ns": times([event.ts for event in slices]),
            "dur_ns": times([event.dur for event in slices]),
            "external_id": external_ids([event.args for event in slices]),
        }

    def _batch(
        self, slices: list[AnyEvent], kinds: NDArray[np.uint8], wanted: tuple[Kind, ...], of: BatchOf
    ) -> Batch | None:
        rows = np.flatnonzero(kinds == wanted[0] if len(wanted) == 1 else np.isin(kinds, wanted))
        if not len(rows):
            return None
        return of(rows + len(self._events), [slices[row].args for row in rows.tolist()], self.interner)

    def finish(self) -> dict[str, Any]:
        """Return the parts of a RawTrace that come from events, by their names."""
        events = self._events.columns()
        strings = self.interner.strings.strings()
        tracks = tuple(Track(pid=pid, tid=tid) for pid, tid in self.tracks.pairs())
        parts: dict[str, Any] = {
            "events": EventColumns(**(events | {"kind": settled_kinds(events, strings, tracks)})),
            "strings": strings,
            "tracks": tracks,
            "counts_by_phase": tuple(sorted(self.phases.items())),
            "whole_microseconds": not ((events["start_ns"] % 1000).any() or (events["dur_ns"] % 1000).any()),
        }
        triples = self.interner.dims.triples()
        for name, make in (
            ("device", DeviceColumns),
            ("runtime", RuntimeColumns),
            ("operators", OperatorColumns),
            ("python", PythonColumns),
            ("sync", SyncColumns),
        ):
            columns = self._sparse[name].columns()
            dims = {key: triples[columns[key]] for key in ("grid", "block") if key in columns}
            parts[name] = make(**(columns | dims))
        return parts


def external_ids(args: list[Args]) -> Any:  # noqa: ANN401 - array or numpy, as Table takes it
    """Return ``External id``, or ``external id`` as the runtime and the GPU wrote it in 2021."""
    return int64s([a.external_id if a.external_id != -1 else a.external_id_2021 for a in args])


def settled_kinds(events: dict[str, Any], strings: tuple[str, ...], tracks: tuple[Track, ...]) -> NDArray[np.uint8]:
    """Return the kinds with the two that a category alone does not tell: steps of 2021, and the legacy profiler."""
    kinds: NDArray[np.uint8] = events["kind"].copy()
    is_step = np.array([text.startswith(STEP_PREFIX) for text in strings] or [False])
    is_old = np.array([text == CATEGORY_OF_OLD_STEPS for text in strings] or [False])
    kinds[is_step[events["name"]] & is_old[events["category"]] & (events["category"] >= 0)] = Kind.ANNOTATION
    is_legacy = np.array([track.pid == LEGACY_CPU_PID for track in tracks] or [False])
    kinds[is_legacy[events["track"]] & (events["category"] < 0)] = Kind.OPERATOR
    return kinds
