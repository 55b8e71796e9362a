"""Questions that expectations, rules and tests ask of one run."""

from __future__ import annotations

from collections.abc import Sequence

from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.facets import operand_type
from kerneldiff.diffs.operators import bare, basics, of_event
from kerneldiff.profiles.model import GpuEvent, Profile

# Where a bias or an activation is done inside the product, so that one kernel does both.
_INSIDE = ("gemm-epilogue", "one-kernel")
_PRODUCTS = frozenset({"mm", "bmm", "mv", "convolution", "attention", "softmax", "amax", "exp"})


def does(run: Profile, index: int) -> frozenset[str]:
    """List the operations that one GPU event does by itself: basic names, and the names that its own name lists.

    An operator around the launch may need several kernels (``addmm`` with a separate epilogue, attention by products
    and a softmax), so only the innermost one counts, and of a product with more than a product only what was done
    inside it. A helper kernel does nothing of its own.
    """
    event = run.events[index]
    listed = frozenset(bare(f"::{name}") for name in event.decoded.fused_ops)
    named = frozenset().union(*(basics(f"aten::{name}") for name in event.decoded.fused_ops)) | listed
    if event.kind in ("memcpy", "memset") or event.decoded.family == "inductor_triton":
        return of_event(event) | listed
    if event.decoded.auxiliary:
        return named
    launched = basics(event.operator) if event.operator is not None else frozenset[str]()
    if heavy_class(event.decoded) is not None:
        launched = frozenset(one for one in launched if one in _PRODUCTS or _inside(run, index, one))
    return launched | named


def _inside(run: Profile, index: int, operation: str) -> bool:
    """Say whether an addition or an activation is done inside a product, and not by a kernel or a copy beside it."""
    event = run.events[index]
    placed = run.explained.epilogues if run.explained is not None else ()
    wanted = ("bias", "addend") if operation == "add" else (operation,)
    found = [one.place in _INSIDE for one in placed if one.event == index and one.what in wanted]
    if found:
        return all(found)
    named = event.decoded.epilogue
    if named is not None and not named.endswith("_capable"):
        return any(word in named.split("+") for word in wanted)
    beside = [other for other in run.events if other.call == event.call and other.kind != "memset"]
    return operation == "add" and event.call >= 0 and len(beside) == 1


def doing(run: Profile, operator: str) -> list[int]:
    """List the GPU events that do the work of an operator (``gelu`` or ``aten::gelu``)."""
    return [index for index in range(len(run.events)) if _covers(run, index, operator)]


def fused(run: Profile, operators: Sequence[str]) -> list[int]:
    """List the kernels that do the work of all the given operators."""
    return [
        index
        for index, event in enumerate(run.events)
        if event.kind in ("kernel", "cpu_kernel") and all(_covers(run, index, operator) for operator in operators)
    ]


def _covers(run: Profile, index: int, operator: str) -> bool:
    name = operator if "::" in operator else f"aten::{operator}"
    done = does(run, index)
    wanted = basics(name)
    return bare(name) in done or (bool(wanted) and wanted <= done)


def gemms(run: Profile) -> list[int]:
    """List the matrix products."""
    return [index for index, event in enumerate(run.events) if heavy_class(event.decoded) == "gemm"]


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
