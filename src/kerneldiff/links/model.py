"""A linked trace: every GPU event with its launch, its operators and its step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kerneldiff.notes import Note
from kerneldiff.traces.model import Int32s, Int64s, RawTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuColumns:
    """Operators, annotations and runtime calls, nested; sorted by (track, start, longest first); shape (n,) each.

    Attributes:
        row: index into the dense columns of the file.
        kind, name, track: as in the dense columns.
        start_ns, end_ns: the slice.
        parent: index into these columns of the slice around it on its own thread, -1 at the top.
        operator_row: index into ``RawTrace.operators``, -1 when the slice has no arguments there.
        step: index of the step in which the slice starts, -1 outside.
    """

    row: Int64s
    kind: NDArray[np.uint8]
    name: Int32s
    track: Int32s
    start_ns: Int64s
    end_ns: Int64s
    parent: Int64s
    operator_row: Int64s
    step: Int32s

    def __len__(self) -> int:
        """Return the number of slices."""
        return len(self.row)


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuColumns:
    """Kernels, copies and sets in launch order (those of one launch by start); shape (n,) each.

    Attributes:
        row: index into the dense columns; device_row: index into ``RawTrace.device``.
        kind, name: as in the dense columns.
        start_ns, dur_ns: the slice.
        launch: index into ``CpuColumns`` of the call that started it, -1 when that lies before the window.
        operator: index into ``CpuColumns`` of the innermost operator around the launch, -1 when there is none.
        step: index into ``Steps`` of the step that launched it, -1 when no step did.
        replayed: launched by a graph launch.
        lane: device and stream (or queue) as one number, for overlaps.
        impossible: the recorded duration cannot be true (``longest_ns`` says what is possible).
        longest_ns: the duration, cut to what is possible where it is impossible.
    """

    row: Int64s
    device_row: Int64s
    kind: NDArray[np.uint8]
    name: Int32s
    start_ns: Int64s
    dur_ns: Int64s
    launch: Int64s
    operator: Int64s
    step: Int32s
    replayed: NDArray[np.bool_]
    lane: Int32s
    impossible: NDArray[np.bool_]
    longest_ns: Int64s

    def __len__(self) -> int:
        """Return the number of GPU events."""
        return len(self.row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What lies between two ``ProfilerStep`` marks, or the whole file where there are none.

    Attributes:
        number: N of ``ProfilerStep#N``, None for a whole file.
        start_ns, end_ns: from its mark to the next one; the last ends with its own slice.
        lost: calls that should have started a kernel and have no event.
        compiled: something was compiled in it.
        profiler_ns: time of the profiler's own work inside, as far as it was recorded.
    """

    number: int | None
    start_ns: int
    end_ns: int
    lost: int = 0
    compiled: bool = False
    profiler_ns: int = 0

    @property
    def complete(self) -> bool:
        """Every launch has its event, nothing was compiled, no profiler set-up is inside."""
        return not (self.lost or self.compiled or self.profiler_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of the file's GPU work an answer about its steps speaks of.

    Attributes:
        gpu_events, gpu_ns: of the whole file.
        in_steps, gpu_ns_in_steps: launched inside a step.
        before_window: events whose launch lies before the recording; before_window_ns: their time.
        linked: events with a launch.
    """

    gpu_events: int
    in_steps: int
    before_window: int
    linked: int
    gpu_ns: int
    gpu_ns_in_steps: int
    before_window_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One file, linked.

    Attributes:
        raw: the columns as read.
        cpu, gpu: the nested CPU side and the linked GPU side.
        steps: in order of time, never empty.
        has_marks: False when the file has no ``ProfilerStep`` and the whole file is the one step.
        coverage: what the steps cover.
        digest: equal for two copies of one recording, whatever the clock's zero and the order in the file.
        notes: of the reader and of linking.
    """

    raw: RawTrace
    cpu: CpuColumns
    gpu: GpuColumns
    steps: tuple[Step, ...]
    has_marks: bool
    coverage: Coverage
    digest: str
    notes: tuple[Note, ...]
