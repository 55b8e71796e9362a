"""KD104 lost-fusion: one kernel of the baseline became several in the candidate.

What it does
    Finds work that m main kernels did and that now takes more than m: matches of the relation ``split``.

Why it matters
    Each extra kernel reads and writes its operands again and is launched on its own.

Example
    expected  inductor pointwise gelu,mul
    found     aten gelu_tanh bf16 · gelu
              aten mul bf16(f32) · mul

What to do
    Look for a graph break (KD109), a changed type or a layout copy between the operators.
"""

from __future__ import annotations

from kerneldiff.checks.describing import match_finding
from kerneldiff.checks.model import Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001 - every rule has this signature
    split = [match for match in diff.matches if match.relation == "split"]
    return gpu_unknown(diff) or Judged(findings=tuple(match_finding(diff, match) for match in split))


RULE = Rule(code="KD104", name="lost-fusion", document=__doc__, judge=_judge)
