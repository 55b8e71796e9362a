"""Compulsory traffic of GPU events from shapes and types: each input read once, each output written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kerneldiff.links.model import Trace
from kerneldiff.names.operations import ATTENTION, CONVOLUTION, GEMM
from kerneldiff.profiles.arguments import Call, argument_ids, call_of, calls_around
from kerneldiff.profiles.elementwise import of_aten
from kerneldiff.profiles.explained import Tensor, Traffic
from kerneldiff.profiles.generated import of_inductor
from kerneldiff.profiles.model import GpuEvent
from kerneldiff.profiles.products import Product, attention, convolution, matrix_product
from kerneldiff.traces.model import Int64s

# Half types have one way of being multiplied; float has two (fp32, tf32), which only the kernel's name tells.
_MODES = {"c10::BFloat16": "bf16", "c10::Half": "f16"}
# What a batch norm or a convolution launches beside its kernel: the inverse deviations, a schedule.
_SIDE_WORK = frozenset({"elementwise", "schedule"})
_HEAVY = GEMM | CONVOLUTION | ATTENTION


def step_traffic(trace: Trace, rows: Int64s, events: tuple[GpuEvent, ...]) -> tuple[Traffic | None, ...]:
    """Work out the traffic of a step's events, None where shapes, types or the operator's rule are not known.

    Args:
        trace: a linked trace.
        rows: the events, as indices into ``trace.gpu``, in launch order.
        events: the same as values.
    """
    working = [event for event in events if event.call >= 0 and not _helps(event)]
    step = _Step(
        trace=trace,
        mains=Counter(event.call for event in working),
        special=Counter(event.call for event in working if event.decoded.op not in _SIDE_WORK),
    )
    return tuple(step.traffic(row, event) for row, event in zip(rows.tolist(), events, strict=True))


@dataclass(slots=True, kw_only=True)
class _Step:
    """What is known while a step's events are gone through.

    Attributes:
        trace: a linked trace.
        mains: kernels that do work of their own, by operator call; special: those of them that do what the call is for.
        unread: results of products that nothing has read yet, by size and type: a generated kernel reads them.
        all_known: the result of every product so far is known.
        memory: traffic by kernel and arguments; few are distinct.
    """

    trace: Trace
    mains: Counter[int]
    special: Counter[int]
    unread: Counter[tuple[int, str]] = field(default_factory=Counter)
    all_known: bool = True
    memory: dict[tuple[object, ...], Traffic | None] = field(default_factory=dict)

    def traffic(self, row: int, event: GpuEvent) -> Traffic | None:
        """Give one event's traffic, and keep in mind what it leaves to be read."""
        moved = _of_copy(event) if event.kind in ("memcpy", "memset") else self._of_kernel(row, event)
        heavy = event.decoded.op in _HEAVY
        self.all_known = self.all_known and (moved is not None or not heavy)
        if moved is not None:
            for tensor in moved.reads:
                key = (tensor.elements, tensor.dtype)
                self.unread[key] -= 1 if self.unread[key] > 0 else 0
            if heavy:
                self.unread.update((tensor.elements, tensor.dtype) for tensor in moved.writes)
        return moved

    def _of_kernel(self, row: int, event: GpuEvent) -> Traffic | None:
        operator = int(self.trace.gpu.operator[row])
        arguments = int(self.trace.cpu.operator_row[operator]) if operator >= 0 else -1
        # Where several kernels share one call, its shapes do not tell what each of them moves.
        if arguments < 0 or event.replayed or _helps(event) or not self._has_the_call(event):
            return None
        if event.decoded.family == "inductor_triton":
            call = call_of(self.trace, operator)
            return of_inductor(call, event.decoded, self.unread, all_known=self.all_known) if call.arguments else None
        key = (event.name, event.chain, argument_ids(self.trace, arguments))
        if key not in self.memory:
            self.memory[key] = _of_library(event, self.trace, operator)
        return self.memory[key]

    def _has_the_call(self, event: GpuEvent) -> bool:
        """Tell whether the call's shapes are those of this kernel: it is alone, or the others work on its statistics."""
        alone = self.mains[event.call] == 1
        return alone or (self.special[event.call] == 1 and event.decoded.op not in _SIDE_WORK)


def _helps(event: GpuEvent) -> bool:
    return event.kind != "kernel" or event.decoded.auxiliary


def _of_library(event: GpuEvent, trace: Trace, operator: int) -> Traffic | None:
    """Work out the traffic of a kernel that a library or ATen launched."""
    decoded = event.decoded
    outer = decoded.op in ATTENTION or decoded.op in CONVOLUTION
    calls = calls_around(trace, operator) if outer else [call_of(trace, operator)]
    if not calls[0].arguments:
        return None
    product = _product(decoded.op, calls)
    if product is not None:
        return Traffic(
            reads=product.reads,
            writes=product.writes,
            lower_bound=True,
            assumptions=product.assumptions,
            flops=product.flops,
            math_mode=decoded.dtype_in or _MODES.get(product.reads[-1].dtype),
        )
    return None if decoded.op in _HEAVY else of_aten(calls, decoded)


def _product(op: str | None, calls: Sequence[Call]) -> Product | None:
    if op in ATTENTION:
        return attention(calls)
    if op in CONVOLUTION:
        return convolution(calls)
    # A product's kernel can have a name that is not understood; its operator says what it is.
    return matrix_product(calls[0]) if op in GEMM or op is None else None


def _of_copy(event: GpuEvent) -> Traffic | None:
    """A copy inside the device reads and writes its bytes; one from or to the host only writes or reads them there."""
    size = event.size_bytes
    if size is None:
        return None
    whole = (Tensor(elements=size, dtype="unsigned char", size_bytes=size),)
    op = event.decoded.op
    reads = () if event.kind == "memset" or op == "memcpy_h2d" else whole
    writes = () if op == "memcpy_d2h" else whole
    return Traffic(reads=reads, writes=writes, lower_bound=False)
