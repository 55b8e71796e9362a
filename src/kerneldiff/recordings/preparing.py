"""Making a variant ready: built, compiled, tuned and warm before anything is timed or recorded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from kerneldiff.recordings import digests
from kerneldiff.recordings.devices import import_torch, synchronize
from kerneldiff.recordings.model import Program, Variant
from kerneldiff.recordings.outputs import Results, first_step

# Capturing a graph takes up to three calls; two calls in which nothing was compiled say that compiling has ended.
_FEWEST_CALLS: Final = 4
_QUIET_CALLS: Final = 2
_MOST_CALLS: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A variant that is ready.

    Attributes:
        variant, program: what it is and what runs.
        results: of the first step, on fresh weights.
        kernels: what Triton compiled for it and launched until it was warm.
        settled: compiling had ended after the warm-up.
    """

    variant: Variant
    program: Program
    results: Results
    kernels: tuple[digests.KernelFacts, ...]
    settled: bool


def prepare(variant: Variant, device: str, seed: int) -> Prepared:
    """Build a variant with the given seed, and run it until nothing is compiled any more."""
    torch = import_torch()
    torch.manual_seed(seed)
    program = variant.make(device)
    torch.manual_seed(seed)
    with digests.watch() as compiling:
        results = first_step(program)
        settled = _warm_up(program)
        synchronize(device)
    return Prepared(variant=variant, program=program, results=results, kernels=compiling.facts(), settled=settled)


def kernels_now(ready: Prepared, device: str) -> tuple[digests.KernelFacts, ...]:
    """List the kernels that a step launches now, and those that only earlier steps did, which a graph may replay.

    Variants that were compiled later can have tuned a shared kernel anew, so what was true at first may not be.
    """
    with digests.watch() as steady:
        ready.program.step()
        synchronize(device)
    names = {kernel.name for kernel in steady.facts()}
    return (*steady.facts(), *(kernel for kernel in ready.kernels if kernel.name not in names))


def _warm_up(program: Program) -> bool:
    quiet = 0
    for call in range(_MOST_CALLS):
        before = _compilations()
        program.step()
        quiet = quiet + 1 if _compilations() == before else 0
        if call + 1 >= _FEWEST_CALLS and quiet >= _QUIET_CALLS:
            return True
    return False


def _compilations() -> int:
    """Count the graphs that Dynamo has compiled in this process."""
    utils = sys.modules.get("torch._dynamo.utils")
    counters: Any = getattr(utils, "counters", {})
    return int(counters.get("stats", {}).get("unique_graphs", 0))


@contextmanager
def compiler_settings(device: str, *, fresh: bool) -> Iterator[None]:
    """Set up the compiler for a session: empty caches where builds are compared, CPU kernels visible on a CPU."""
    torch = import_torch()
    import torch._inductor.config as inductor  # noqa: PLC0415 - the switch is nowhere else

    kept = inductor.cpp.enable_kernel_profile
    inductor.cpp.enable_kernel_profile = kept or device == "cpu"
    torch._dynamo.reset()  # noqa: SLF001 - the documented way to forget compiled code
    try:
        if fresh:
            from torch._inductor.utils import fresh_cache  # noqa: PLC0415

            with fresh_cache():
                yield
        else:
            yield
    finally:
        inductor.cpp.enable_kernel_profile = kept
