"""What a kernel's name says, as one frozen value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Certainty = Literal["source", "measured", "inferred", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One stretch of a name and what it means.

    Attributes:
        start, end: character offsets into ``KernelName.name`` (the demangled text when it was mangled).
        meaning: a line for people.
        certainty: where the reading comes from.
    """

    start: int
    end: int
    meaning: str
    certainty: Certainty


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelName:
    """A decoded name. What the name does not say is None, never a guess.

    Attributes:
        name: the name as it was given.
        family: the grammar that claimed it (the families of ``names.tsv``), or ``other``.
        library: who wrote the kernel: cublas, cudnn, aten, inductor_triton, triton, nccl ...
        op: one word of ``names.operations``.
        layout: of the operands: ``tn`` (cuBLAS frame, column-major) for GEMMs, ``nhwc`` ... for convolutions.
        dtype_in, dtype_acc, dtype_out: such as bf16, f16, tf32, f32, e4m3; several joined by a comma.
        tile: (m, n, k) in the cuBLAS frame, or fewer numbers where the name has fewer.
        stages: pipeline stages.
        split_k: True, False, or None when the name is silent.
        epilogue: what the name proves or can do; ends in ``_capable`` when it is only a capability.
        arch: architecture of the binary (sm90, gfx942), not of the device it ran on.
        fused_ops: operators named by the kernel, without ``aten::``.
        label: a short text for a table; never equal for two names that differ in decoded facts.
        unparsed: the rest of the name that is not understood, or None.
        parts: explained stretches, in order, not overlapping.
        demangled: the demangled text when ``name`` was mangled, else None.
        jit: compiled at run time, so that an equal name does not mean equal code.
        cut: the name was cut (ends in ``...`` or is at a length limit): never equal to anything.
        auxiliary: a helper of another kernel (split-k reduction, memset, layout or padding conversion, offsets).
    """

    name: str
    family: str = "other"
    library: str | None = None
    op: str | None = None
    layout: str | None = None
    dtype_in: str | None = None
    dtype_acc: str | None = None
    dtype_out: str | None = None
    tile: tuple[int, ...] | None = None
    stages: int | None = None
    split_k: bool | None = None
    epilogue: str | None = None
    arch: str | None = None
    fused_ops: tuple[str, ...] = ()
    label: str = ""
    unparsed: str | None = None
    parts: tuple[Part, ...] = ()
    demangled: str | None = None
    jit: bool = False
    cut: bool = False
    auxiliary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One library's grammar: ``parse`` answers None for a name that is not of this family."""

    name: str
    parse: Callable[[str], KernelName | None]
