"""KD105 wider-type: a product, a convolution or attention fell to a wider type.

What it does
    Finds matches whose widest operand type among products, convolutions and attention is wider in the candidate:
    fp8 < bf16 and fp16 < tf32 < fp32 < fp64. Types inside elementwise kernels do not count: generated code computes
    in fp32 there.

Why it matters
    Tensor cores run narrow types many times faster, and twice the bytes are moved.

Example
    expected  cudnn attention_fwd f16 · _scaled_dot_product_cudnn_attention
    found     cutlass gemm tf32 ... · bmm
    operand type: f16 -> f32

What to do
    Look for a tensor that lost its autocast region, a constant in fp32, or an implementation that was decomposed.
    ``torch.backends.cuda.matmul.allow_tf32`` tells fp32 from tf32.
"""

from __future__ import annotations

from collections.abc import Sequence

from kerneldiff.checks.describing import events_text, sides
from kerneldiff.checks.model import Finding, Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.facets import operand_type
from kerneldiff.diffs.model import Diff, Match
from kerneldiff.profiles.model import GpuEvent

_WIDTHS = {"e4m3": 8, "e5m2": 8, "bf16": 16, "f16": 16, "tf32": 19, "f32": 32, "f64": 64}


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    if (unknown := gpu_unknown(diff)) is not None:
        return unknown
    findings = [found for match in diff.matches if (found := _wider(diff, match)) is not None]
    return Judged(findings=tuple(findings))


def _wider(diff: Diff, match: Match) -> Finding | None:
    ours, theirs = sides(diff, match)
    before, after = _widest(ours), _widest(theirs)
    if before is None or after is None or _WIDTHS[after] <= _WIDTHS[before]:
        return None
    return Finding(
        text=f"operands of {after} where they were {before}",
        expected=events_text([event for event in ours if heavy_class(event.decoded)]),
        found=events_text([event for event in theirs if heavy_class(event.decoded)]),
        evidence=(f"operand type: {before} -> {after}",),
    )


def _widest(events: Sequence[GpuEvent]) -> str | None:
    types = [operand_type(event) for event in events if heavy_class(event.decoded) is not None]
    known = [name for name in types if name in _WIDTHS]
    return max(known, key=lambda name: _WIDTHS[name]) if known else None


RULE = Rule(code="KD105", name="wider-type", document=__doc__, judge=_judge)
