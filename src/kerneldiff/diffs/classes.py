"""Classes of heavy operations: those whose pairing anchors an alignment."""

from __future__ import annotations

from typing import Literal

from kerneldiff.names.model import KernelName
from kerneldiff.names.operations import ATTENTION, CONVOLUTION, GEMM

HeavyClass = Literal["gemm", "conv", "attention"]


def heavy_class(decoded: KernelName) -> HeavyClass | None:
    """Give the class of a kernel that multiplies matrices, None for everything else.

    A Triton template says in its operators which of the three it is.
    """
    if decoded.op in ATTENTION or (decoded.op == "template" and any("attention" in op for op in decoded.fused_ops)):
        return "attention"
    if decoded.op in CONVOLUTION or (decoded.op == "template" and any("conv" in op for op in decoded.fused_ops)):
        return "conv"
    return "gemm" if decoded.op in GEMM else None
