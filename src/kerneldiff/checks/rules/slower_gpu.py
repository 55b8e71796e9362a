"""KD102 slower-gpu: the GPU works longer in a step than the limit allows.

What it does
    Compares the sum of the durations of a step's GPU events. It is a finding only where the difference is settled.
    The limit is ``slower-gpu`` (5 % unless set).

Why it matters
    GPU time is steady from recording to recording (within 1.3 % in one session), so it shows changes that step
    time hides in its noise.

Example
    expected  at most 436.8 us a step
    found     554.1 us a step
    416.0 us -> 554.1 us (+33.2 %, between +22.1 % and +45.3 %)

What to do
    ``kerneldiff compare`` lists the GPU events side by side with the time that each change costs.
"""

from __future__ import annotations

from kerneldiff.checks.model import Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.checks.rules.timing import slower
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:
    return gpu_unknown(diff) or slower(diff, diff.times.gpu, policy.slower_gpu, "GPU time")


RULE = Rule(code="KD102", name="slower-gpu", document=__doc__, judge=_judge, limit="slower-gpu")
