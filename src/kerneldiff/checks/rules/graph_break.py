"""KD109 graph-break: compiled code falls into more regions than before.

What it does
    Compares the number of compiled regions in a step, counted by frame: what was compiled again for other shapes is
    one region. A baseline without compiled code has none to compare with, and passes.

Why it matters
    Between two regions Python runs, nothing is fused across, and each region has its guards and wrappers.

Example
    expected  1 compiled region a step (0)
    found     2 compiled regions a step (0, 1)

What to do
    ``TORCH_LOGS=graph_breaks`` names the line; ``torch.compile(fullgraph=True)`` makes it an error.
"""

from __future__ import annotations

from kerneldiff.checks.model import Finding, Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.counting import CPU_UNKNOWN, frames
from kerneldiff.checks.rules.model import Rule
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    before, after = frames(diff.baseline), frames(diff.candidate)
    if before is None or after is None:
        return Judged(open=(CPU_UNKNOWN,))
    if not before or len(after) <= len(before):
        return Judged()
    finding = Finding(
        text="compiled code falls into more regions", expected=(regions_text(before),), found=(regions_text(after),)
    )
    return Judged(findings=(finding,))


def regions_text(found: tuple[str, ...]) -> str:
    """Count compiled regions in words."""
    return f"{len(found)} compiled {'region' if len(found) == 1 else 'regions'} a step ({', '.join(found) or 'none'})"


RULE = Rule(code="KD109", name="graph-break", document=__doc__, judge=_judge)
