"""Waterfalls as values: a difference in time, divided into rows that add up to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CpuRow = Literal["removed", "added", "kept", "between", "loader", "runtime", "sync"]
GpuRow = Literal["match", "overlap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaterfallItem:
    """One name inside a row: calls and time of each side's representative step."""

    name: str
    baseline_calls: int
    candidate_calls: int
    baseline_ns: int
    candidate_ns: int

    @property
    def delta_ns(self) -> int:
        """Candidate less baseline."""
        return self.candidate_ns - self.baseline_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class WaterfallRow:
    """One part of a difference.

    Attributes:
        kind: of the CPU side: operators that left (``removed``) or came (``added``), the same operators now slower or
            faster (``kept``), time between operators (``between``, annotations included), the data loader, runtime
            calls, waiting for the GPU (``sync``). Of the GPU side: one ``match``, or the ``overlap`` of streams, which
            is negative because it is counted twice in the sum.
        match: index of the match, None for other rows.
        baseline_ns, candidate_ns: time of each side.
        items: what it is made of, the largest difference first; empty for rows without names.
    """

    kind: CpuRow | GpuRow
    baseline_ns: int
    candidate_ns: int
    match: int | None = None
    items: tuple[WaterfallItem, ...] = ()

    @property
    def delta_ns(self) -> int:
        """Candidate less baseline."""
        return self.candidate_ns - self.baseline_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """A quantity of both sides' representative steps, and rows whose differences add up to its difference.

    Attributes:
        baseline_ns, candidate_ns: CPU extent of the step on the thread that launches most, or GPU busy time.
        rows: their baselines add up to ``baseline_ns``, their candidates to ``candidate_ns``, to the nanosecond.
    """

    baseline_ns: int
    candidate_ns: int
    rows: tuple[WaterfallRow, ...]

    @property
    def delta_ns(self) -> int:
        """Candidate less baseline."""
        return self.candidate_ns - self.baseline_ns

    def row(self, kind: CpuRow | GpuRow) -> WaterfallRow | None:
        """Give the first row of a kind, None where there is none."""
        return next((row for row in self.rows if row.kind == kind), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfalls:
    """Both sides of the machine; None where a run did not record that side."""

    cpu: Waterfall | None
    gpu: Waterfall | None


NO_WATERFALLS = Waterfalls(cpu=None, gpu=None)
