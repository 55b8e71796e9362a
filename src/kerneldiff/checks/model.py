"""What a check yields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Status = Literal["passed", "failed", "inconclusive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One mismatch.

    Attributes:
        text: what was found, in one sentence.
        expected, found: both sides as lines, to be shown beside each other.
        evidence: facts that prove it, as lines.
        count: how many times it was found alike (in each layer of a model).
    """

    text: str
    expected: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    count: int = 1


def folded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put equal findings into one with their count, in the order of the first."""
    counts: Counter[Finding] = Counter()
    for finding in findings:
        counts[replace(finding, count=1)] += finding.count
    return tuple(replace(finding, count=count) for finding, count in counts.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What one check found.

    Attributes:
        findings: mismatches.
        open: why the question cannot be decided from these recordings, with what would decide it.
    """

    findings: tuple[Finding, ...] = ()
    open: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One check with its answer.

    Attributes:
        code, name: ``KD104``, ``lost-fusion``.
        subject: what it speaks of where one check is applied to several things (a region), else None.
        findings, open: as judged.
    """

    code: str
    name: str
    subject: str | None = None
    findings: tuple[Finding, ...] = ()
    open: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """Failed with a finding; inconclusive when something could not be decided; else passed."""
        if self.findings:
            return "failed"
        return "inconclusive" if self.open else "passed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """All checks of one call.

    Attributes:
        subject: what was checked, for a headline.
        against: what it was held against.
        results: in the order of the checks.
        notes: what a reader must know besides.
    """

    subject: str
    against: str
    results: tuple[Result, ...]
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """The worst of the results: failed, inconclusive, passed."""
        found = {result.status for result in self.results}
        for status in STATUSES:
            if status in found:
                return status
        return "passed"

    def of(self, status: Status) -> tuple[Result, ...]:
        """List the results of one status."""
        return tuple(result for result in self.results if result.status == status)


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    """Put several outcomes on one run together."""
    if len(outcomes) == 1:
        return outcomes[0]
    return Outcome(
        subject=outcomes[0].subject,
        against=" and ".join(outcome.against for outcome in outcomes),
        results=tuple(result for outcome in outcomes for result in outcome.results),
        notes=tuple(dict.fromkeys(note for outcome in outcomes for note in outcome.notes)),
    )


STATUSES: tuple[Status, ...] = ("failed", "inconclusive", "passed")
