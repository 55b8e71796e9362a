"""KD106 lost-attention: attention left a fused kernel.

What it does
    Finds matches in which the baseline ran a fused attention kernel (flash, memory-efficient, cuDNN) and the
    candidate runs products and a softmax instead.

Why it matters
    Without a fused kernel the matrix of scores is written to memory and read back; it grows with the square of the
    sequence length.

Example
    expected  cudnn attention_fwd f16 · _scaled_dot_product_cudnn_attention
    found     nvjet gemm f32 ... · bmm
              inductor persistent_reduction ...
              nvjet gemm f32 ... · bmm

What to do
    Look at what the backend refuses: the type, the mask, the head dimension, dropout, a needed gradient.
    ``torch.nn.attention.sdpa_kernel`` says which backends may be chosen.
"""

from __future__ import annotations

from kerneldiff.checks.describing import match_finding, sides
from kerneldiff.checks.model import Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.model import Diff, Match


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    if (unknown := gpu_unknown(diff)) is not None:
        return unknown
    lost = [match for match in diff.matches if _is_lost(diff, match)]
    return Judged(findings=tuple(match_finding(diff, match, "attention left its fused kernel") for match in lost))


def _is_lost(diff: Diff, match: Match) -> bool:
    had, has = ([heavy_class(event.decoded) == "attention" for event in side] for side in sides(diff, match))
    return any(had) and bool(has) and not any(has)


RULE = Rule(code="KD106", name="lost-attention", document=__doc__, judge=_judge)
