"""Compulsory traffic of GPU events from shapes and types: each input read once, each output written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kerneldiff.links.model import Trace
from kerneldiff.names.operations import ATTENTION, CONVOLUTION, GEMM
from kerneldiff.profiles.arguments import Call, calls_around
from kerneldiff.profiles.elementwise import of_aten
from kerneldiff.profiles.explained import Tensor, Traffic
from kerneldiff.profiles.generated import of_inductor
from kerneldiff.profiles.model import GpuEvent
from kerneldiff.profiles.products import Product, attention, convolution, matrix_product
from kerneldiff.traces.model import Int64s

# Half types have one way of being multiplied; float has two (fp32, tf32), which only the kernel's name tells.
_MODES = {"c10::BFloat16": "bf16", "c10::Half": "f16"}
_HEAVY = GEMM | CONVOLUTION | ATTENTION


def step_traffic(trace: Trace, rows: Int64s, events: tuple[GpuEvent, ...]) -> tuple[Traffic | None, ...]:
    """Work out the traffic of a step's events, None where shapes, types or the operator's rule are not known.

    Args:
        trace: a linked trace.
        rows: the events, as indices into ``trace.gpu``, in launch order.
        events: the same as values.
    """
    mains = Counter(event.call for event in events if event.call >= 0 and not _helps(event))
    # Results of products that nothing has read yet, by size and type: a generated kernel reads them.
    unread: Counter[tuple[int, str]] = Counter()
    all_known = True
    found = []
    for row, event in zip(rows.tolist(), events, strict=True):
        operator = int(trace.gpu.operator[row])
        calls = calls_around(trace, operator) if operator >= 0 and not event.replayed else []
        alone = event.call >= 0 and mains[event.call] == 1
        moved = _of_event(event, calls, unread, alone=alone, all_known=all_known)
        all_known = all_known and (moved is not None or event.decoded.op not in _HEAVY)
        if moved is not None:
            for tensor in moved.reads:
                key = (tensor.elements, tensor.dtype)
                unread[key] -= 1 if unread[key] > 0 else 0
            if event.decoded.op in _HEAVY:
                unread.update((tensor.elements, tensor.dtype) for tensor in moved.writes)
        found.append(moved)
    return tuple(found)


def _helps(event: GpuEvent) -> bool:
    return event.kind != "kernel" or event.decoded.auxiliary


def _of_event(
    event: GpuEvent, calls: Sequence[Call], unread: Counter[tuple[int, str]], *, alone: bool, all_known: bool
) -> Traffic | None:
    if event.kind in ("memcpy", "memset"):
        return _of_copy(event)
    # Where several kernels share one call, its shapes do not tell what each of them moves.
    if not calls or not alone or _helps(event) or not calls[0].arguments:
        return None
    decoded = event.decoded
    if decoded.family == "inductor_triton":
        return of_inductor(calls[0], decoded, unread, all_known=all_known)
    product = _product(event, calls)
    if product is not None:
        return Traffic(
            reads=product.reads,
            writes=product.writes,
            lower_bound=True,
            assumptions=product.assumptions,
            flops=product.flops,
            math_mode=decoded.dtype_in or _MODES.get(product.reads[-1].dtype),
        )
    if decoded.op in _HEAVY:
        return None
    return of_aten(calls, decoded)


def _product(event: GpuEvent, calls: Sequence[Call]) -> Product | None:
    op = event.decoded.op
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
