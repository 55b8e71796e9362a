"""KD107 new-copy: a step copies more than before.

What it does
    Counts memory copies and kernels that only copy (``copy_``, ``clone``, ``contiguous``, casts), and names the
    matches in which there are more of them. Copies between host and device count.

Why it matters
    A copy computes nothing: it moves every byte twice. It often hides in an operator that asks for another layout
    or type, and an ``addmm`` with a matrix copies its addend first.

Example
    expected  nvjet gemm bf16 nn 128x64x64 · addmm
    found     Memcpy DtoD · addmm
              nvjet gemm bf16 nn 128x64x64 +add · addmm

What to do
    The operators of the copy say who asked for it: a ``contiguous`` call, a cast, a strided view passed on.
"""

from __future__ import annotations

from kerneldiff.checks.model import Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.counting import is_copy, more_of
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    return gpu_unknown(diff) or Judged(findings=more_of(diff, is_copy, "copies"))


RULE = Rule(code="KD107", name="new-copy", document=__doc__, judge=_judge)
