"""What went wrong in a variant, in one line that names it."""

from __future__ import annotations

from kerneldiff.errors import KerneldiffError
from kerneldiff.recordings.targets import first_line

_COMPILER_MODULES = ("torch._dynamo", "torch._inductor", "torch.fx.experimental", "triton.")


def describe(variant: str, error: BaseException, *, phase: str) -> str:
    """Say which variant failed, in which phase, why, and what to do.

    >>> describe("eager", RuntimeError("boom"), phase="running the step")
    'variant eager: running the step failed: RuntimeError: boom'
    """
    if isinstance(error, KerneldiffError):
        return f"variant {variant}: {error}"
    if is_out_of_memory(error):
        return f"variant {variant}: out of memory while {phase} ({first_line(error, 160)}); use smaller sizes or fewer variants"
    if is_from_compiler(error):
        return f"variant {variant}: compiling failed while {phase}: {type(error).__name__}: {first_line(error)}"
    return f"variant {variant}: {phase} failed: {type(error).__name__}: {first_line(error)}"


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether memory ran out, on the GPU or on the CPU."""
    text = str(error).lower()
    return (
        type(error).__name__ == "OutOfMemoryError"
        or isinstance(error, MemoryError)
        or "out of memory" in text
        or "can't allocate memory" in text
    )


def is_from_compiler(error: BaseException) -> bool:
    """Tell whether the compiler raised it, or raised what caused it."""
    chain: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and one not in chain:
        chain.append(one)
        one = one.__cause__
    return any(type(one).__module__.startswith(_COMPILER_MODULES) for one in chain)
