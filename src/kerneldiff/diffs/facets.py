"""Facets: whether the arithmetic or the layout of heavy operations differs within a match."""

from __future__ import annotations

from collections.abc import Sequence

from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.model import Facet
from kerneldiff.profiles.model import GpuEvent

# PyTorch's type names as the profiler writes them.
_TYPES = {
    "c10::BFloat16": "bf16",
    "c10::Half": "f16",
    "float": "f32",
    "double": "f64",
    "c10::Float8_e4m3fn": "e4m3",
    "c10::Float8_e5m2": "e5m2",
}


def facets(baseline: Sequence[GpuEvent], candidate: Sequence[GpuEvent]) -> tuple[Facet, ...]:
    """Give the facets of a match: types and math modes of products, convolutions and attention, and layouts.

    Types inside elementwise kernels say nothing (generated code computes in f32), so only operand types of
    heavy kernels count.
    """
    ours = [event for event in baseline if heavy_class(event.decoded)]
    theirs = [event for event in candidate if heavy_class(event.decoded)]
    if not ours or not theirs:
        return ()
    found: list[Facet] = []
    if _precision(ours, theirs):
        found.append("precision")
    if _layout(ours, theirs):
        found.append("layout")
    return tuple(found)


def _precision(ours: Sequence[GpuEvent], theirs: Sequence[GpuEvent]) -> bool:
    one, other = {operand_type(event) for event in ours}, {operand_type(event) for event in theirs}
    return None not in one | other and one != other


def operand_type(event: GpuEvent) -> str | None:
    """Give the operand type of a heavy kernel: as its name says, else as its operator's tensors are."""
    if event.decoded.dtype_in is not None:
        return math_mode(event)
    types = [_TYPES[name] for name in event.input_types or () if name in _TYPES]
    return types[0] if types else None


def math_mode(event: GpuEvent) -> str | None:
    """Tell TF32 from true f32: CUTLASS and cuBLAS name the tensor-core instruction, not the mode, for f32 data."""
    decoded = event.decoded
    if decoded.dtype_in == "f32" and any(part in event.name for part in ("s1688gemm", "s1688fprop", "tf32")):
        return "tf32"
    return decoded.dtype_in


def _layout(ours: Sequence[GpuEvent], theirs: Sequence[GpuEvent]) -> bool:
    """Compare layouts one by one; groups of different length have no common order."""
    if len(ours) != len(theirs):
        return False
    pairs = [
        (one.decoded.layout, other.decoded.layout)
        for one, other in zip(ours, theirs, strict=True)
        if one.decoded.op == other.decoded.op  # a matrix-vector kernel has one letter, of its one matrix
    ]
    return any(one is not None and other is not None and one != other for one, other in pairs)
