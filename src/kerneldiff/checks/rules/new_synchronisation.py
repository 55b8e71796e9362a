"""KD108 new-synchronisation: the CPU waits for the GPU more often than before.

What it does
    Counts, on the thread that launches most, the calls that wait (``cudaStreamSynchronize`` and the like) and reads
    of a value (``aten::item``) in the representative step.

Why it matters
    While the CPU waits it launches nothing; afterwards the GPU waits for the next launch.

Example
    expected  cudaStreamSynchronize: 0 a step
    found     cudaStreamSynchronize: 2 a step

What to do
    Look for ``.item()``, ``.cpu()``, ``.tolist()``, a boolean mask as an index, a ``print`` of a tensor, a copy from
    memory that is not pinned.
"""

from __future__ import annotations

from kerneldiff.checks.model import Finding, Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.counting import CPU_UNKNOWN, waits
from kerneldiff.checks.rules.model import Rule
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    before, after = waits(diff.baseline), waits(diff.candidate)
    if before is None or after is None:
        return Judged(open=(CPU_UNKNOWN,))
    return Judged(
        findings=tuple(
            Finding(
                text="the CPU waits for the GPU more often",
                expected=(f"{name}: {before[name]} a step",),
                found=(f"{name}: {count} a step",),
            )
            for name, count in after.items()
            if count > before[name]
        )
    )


RULE = Rule(code="KD108", name="new-synchronisation", document=__doc__, judge=_judge)
