"""One run as values: what a diff, a check or a report is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kerneldiff.links.model import Coverage
from kerneldiff.names.model import KernelName
from kerneldiff.notes import Note
from kerneldiff.profiles.explained import Explained, Traffic
from kerneldiff.traces.model import Int64s

EventKind = Literal["kernel", "memcpy", "memset", "cpu_kernel"]
Bound = Literal["cpu", "gpu", "unknown"]
Dims = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuEvent:
    """One kernel, copy or set of the representative step. None is "the trace does not say".

    Attributes:
        name: as in the trace; normalised: the same with mere spelling removed, for identity.
        decoded: what the name says.
        kind: told by the category in the trace.
        grid, block: blocks and threads in x, y, z.
        registers: per thread; shared_memory: bytes a block, static and dynamic.
        code_hash, configuration: of JIT kernels, from the launching operator.
        content_digest: hash of the source and binary, where a recording carries them.
        chain: names of the operators from the outermost to the one that launched.
        call: which operator call launched it (equal within one innermost call), -1 without operator.
        launch: name of the runtime or driver call; replayed: by the launch of a graph.
        input_shapes, input_types, input_strides: of the launching operator, scalars as ().
        problem_size: (m, n, k, batch) in PyTorch's frame, of GEMMs with known shapes.
        size_bytes: of copies and sets.
        collective: name, elements, type and group size of a collective, as one text.
        regions: annotations and compiled regions around the launch, outermost first.
        stream: as written, or the queue.
        start_ns: from the start of the step; gpu_ns: duration.
        delay_ns: from the start of the launch call to the start of the event; can be negative (clock skew).
    """

    name: str
    normalised: str
    decoded: KernelName
    kind: EventKind
    grid: Dims | None = None
    block: Dims | None = None
    registers: int | None = None
    shared_memory: int | None = None
    code_hash: str | None = None
    configuration: str | None = None
    content_digest: str | None = None
    chain: tuple[str, ...] = ()
    call: int = -1
    launch: str | None = None
    replayed: bool = False
    input_shapes: tuple[Dims | None, ...] | None = None
    input_types: tuple[str, ...] | None = None
    input_strides: tuple[Dims | None, ...] | None = None
    problem_size: Dims | None = None
    size_bytes: int | None = None
    collective: str | None = None
    regions: tuple[str, ...] = ()
    stream: int | None = None
    start_ns: int = 0
    gpu_ns: int = 0
    delay_ns: int | None = None

    @property
    def operator(self) -> str | None:
        """The operator that launched it."""
        return self.chain[-1] if self.chain else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorStat:
    """Calls of one operator in the representative step.

    Attributes:
        operator: its name.
        calls: how many.
        own_ns: their duration less that of operators inside; runtime calls inside count.
        launches: GPU events whose innermost operator it is.
    """

    operator: str
    calls: int
    own_ns: int
    launches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unprofiled:
    """Times of steps without the profiler, as ``kerneldiff record`` takes them; int64 ns, each the mean of some steps.

    Attributes:
        cpu_ns: until the CPU had issued a step. step_ns: from step to step, by the device's clock where there is one.
    """

    cpu_ns: Int64s
    step_ns: Int64s


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSamples:
    """Values of the complete steps of one recording, in order of time; int64 ns.

    Attributes:
        numbers: N of ``ProfilerStep#N`` of each complete step.
        gpu_ns, gpu_busy_ns, cpu_ns: one value a complete step.
        step_ns: one value for each pair of consecutive complete steps (empty for a single step).
        gpu_events: how many GPU events make up ``gpu_ns``, at the median.
        tick_ns: resolution of the GPU's clock in this file.
        start_ns: absolute time of the first step, where the file has absolute times.
        key: what tells recordings of one process apart from others, or None.
        unprofiled: times without the profiler, where the recording carries them.
    """

    numbers: tuple[int, ...]
    gpu_ns: Int64s
    gpu_busy_ns: Int64s
    cpu_ns: Int64s
    step_ns: Int64s
    gpu_events: int
    tick_ns: int
    start_ns: int | None
    key: str | None
    unprofiled: Unprofiled | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """CPU slices of the representative step, for a picture; shape (n,) each, in order of thread and start.

    Attributes:
        names: distinct names; name: index into them.
        start_ns: from the start of the step; dur_ns: duration.
        depth: slices around it on its thread, 0 at the top; track: number of the thread, from 0.
        runtime: a runtime or driver call.
        left_out: shorter slices of the step that were not kept.
    """

    names: tuple[str, ...]
    name: Int64s
    start_ns: Int64s
    dur_ns: Int64s
    depth: Int64s
    track: Int64s
    runtime: NDArray[np.bool_]
    left_out: int = 0

    def __len__(self) -> int:
        """Return the number of slices."""
        return len(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequences:
    """Fingerprints of the event lists of all complete steps, for "occurs on the other side".

    Attributes:
        names: of (kind, normalised name).
        hashed: with the code hash too. full: with grid, block and size too.
        outside: of the events that no complete step holds, as one list.
        contents: as ``full``, with digests of the code instead of numbers and hashes; empty where not recorded.
    """

    names: frozenset[str]
    hashed: frozenset[str]
    full: frozenset[str]
    outside: str
    contents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One run: the events of its representative step, samples of all steps, and what is missing.

    Attributes:
        paths: the files.
        device: name of the device, None when the file does not say; environment: versions from the header.
        steps, complete_steps: how many steps there are, over all recordings.
        step_number: N of the representative step, None when the whole file is the step.
        alike: how many complete steps have the same list of events; deviating: numbers of complete steps that have not.
        events: GPU events of the representative step in launch order.
        durations: shape (alike, len(events)), ns: the same events in every alike step; by_recording: rows a recording.
        operators: CPU operators of the representative step, by first call.
        samples: one a recording.
        step_start_ns, step_end_ns: of the representative step, in the file's clock.
        bound: what sets the pace of the profiled run.
        coverage: what share of the file the answer speaks of.
        missing: facts that the recording lacks: shapes, steps, operators, launches, gpu, code_hashes, device ...
        settings: optional facts that were recorded (shapes, stacks, memory); each slows the CPU side down.
        sequences: of all complete steps.
        digest: of the recording; empty for several.
        cut_off: the file ends before its end.
        whole_microseconds: times carry no more than half a microsecond.
        notes: of all stages so far.
        lanes: CPU slices of the representative step; None without any.
        explained: where time and traffic of the representative step went; None for a side without a recording.
    """

    paths: tuple[str, ...]
    device: str | None
    environment: tuple[tuple[str, str], ...]
    steps: int
    complete_steps: int
    step_number: int | None
    alike: int
    deviating: tuple[int, ...]
    events: tuple[GpuEvent, ...]
    durations: Int64s
    operators: tuple[OperatorStat, ...]
    samples: tuple[StepSamples, ...]
    bound: Bound
    coverage: Coverage
    missing: tuple[str, ...]
    sequences: Sequences
    digest: str
    cut_off: bool
    whole_microseconds: bool
    notes: tuple[Note, ...]
    by_recording: tuple[int, ...] = ()
    captured: bool = False
    settings: tuple[str, ...] = ()
    lanes: Lanes | None = None
    explained: Explained | None = None

    @property
    def traffic(self) -> tuple[Traffic | None, ...]:
        """Compulsory traffic of each event, None where it is not known; kernels of a CPU have none."""
        known = self.explained.traffic if self.explained else ()
        return known if len(known) == len(self.events) else (None,) * len(self.events)

    @property
    def kernels(self) -> int:
        """Kernels of the representative step; copies and sets are not counted."""
        return sum(event.kind == "kernel" for event in self.events)


def no_durations() -> NDArray[np.int64]:
    """Give the matrix of a run without events."""
    return np.zeros((0, 0), dtype=np.int64)


__all__ = [
    "Bound",
    "Dims",
    "EventKind",
    "GpuEvent",
    "Lanes",
    "OperatorStat",
    "Profile",
    "Sequences",
    "StepSamples",
    "Unprofiled",
    "no_durations",
]
