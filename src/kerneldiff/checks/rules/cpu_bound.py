"""KD112 cpu-bound: the CPU sets the pace of the candidate, and did not set that of the baseline.

What it does
    Compares what sets the pace of the profiled runs: ``cpu`` where the GPU is busy for at most 75 % of a step and its
    launches come late.

Why it matters
    The GPU waits: faster kernels no longer shorten the step. The profiler itself slows the CPU, so a program that is
    CPU-bound under it may not be so without.

Example
    expected  the pace is set by the gpu
    found     the pace is set by the cpu (GPU busy 62 % of a step)

What to do
    Fewer and larger launches: compile, fuse, replay a CUDA graph (``mode="reduce-overhead"``), or a larger batch.
"""

from __future__ import annotations

from kerneldiff.checks.model import Finding, Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.diffs.model import Diff
from kerneldiff.profiles.model import Profile


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    if (unknown := gpu_unknown(diff)) is not None:
        return unknown
    if diff.candidate.bound != "cpu" or diff.baseline.bound == "cpu":
        return Judged()
    finding = Finding(
        text="the CPU sets the pace now", expected=(_pace(diff.baseline),), found=(_pace(diff.candidate),)
    )
    return Judged(findings=(finding,))


def _pace(run: Profile) -> str:
    pace = run.explained.pace if run.explained is not None else None
    busy = "" if pace is None or pace.busy_share is None else f" (GPU busy {pace.busy_share:.0%} of a step)"
    return (
        f"the pace is not clearly set by either side{busy}"
        if run.bound == "unknown"
        else f"the pace is set by the {run.bound}{busy}"
    )


RULE = Rule(code="KD112", name="cpu-bound", document=__doc__, judge=_judge)
