"""Two runs compared, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from kerneldiff.diffs.explained import NO_WATERFALLS, Waterfalls
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.notes import Note
from kerneldiff.profiles.model import GpuEvent, OperatorStat, Profile

Relation = Literal[
    "same",
    "unproven",
    "resized",
    "recompiled",
    "reselected",
    "reimplemented",
    "fused",
    "split",
    "added",
    "removed",
]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
Facet = Literal["precision", "layout"]
Confidence = Literal["proved", "inferred", "position"]
GpuWork = Literal["same", "unproven", "changed", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One fact that differs between the sides of a match, as text; None where a side does not say."""

    field: str
    baseline: str | None
    candidate: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Events of the baseline and the events of the candidate that do the same work.

    Attributes:
        relation: how they stand to each other.
        baseline, candidate: indices into the events of each side, ascending.
        moved: the events run in another order on the candidate's side.
        facets: what of the arithmetic or the layout differs.
        operators: operators of both sides that launched them, in order.
        fused_operators: of ``fused`` and ``split``: the operators whose work is in fewer kernels.
        confidence: proved by identity, inferred from operators, or only by position.
        evidence: fields that are known on both sides and equal, or the grounds of the inference.
        reason: of ``unproven``: why equality is not proved, and what would prove it.
        differences: facts that differ.
        baseline_ns, candidate_ns: GPU time in the representative steps.
        time: whether that difference is real.
        bytes_saved: HBM traffic that the candidate no longer has, where shapes tell.
    """

    relation: Relation
    baseline: tuple[int, ...]
    candidate: tuple[int, ...]
    moved: bool = False
    facets: tuple[Facet, ...] = ()
    operators: tuple[str, ...] = ()
    fused_operators: tuple[str, ...] = ()
    confidence: Confidence = "proved"
    evidence: tuple[str, ...] = ()
    reason: str | None = None
    differences: tuple[Difference, ...] = ()
    baseline_ns: int = 0
    candidate_ns: int = 0
    time: TimeCall | None = None
    bytes_saved: int | None = None

    @property
    def delta_ns(self) -> int:
        """Candidate less baseline: positive when the candidate takes longer."""
        return self.candidate_ns - self.baseline_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorChange:
    """An operator with the calls, own time and launches of each side's representative step; None where absent."""

    operator: str
    baseline: OperatorStat | None
    candidate: OperatorStat | None

    @property
    def delta_ns(self) -> int:
        """Own CPU time, candidate less baseline."""
        return (self.candidate.own_ns if self.candidate else 0) - (self.baseline.own_ns if self.baseline else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """What changed on the CPU side: operators that left, that came, and those called another number of times."""

    removed: tuple[OperatorChange, ...]
    added: tuple[OperatorChange, ...]
    changed: tuple[OperatorChange, ...]
    kept: tuple[OperatorChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The four quantities, judged."""

    gpu: TimeCall
    gpu_busy: TimeCall
    cpu: TimeCall
    step: TimeCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Incomparable:
    """A fact in which the recordings differ, and what it affects."""

    field: str
    baseline: str
    candidate: str
    affects: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """Whether the two runs may be held against each other at all."""

    ok: bool
    differences: tuple[Incomparable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer.

    Attributes:
        gpu_work: same, unproven, changed, or unknown.
        changes: kinds of change, in the order of ``RELATIONS``, then facets, then ``captured``.
        summary: two or three sentences. details: further ones, in order of weight.
        reasons: why ``unproven`` or ``unknown``, with remedies; empty otherwise.
    """

    gpu_work: GpuWork
    changes: tuple[str, ...]
    summary: str
    reasons: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Two runs compared.

    Attributes:
        baseline, candidate: the runs.
        matches: every event of both sides is in exactly one, in the order of the baseline's launches,
            each ``added`` one after what it follows.
        times: whether the differences in time are real.
        dispatch: the CPU side.
        comparable: whether the recordings may be compared.
        verdict: the answer.
        notes: of both sides and of comparing.
        waterfalls: the differences of the representative steps, divided into rows that add up to them.
    """

    baseline: Profile
    candidate: Profile
    matches: tuple[Match, ...]
    times: Times
    dispatch: Dispatch
    comparable: Comparable
    verdict: Verdict
    notes: tuple[Note, ...]
    waterfalls: Waterfalls = NO_WATERFALLS


Events = tuple[GpuEvent, ...]
