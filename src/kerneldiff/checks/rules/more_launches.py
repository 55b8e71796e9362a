"""KD103 more-launches: a step has more GPU events than the limit allows.

What it does
    Counts kernels, copies and sets of the representative step. The limit is ``more-launches`` (0 unless set): a
    count, or a share of the baseline such as ``"5%"``.

Why it matters
    Each event is launched on its own, and small ones take less time than their launch: the step gets CPU-bound.
    The count does not depend on the machine's mood, so it is a stable test.

Example
    expected  at most 62 GPU events a step
    found     67 GPU events a step
    + 8 x cublas/xmma gemm f32 nn 64x64x8 s3 sm80 · bmm

What to do
    Look at what was added or split: a lost fusion (KD104), a copy (KD107), a conversion (KD111).
"""

from __future__ import annotations

from collections import Counter

from kerneldiff.checks.describing import counted_text, event_text, sides
from kerneldiff.checks.model import Finding, Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:
    if (unknown := gpu_unknown(diff)) is not None:
        return unknown
    before, after = len(diff.baseline.events), len(diff.candidate.events)
    allowed = int(policy.more_launches.allowed(before))
    if after <= allowed:
        return Judged()
    more: Counter[str] = Counter()
    for match in diff.matches:
        if len(match.candidate) > len(match.baseline):
            ours, theirs = (Counter(event_text(event) for event in side) for side in sides(diff, match))
            more += theirs - ours
    finding = Finding(
        text=f"a step has {after - before} more GPU events",
        expected=(f"at most {allowed} GPU events a step",),
        found=(f"{after} GPU events a step",),
        evidence=tuple(f"+ {line}" for line in counted_text(more)),
    )
    return Judged(findings=(finding,))


RULE = Rule(code="KD103", name="more-launches", document=__doc__, judge=_judge, limit="more-launches")
