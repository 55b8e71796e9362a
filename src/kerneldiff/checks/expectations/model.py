"""What an expectation is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

COUNTS: Final = (
    "launches",
    "kernels",
    "copies",
    "sets",
    "gemms",
    "convolutions",
    "attention",
    "fp32-gemms",
    "synchronisations",
    "compiled-regions",
    "recompilations",
    "allocations",
)
# Not known of a part of a step.
OF_STEP: Final = ("synchronisations", "compiled-regions", "recompilations", "allocations")
LISTS: Final = ("views", "no-launch")
GEMM_KEYS: Final = ("count", "type", "layout", "tile", "epilogue", "library", "operator")
KEYS: Final = (*COUNTS, *LISTS, "fused", "gemm")

_RANGE = re.compile(r"(?P<low>\d+)\s*\.\.\s*(?P<high>\d+)")
_LIMIT = re.compile(r"(?P<sign><=|>=|<|>|=|==)?\s*(?P<number>\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A number, or a range of numbers; ``high`` None is without limit."""

    low: int = 0
    high: int | None = None

    def holds(self, number: int) -> bool:
        """Say whether a number is in the range."""
        return self.low <= number and (self.high is None or number <= self.high)

    def __str__(self) -> str:
        if self.high is None:
            return f"at least {self.low}"
        if self.low == self.high:
            return str(self.low)
        return f"at most {self.high}" if not self.low else f"{self.low} to {self.high}"


def count_of(value: object) -> Count:
    """Read a count: ``5``, ``"<= 5"``, ``">= 1"``, ``"2..4"``.

    >>> count_of(5), count_of("2..4"), count_of("> 1")
    (Count(low=5, high=5), Count(low=2, high=4), Count(low=2, high=None))

    Raises:
        ValueError: when it is none.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Count(low=value, high=value)
    text = value.strip() if isinstance(value, str) else ""
    if found := _RANGE.fullmatch(text):
        low, high = int(found["low"]), int(found["high"])
        if low <= high:
            return Count(low=low, high=high)
    elif (found := _LIMIT.fullmatch(text)) and not (found["sign"] == "<" and found["number"] == "0"):
        number = int(found["number"])
        return {
            "<=": Count(high=number),
            "<": Count(high=number - 1),
            ">=": Count(low=number),
            ">": Count(low=number + 1),
        }.get(found["sign"] or "", Count(low=number, high=number))
    raise ValueError(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gemm:
    """Matrix products of one kind; None does not matter.

    Attributes:
        count: how many there should be.
        type: operand type (bf16, f16, tf32, f32 ...); layout: of the operands, in cuBLAS's frame (tn, nn ...).
        tile: as in the decoded label, such as 256x128x64.
        epilogue: what is done inside the product (bias, gelu ...), or ``none``.
        library: who wrote the kernel; operator: who launched it.
    """

    count: Count
    type: str | None = None
    layout: str | None = None
    tile: str | None = None
    epilogue: str | None = None
    library: str | None = None
    operator: str | None = None

    def __str__(self) -> str:
        names = ("type", "layout", "tile", "epilogue", "library", "operator")
        said = [f"{name} {value}" for name in names if (value := getattr(self, name)) is not None]
        return f"GEMMs of {', '.join(said)}" if said else "GEMMs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is expected of the whole step, or of one region of it.

    Attributes:
        region: name of an annotation, None for the step.
        counts: key and count. views: operators that must be called and launch nothing. no_launch: operators that
            must not launch, called or not. fused: groups of operators that one kernel must do. gemms: products.
    """

    region: str | None
    counts: tuple[tuple[str, Count], ...] = ()
    views: tuple[str, ...] = ()
    no_launch: tuple[str, ...] = ()
    fused: tuple[tuple[str, ...], ...] = ()
    gemms: tuple[Gemm, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectations:
    """All that a file expects, the step first."""

    where: str
    scopes: tuple[Scope, ...]
