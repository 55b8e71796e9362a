"""One run explained, as values: where CPU time went, what ran below each operator, what sets the pace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kerneldiff.traces.model import Int64s

ItemKind = Literal["operator", "annotation", "loader", "runtime", "sync"]
NodeKind = Literal["annotation", "operator", "runtime", "gpu"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuItem:
    """CPU time of all calls of one name on one thread in the representative step.

    Attributes:
        kind: ``loader`` is a data loader's annotation, ``sync`` a call that waits for the GPU.
        name: as in the trace, numbers of compiled regions and graphs removed.
        calls: how many.
        ns: time in which this was the innermost slice.
    """

    kind: ItemKind
    name: str
    calls: int
    ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuStep:
    """The representative step on the thread that launches most, every nanosecond of it counted once.

    Attributes:
        thread: the thread, as written in the file.
        extent_ns: from the step's mark to the end of its slice, or to the end of the last call of the step where
            that is later; without marks from the thread's first call to its last.
        items: time by innermost slice, in order of first call.
        between_ns: time in no slice but the step's mark. ``extent_ns`` is the sum of this and of all items.
    """

    thread: str
    extent_ns: int
    items: tuple[CpuItem, ...]
    between_ns: int

    def of(self, *kinds: ItemKind) -> tuple[CpuItem, ...]:
        """List the items of some kinds."""
        return tuple(item for item in self.items if item.kind in kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One place in the tree of dispatch chains: all calls of one name below one path.

    Attributes:
        name: of the annotation, operator or runtime call; the label of a GPU event.
        kind: what it is.
        parent: index of the node around it, -1 at the top. Parents stand before their children.
        depth: 0 at the top.
        calls: a step.
        own_ns: CPU time in which it was the innermost slice; total_ns: with everything below it.
        launches: GPU events started below it; gpu_ns: their time.
    """

    name: str
    kind: NodeKind
    parent: int
    depth: int
    calls: int
    own_ns: int
    total_ns: int
    launches: int
    gpu_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewChange:
    """Sizes and strides before and after some calls, as ``[32, 64] strides [64, 1]``; what is not recorded is left out."""

    before: str
    after: str
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewStat:
    """Calls of one operator that rewrote metadata only, and those that copied.

    Attributes:
        operator: its name.
        calls: that launched nothing, neither themselves nor below.
        own_ns: CPU time of those calls in which they were the innermost slice.
        copied: calls of the same operator that launched something, which an operator that may copy can do.
        proof: why these calls are called views.
        changes: of sizes and strides, the most frequent first; empty without shapes.
    """

    operator: str
    calls: int
    own_ns: int
    copied: int
    proof: str
    changes: tuple[ViewChange, ...] = ()


BiasPlace = Literal[
    "gemm-epilogue", "one-kernel", "copied-and-accumulated", "split-k-reduction", "separate-kernel", "unknown"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Epilogue:
    """Where the bias or the activation of a product was done.

    Attributes:
        operator: the operator that launched the product; event: index of the product's GPU event.
        what: ``bias``, ``addend`` (a matrix that is added), or the activation.
        place: in the GEMM's epilogue (the name proves it), inside the one kernel that ran (the name does not tell),
            copied into the output and accumulated on, in the split-k reduction, or in a kernel of its own.
        by: index of the GPU event that did it where that is another one.
        proof: what the answer rests on.
        bytes_to_save: HBM traffic that the epilogue would save; 0 where it is there, None where shapes do not tell.
    """

    operator: str
    event: int
    what: str
    place: BiasPlace
    by: int | None
    proof: str
    bytes_to_save: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """What a kernel reads or writes: elements as stored, and their type in the trace's words."""

    elements: int
    dtype: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Compulsory traffic of one GPU event: each input read once, each output written once.

    Attributes:
        reads, writes: the tensors; dimensions of stride 0 count once.
        read_bytes, write_bytes: their sums.
        lower_bound: the kernel may need more (GEMM, norms and softmax read again; outputs that shapes do not tell).
        assumptions: what had to be assumed, such as which argument is written or that two may be one.
        flops: floating-point operations of products, convolutions and attention, a multiply-add as two.
        math_mode: type of the arithmetic that ran (``bf16``, ``tf32`` ...), from the kernel's name.
    """

    reads: tuple[Tensor, ...]
    writes: tuple[Tensor, ...]
    lower_bound: bool
    assumptions: tuple[str, ...] = ()
    flops: int | None = None
    math_mode: str | None = None

    @property
    def read_bytes(self) -> int:
        """Bytes of all tensors that are read."""
        return sum(tensor.size_bytes for tensor in self.reads)

    @property
    def write_bytes(self) -> int:
        """Bytes of all tensors that are written."""
        return sum(tensor.size_bytes for tensor in self.writes)

    @property
    def total_bytes(self) -> int:
        """Bytes read and written."""
        return self.read_bytes + self.write_bytes


GapCause = Literal["late-launch", "synchronisation", "copy", "other-stream", "queued", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A stretch in which the GPU ran nothing.

    Attributes:
        start_ns: from the start of the step; dur_ns: how long.
        event: index of the event that ended it.
        cause: ``late-launch``: the call that started the event began after the GPU had run out of work;
            ``synchronisation`` or ``copy``: so it did, because the CPU waited for the GPU or for a copy before;
            ``other-stream``: the launch was in time and the event before it ran on another stream;
            ``queued``: the launch was in time on the same stream: the GPU's own switching; ``unknown``: no launch
            known, the clocks of CPU and GPU disagree, or too long for mere switching.
        detail: the call that waited; of a long gap before a late launch, what the launching thread did meanwhile,
            else the launch.
    """

    start_ns: int
    dur_ns: int
    event: int
    cause: GapCause
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What sets the pace of the representative step, all of the profiled run.

    Attributes:
        gpu_ns: sum over events; busy_ns: union of their intervals over streams; overlap_ns: the difference.
        span_ns: from the start of the first event to the end of the last; idle_ns: without any event in there, with
            the wait before the first event where the step before is in the file.
        step_ns: median step time, None for a lone step; busy_share: busy over it, at the median, at most 1.
        gaps: the idle stretches, in order; gap_ns: their sum by cause.
        delays_ns: from the start of a launch to the start of its event, lower median and 90 % point; None without
            launches. negative_delays: events that start before their launch and are left out of these.
        collectives: events that wait for other ranks inside their duration; collective_ns: their time.
        exposed_collective_ns: time in which nothing but collectives ran.
        streams: how many streams had events.
    """

    gpu_ns: int
    busy_ns: int
    overlap_ns: int
    span_ns: int
    idle_ns: int
    step_ns: int | None
    busy_share: float | None
    gaps: tuple[Gap, ...]
    gap_ns: tuple[tuple[GapCause, int], ...]
    delays_ns: tuple[int, int] | None
    negative_delays: int
    collectives: int
    collective_ns: int
    exposed_collective_ns: int
    streams: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """Something that happened in the recorded steps: what, in which step, how long, below which operators."""

    name: str
    step: int | None
    ns: int
    chain: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What compiled code did in the representative step, and what happened in the window.

    Attributes:
        lookups, lookup_ns: Dynamo's cache lookups, in which the guards are evaluated.
        prologue_ns: wrappers around the compiled graphs.
        regions: names of the compiled regions in order of first call; region_calls: calls of them all.
        graphs: calls of compiled graphs.
        replays: launches of CUDA graphs.
        item_calls, item_ns: ``aten::item`` and the like: the CPU reads a value of the GPU and waits for it.
        recompilations, allocations: compilations, and calls that allocate device memory, inside the recorded steps.
    """

    lookups: int
    lookup_ns: int
    prologue_ns: int
    regions: tuple[str, ...]
    region_calls: int
    graphs: int
    replays: int
    item_calls: int
    item_ns: int
    recompilations: tuple[Occurrence, ...]
    allocations: tuple[Occurrence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """All of it, for the representative step.

    Attributes:
        cpu: the thread that launches most; None without CPU slices.
        nodes: the tree of dispatch chains over all threads, parents first.
        views: operators that only rewrote metadata.
        epilogues: where bias and activation of each product were done.
        traffic: one entry a GPU event, None where shapes do not tell.
        pace: what sets the pace; None without GPU events.
        compiled: compiled code.
        step_lengths_ns: from each step's mark to the next (the last to its own end), complete or not; shape (steps,).
    """

    cpu: CpuStep | None
    nodes: tuple[Node, ...]
    views: tuple[ViewStat, ...]
    epilogues: tuple[Epilogue, ...]
    traffic: tuple[Traffic | None, ...]
    pace: Pace | None
    compiled: Compiled
    step_lengths_ns: Int64s
