"""Questions that expectations, rules and tests ask of one run."""

from __future__ import annotations

from collections.abc import Sequence

from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.facets import operand_type
from kerneldiff.diffs.operators import bare, basics, of_event
from kerneldiff.profiles.model import GpuEvent, Profile

# These operators launch one of several things; only the kernel's name says whether the activation was done inside.
_EPILOGUE_IN_NAME = frozenset({"addmm_activation"})


def does(event: GpuEvent) -> frozenset[str]:
    """List the operations that one GPU event does: basic names, and the names that generated code lists.

    Of a library's product with an activation only what its name proves counts.
    """
    listed = frozenset(bare(f"::{name}") for name in event.decoded.fused_ops)
    if any(bare(name) in _EPILOGUE_IN_NAME for name in event.chain):
        proved = frozenset((event.decoded.epilogue or "").replace("+", "_").split("_"))
        return frozenset({"mm", "addmm"}) | (of_event(event) & (proved | {"mm"})) | listed
    return of_event(event) | listed


def doing(run: Profile, operator: str) -> list[int]:
    """List the GPU events that do the work of an operator (``gelu`` or ``aten::gelu``)."""
    return [index for index, event in enumerate(run.events) if _covers(event, operator)]


def fused(run: Profile, operators: Sequence[str]) -> list[int]:
    """List the kernels that do the work of all the given operators."""
    return [
        index
        for index, event in enumerate(run.events)
        if event.kind in ("kernel", "cpu_kernel") and all(_covers(event, operator) for operator in operators)
    ]


def _covers(event: GpuEvent, operator: str) -> bool:
    name = operator if "::" in operator else f"aten::{operator}"
    done = does(event)
    wanted = basics(name)
    return bare(name) in done or (bool(wanted) and wanted <= done)


def gemms(run: Profile) -> list[int]:
    """List the matrix products."""
    return [index for index, event in enumerate(run.events) if heavy_class(event.decoded) == "gemm"]


def heavy(run: Profile, kind: str) -> list[int]:
    """List the products (``gemm``), convolutions (``conv``) or attention kernels (``attention``)."""
    return [index for index, event in enumerate(run.events) if heavy_class(event.decoded) == kind]


def operand(event: GpuEvent) -> str | None:
    """Give the operand type of a product, convolution or attention kernel, None where nothing tells."""
    return operand_type(event)


def launched_by(run: Profile, operator: str) -> list[int]:
    """List the GPU events that an operator launched, itself or by operators inside it."""
    name = operator if "::" in operator else f"aten::{operator}"
    return [index for index, event in enumerate(run.events) if name in event.chain or operator in event.chain]


def calls(run: Profile, operator: str) -> int:
    """Count the calls of an operator in the representative step."""
    names = {operator, operator if "::" in operator else f"aten::{operator}"}
    return sum(stat.calls for stat in run.operators if stat.operator in names)


def work_recorded(run: Profile) -> bool:
    """Tell whether the program's work was recorded at all: GPU events, or kernels of a program on the CPU.

    Not recorded is not zero.
    """
    return on_cpu(run) or ("gpu" not in run.missing and bool(run.coverage.gpu_events))


def on_cpu(run: Profile) -> bool:
    """Tell whether the program ran on the CPU, whose kernels are its work then."""
    return any(event.kind == "cpu_kernel" for event in run.events)
