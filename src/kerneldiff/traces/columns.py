"""From decoded events to the columns of the contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kerneldiff.traces import extraction
from kerneldiff.traces.categories import DEVICE_KINDS, LEGACY_CPU_PID, kind_of
from kerneldiff.traces.extraction import Interner
from kerneldiff.traces.interning import TrackIds
from kerneldiff.traces.model import MISSING, Int64s, Kind
from kerneldiff.traces.pairs import BEGIN, END, OpenSlices
from kerneldiff.traces.structs import Args
from kerneldiff.traces.tables import Batch, Table, int32s, int64s
from kerneldiff.traces.timestamps import Clock

EVENT_COLUMNS: Final = {
    "name": "int32",
    "category": "int32",
    "kind": "uint8",
    "track": "int32",
    "start_ns": "int64",
    "dur_ns": "int64",
    "external_id": "int64",
}

# Events are of type Event, TextTimeEvent or SettledEvent, which differ in the type of their times only.
Events = list[Any]
BatchOf = Callable[[Int64s, list[Args], Interner], Batch]

# A kind stands in one sparse table at most.
SPARSE: Final[tuple[tuple[str, tuple[Kind, ...], dict[str, str], BatchOf], ...]] = (
    ("device", DEVICE_KINDS, extraction.DEVICE_COLUMNS, extraction.device_batch),
    ("runtime", (Kind.RUNTIME,), extraction.RUNTIME_COLUMNS, extraction.runtime_batch),
    ("operators", (Kind.OPERATOR, Kind.ANNOTATION), extraction.OPERATOR_COLUMNS, extraction.operator_batch),
    ("python", (Kind.PYTHON,), extraction.PYTHON_COLUMNS, extraction.python_batch),
    ("sync", (Kind.SYNC,), extraction.SYNC_COLUMNS, extraction.sync_batch),
)

# Index into SPARSE by kind; one past the end for kinds without a table.
TABLE_OF_KIND: Final = np.array(
    [next((number for number, entry in enumerate(SPARSE) if kind in entry[1]), len(SPARSE)) for kind in Kind],
    dtype=np.uint8,
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
    """All columns of one file while it is read.

    Attributes:
        interner: the tables of distinct texts and launch dimensions.
        tracks: the table of (pid, tid).
        phases: how many records of each ``ph`` there were.
        open_slices: begin records without their end so far.
    """

    def __init__(self) -> None:
        self.interner = Interner()
        self.tracks = TrackIds()
        self.phases: Counter[str] = Counter()
        self.open_slices = OpenSlices()
        self._categories = Categories(self.interner)
        self._events = Table(EVENT_COLUMNS)
        self._sparse = {name: Table(columns) for name, _, columns, _ in SPARSE}

    def __len__(self) -> int:
        """Return the number of slices so far."""
        return len(self._events)

    def add(self, events: Events, clock: Clock) -> None:
        """Add the slices among these events; all of them or, when a value does not fit, none.

        Raises:
            InexactTimeError: the times must be decoded in another way.
            UnfitError: a value does not fit its column.
        """
        slices = [event for event in events if event.ph == "X"]
        others = Counter([event.ph for event in events if event.ph != "X"]) if len(slices) < len(events) else Counter()
        if BEGIN in others or END in others:
            self._add_pairs(events, clock)
        else:
            self._add_slices(slices, clock)
        self.phases.update(others)
        if slices:
            self.phases["X"] += len(slices)

    def columns(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return all columns by table; nothing can be added after that."""
        return {"events": self._events.columns()} | {name: table.columns() for name, table in self._sparse.items()}

    def _add_slices(self, slices: Events, clock: Clock) -> Batch:
        numbers = self._categories
        categories = int32s([numbers[event.cat] for event in slices])
        kinds = numbers.kinds[categories]
        if None in numbers:
            kinds = with_legacy_operators(kinds, slices)
        args = [event.args for event in slices]
        dense: Batch = {
            "kind": kinds,
            "category": numbers.string_ids[categories],
            "external_id": external_ids(args),
            **self._names_and_times(slices, clock),
        }
        tables = TABLE_OF_KIND[kinds]
        batches = [(name, self._batch(args, tables == number, of)) for number, (name, _, _, of) in enumerate(SPARSE)]
        self._events.append(dense)
        for name, batch in batches:
            self._sparse[name].append(batch)
        return dense

    def _names_and_times(self, slices: Events, clock: Clock) -> Batch:
        strings, tracks = self.interner.strings, self.tracks
        return {
            "name": int32s([strings[event.name] for event in slices]),
            "track": int32s([tracks[event.pid][event.tid] for event in slices]),
            "start_ns": clock.starts([event.ts for event in slices]),
            "dur_ns": clock.durations([event.dur for event in slices]),
        }

    def _batch(self, args: list[Args], is_wanted: NDArray[np.bool_], of: BatchOf) -> Batch:
        rows = np.flatnonzero(is_wanted)
        if not len(rows):
            return {}
        return of(rows + len(self), [args[row] for row in rows.tolist()], self.interner)

    def _add_pairs(self, events: Events, clock: Clock) -> None:
        """Add slices and begin records, and give these the duration up to their end."""
        ends = iter(clock.starts([event.ts for event in events if event.ph == END]).tolist())
        first_row = row = len(self)
        dense = self._add_slices([event for event in events if event.ph in ("X", BEGIN)], clock)
        for event in events:
            if event.ph == END:
                found = self.open_slices.end(self.tracks[event.pid][event.tid], next(ends))
                if found is not None:
                    self._events.replace("dur_ns", *found)
            elif event.ph in ("X", BEGIN):
                if event.ph == BEGIN:
                    index = row - first_row
                    self.open_slices.begin(int(dense["track"][index]), row, int(dense["start_ns"][index]))
                row += 1


def with_legacy_operators(kinds: NDArray[np.uint8], slices: Events) -> NDArray[np.uint8]:
    """Return the kinds with slices of the legacy profiler as operators: they have no category but a common pid."""
    is_legacy = [event.cat is None and event.pid == LEGACY_CPU_PID for event in slices]
    return np.where(is_legacy, np.uint8(Kind.OPERATOR), kinds)


def external_ids(args: list[Args]) -> Int64s:
    """Return ``External id``, or ``external id`` as the runtime and the GPU had it in 2021."""
    return int64s([v if (v := a.external_id) != MISSING else a.external_id_2021 for a in args])
