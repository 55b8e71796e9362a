"""KD110 recompilation: the candidate compiled code inside the recorded window.

What it does
    Looks for compilations in the recorded steps of the candidate.

Why it matters
    A step in which something is compiled takes seconds instead of milliseconds and measures the compiler. Where it
    happens in every run, shapes or guards change from step to step.

Example
    expected  no compilation in the recorded steps
    found     step 7: _compile.compile_inner (2.31 s)

What to do
    ``TORCH_LOGS=recompiles`` names the guard that failed. Mark the changing dimension as dynamic, or run more steps
    before the window.
"""

from __future__ import annotations

from kerneldiff.checks.model import Finding, Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.counting import CPU_UNKNOWN
from kerneldiff.checks.rules.model import Rule
from kerneldiff.diffs.model import Diff
from kerneldiff.profiles.explained import Occurrence
from kerneldiff.units import time_text


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    explained = diff.candidate.explained
    if explained is None or explained.cpu is None:
        return Judged(open=(CPU_UNKNOWN,))
    found = explained.compiled.recompilations
    if not found:
        return Judged()
    finding = Finding(
        text="something was compiled inside the window",
        expected=("no compilation in the recorded steps",),
        found=tuple(occurrence_text(one) for one in found[:5]),
    )
    return Judged(findings=(finding,))


def occurrence_text(one: Occurrence) -> str:
    """Say what happened in which step and how long it took."""
    where = f"step {one.step}: " if one.step is not None else ""
    below = f", in {one.chain[-1]}" if one.chain else ""
    return f"{where}{one.name} ({time_text(one.ns)}{below})"


RULE = Rule(code="KD110", name="recompilation", document=__doc__, judge=_judge)
