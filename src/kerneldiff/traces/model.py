"""The column contract: what a reader of any trace format yields.

This module is the one place that says which columns exist, with which types, and what
a missing value is. Every reader fills it, in Python now and natively later;
``tests/unit/traces/contract.py`` holds the tests that any reader can be put through.

Conventions: times are int64 nanoseconds; an id column indexes ``RawTrace.strings``;
``MISSING`` (-1) stands for a value the file does not have, in every integer column.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from kerneldiff.notes import Note

MISSING: Final = -1

Int64s = NDArray[np.int64]
Int32s = NDArray[np.int32]


class Kind(IntEnum):
    """What a slice is, told by its category alone (never by its name or arguments)."""

    OPERATOR = 0  # cpu_op, Operator; slices of the legacy profiler without a category
    ANNOTATION = 1  # user_annotation: ProfilerStep#N, record_function, compiled graphs
    RUNTIME = 2  # cuda_runtime, cuda_driver, hip, xpu_runtime, mtia_runtime, Runtime
    KERNEL = 3  # kernel, Kernel
    MEMCPY = 4  # gpu_memcpy, Memcpy
    MEMSET = 5  # gpu_memset, Memset
    GPU_ANNOTATION = 6  # gpu_user_annotation: labels on the GPU's row, no work
    PYTHON = 7  # python_function
    SYNC = 8  # cuda_sync
    OVERHEAD = 9  # overhead: the profiler's own work
    SPAN = 10  # Trace: the profiler's window
    OTHER_DEVICE = 11  # device work of a category whose meaning is not known here (mtia_ccp_events ...)
    OTHER = 12  # anything else


GPU_KINDS: Final = (Kind.KERNEL, Kind.MEMCPY, Kind.MEMSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One entry of the header's ``deviceProperties``; None where the header is silent."""

    index: int
    name: str | None
    compute_capability: tuple[int, int] | None = None
    multiprocessors: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The facts at the top level of the file, outside ``traceEvents``.

    Attributes:
        devices: the device table, empty when absent.
        record_shapes, with_stack, profile_memory: True when the header says so, None when it is silent
            (Kineto writes these keys only when they are on).
        rank, world_size: from ``distributedInfo``.
        base_ns: ``baseTimeNanoseconds``; all times in the columns are relative to it when it is there.
        trace_name, trace_id: as written.
        versions: driver, runtime, CUPTI and similar version fields by their key in the file.
        kerneldiff: the ``kerneldiff`` object as JSON text, written by ``kerneldiff record``; None when absent.
    """

    devices: tuple[Device, ...] = ()
    record_shapes: bool | None = None
    with_stack: bool | None = None
    profile_memory: bool | None = None
    rank: int | None = None
    world_size: int | None = None
    base_ns: int | None = None
    trace_name: str | None = None
    trace_id: str | None = None
    versions: tuple[tuple[str, str], ...] = ()
    kerneldiff: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One row of the timeline: a CPU thread, or a device and stream."""

    pid: str
    tid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventColumns:
    """All complete slices (``ph`` = X, and matched B/E pairs), dense, in file order; shape (n,) each.

    Attributes:
        name, category: string ids. Names are whole, as written (raw, not demangled).
        kind: ``Kind`` values, uint8.
        track: index into ``RawTrace.tracks``.
        start_ns, dur_ns: int64. A slice without a duration has 0.
        external_id: int64, ``External id`` / ``external id``.
    """

    name: Int32s
    category: Int32s
    kind: NDArray[np.uint8]
    track: Int32s
    start_ns: Int64s
    dur_ns: Int64s
    external_id: Int64s

    def __len__(self) -> int:
        """Return the number of slices."""
        return len(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceColumns:
    """Arguments of device slices (kinds KERNEL, MEMCPY, MEMSET, OTHER_DEVICE); ``row`` ascends.

    Attributes:
        row: index into the dense columns.
        correlation: id shared with the launch.
        device, stream, context: as written. A stream of 0 is a real stream.
        queue: string id of the queue, on devices that have queues for streams (Intel: ``sycl queue``).
        registers: per thread. shared_memory: bytes per block, static and dynamic.
        grid, block: shape (n, 3); MISSING in all three places when absent.
        size_bytes: of copies and sets.
        graph_id, graph_node: of kernels launched by graph replay, where recorded.
        collective: string id of ``name|dtype|in elements|out elements|group size`` for collectives.
    """

    row: Int64s
    correlation: Int64s
    device: Int32s
    stream: Int64s
    context: Int32s
    queue: Int32s
    registers: Int32s
    shared_memory: Int32s
    grid: NDArray[np.int32]
    block: NDArray[np.int32]
    size_bytes: Int64s
    graph_id: Int64s
    graph_node: Int64s
    collective: Int32s


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeColumns:
    """Arguments of runtime and driver calls; ``row`` ascends.

    Attributes:
        row: index into the dense columns.
        correlation: id shared with the GPU events that the call started.
        grid, block: shape (n, 3); AMD writes them on the launch.
        size_bytes: where written (AMD writes it as text).
    """

    row: Int64s
    correlation: Int64s
    grid: NDArray[np.int32]
    block: NDArray[np.int32]
    size_bytes: Int64s


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorColumns:
    """Arguments of operators and annotations that have any of them; ``row`` ascends.

    The columns ``input_dims`` to ``concrete_inputs`` are string ids of the JSON text as written, less the white space
    between its parts, so that one fact has one text in every layout (few are distinct; ``RawTrace.parsed`` reads one). The others are string ids or integers.

    Attributes:
        row: index into the dense columns.
        sequence, forward_thread: autograd's ``Sequence number`` and ``Fwd thread id``.
        num_warps, num_stages: of a Triton launch. kernel_kwargs: its configuration as text.
        kernel_backend, kernel_file, kernel_hash, kernel_name: string ids.
        collective: string id, as in ``DeviceColumns``.
    """

    row: Int64s
    sequence: Int64s
    forward_thread: Int64s
    input_dims: Int32s
    input_types: Int32s
    input_strides: Int32s
    concrete_inputs: Int32s
    num_warps: Int32s
    num_stages: Int32s
    kernel_kwargs: Int32s
    kernel_backend: Int32s
    kernel_file: Int32s
    kernel_hash: Int32s
    kernel_name: Int32s
    collective: Int32s


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonColumns:
    """Ids of Python frames; ``row`` ascends."""

    row: Int64s
    python_id: Int64s
    parent_id: Int64s
    module_id: Int64s


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncColumns:
    """``cuda_sync`` records; ``row`` ascends. ``sync_kind`` is a string id."""

    row: Int64s
    correlation: Int64s
    sync_kind: Int32s
    device: Int32s
    stream: Int64s
    wait_on_stream: Int64s
    wait_on_event: Int64s
    wait_on_correlation: Int64s


@dataclass(frozen=True, slots=True, kw_only=True)
class RawTrace:
    """One file, as columns: nothing linked, nothing judged.

    Attributes:
        path: as the user gave it, for messages.
        header: facts outside the events.
        strings: the interned text table; an id column indexes it.
        tracks: distinct (pid, tid) pairs.
        events, device, runtime, operators, python, sync: the columns.
        counts_by_phase: how many records of each ``ph`` the file had, kept or not.
        cut_off_at: byte offset (of the uncompressed text) at which a cut-off file stops being sound, or None.
        whole_microseconds: True when no time in the file has a fraction of a microsecond.
        notes: repairs and losses while reading.
    """

    path: str
    header: Header
    strings: tuple[str, ...]
    tracks: tuple[Track, ...]
    events: EventColumns
    device: DeviceColumns
    runtime: RuntimeColumns
    operators: OperatorColumns
    python: PythonColumns
    sync: SyncColumns
    counts_by_phase: tuple[tuple[str, int], ...]
    cut_off_at: int | None
    whole_microseconds: bool
    notes: tuple[Note, ...]

    def text(self, string_id: int) -> str | None:
        """Return the string behind an id, or None for ``MISSING``."""
        return None if string_id == MISSING else self.strings[string_id]

    def parsed(self, string_id: int) -> object:
        """Return the value behind the id of a JSON text (``input_dims`` to ``concrete_inputs``), None for ``MISSING``."""
        text = self.text(string_id)
        return None if text is None else msgspec.json.decode(text)
