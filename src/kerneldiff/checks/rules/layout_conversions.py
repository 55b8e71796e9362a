"""KD111 layout-conversions: a step converts layouts more often than before.

What it does
    Counts kernels that only reorder a tensor (NCHW to NHWC and back, transposes), helpers of convolutions included.

Why it matters
    A convolution that wants another layout reads and writes its whole input and output once more.

Example
    expected  cudnn conv_fprop f16 nhwc 256x64x32 · cudnn_convolution
    found     cudnn layout_transform f16 · cudnn_convolution
              cudnn conv_fprop f16 nhwc 256x64x32 · cudnn_convolution

What to do
    Keep model and input in ``torch.channels_last``; look for a ``view`` or ``contiguous`` that drops it.
"""

from __future__ import annotations

from kerneldiff.checks.model import Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.counting import is_conversion, more_of
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    found = more_of(diff, lambda event: is_conversion(event.decoded), "layout conversions")
    return gpu_unknown(diff) or Judged(findings=found)


RULE = Rule(code="KD111", name="layout-conversions", document=__doc__, judge=_judge)
