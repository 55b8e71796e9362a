"""KD101 slower-step: a step takes longer than the limit allows.

What it does
    Compares step time, from the end of one step's last GPU event to the next one's. It is a finding only where the
    difference is settled; where it looks too long and is not settled, the check is inconclusive. The limit is
    ``slower-step`` (10 % unless set).

Why it matters
    Step time is what a user waits for. GPU time can fall while steps get longer, and the other way round.

Example
    expected  at most 262.0 us a step
    found     301.4 us a step
    238.2 us -> 301.4 us (+26.5 %, between +21.0 % and +32.4 %)

What to do
    Look whether the CPU sets the pace (KD112), at what came in on the CPU side, and at KD102 for the GPU's share.
    If the check is inconclusive, record both programs in alternation, several recordings each.
"""

from __future__ import annotations

from kerneldiff.checks.model import Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.model import Rule
from kerneldiff.checks.rules.timing import slower
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:
    return slower(diff, diff.times.step, policy.slower_step, "step time")


RULE = Rule(code="KD101", name="slower-step", document=__doc__, judge=_judge, limit="slower-step")
