"""KD113 allocation: device memory was allocated inside the window.

What it does
    Counts the calls that allocate device memory (``cudaMalloc``) in the recorded steps; more of them a step than in
    the baseline is a finding.

Why it matters
    PyTorch keeps freed memory for later use. A step that still has to ask the driver waits for it, often for
    milliseconds, and usually for the GPU as well.

Example
    expected  0 allocations in 3 steps
    found     1 allocation in 3 steps
    step 2: cudaMalloc (1.92 ms, in aten::empty)

What to do
    Run more steps before the window. If it happens in every run, look at tensors that grow and at
    ``PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True``.
"""

from __future__ import annotations

from kerneldiff.checks.model import Finding, Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.counting import CPU_UNKNOWN
from kerneldiff.checks.rules.model import Rule
from kerneldiff.checks.rules.recompilation import occurrence_text
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    ours, theirs = diff.baseline.explained, diff.candidate.explained
    if ours is None or theirs is None or ours.cpu is None or theirs.cpu is None:
        return Judged(open=(CPU_UNKNOWN,))
    before, after = ours.compiled.allocations, theirs.compiled.allocations
    steps = (max(1, len(ours.step_lengths_ns)), max(1, len(theirs.step_lengths_ns)))
    if len(after) * steps[0] <= len(before) * steps[1]:
        return Judged()
    finding = Finding(
        text="device memory was allocated inside the window",
        expected=(_count(len(before), steps[0]),),
        found=(_count(len(after), steps[1]),),
        evidence=tuple(occurrence_text(one) for one in after[:5]),
    )
    return Judged(findings=(finding,))


def _count(number: int, steps: int) -> str:
    return f"{number} allocation{'' if number == 1 else 's'} in {steps} step{'' if steps == 1 else 's'}"


RULE = Rule(code="KD113", name="allocation", document=__doc__, judge=_judge)
