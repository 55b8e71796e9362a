"""The judgement that the two rules on time share."""

from __future__ import annotations

from kerneldiff.checks.model import Finding, Judged
from kerneldiff.checks.policy import Limit
from kerneldiff.diffs.model import Diff
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.units import percent_text, time_text


def slower(diff: Diff, call: TimeCall, limit: Limit, what: str) -> Judged:
    """Judge a time of a comparison against its limit.

    A time that is settled to be longer by more than the limit is a finding. One that looks so and is not settled is
    open, and so is one that was not measured, or not on the same device. Everything else passes: it was not seen to be
    too long.
    """
    if not diff.comparable.ok:
        differing = next(one for one in diff.comparable.differences if one.field in ("device", "kind of data"))
        said = f"{differing.baseline} against {differing.candidate}"
        return Judged(
            open=(f"{what} says nothing of the program: {differing.field} differs ({said}); record both alike",)
        )
    if call.ratio is None or call.baseline_ns is None or call.candidate_ns is None:
        return Judged(open=(f"{what} was not measured on both sides: {call.reason}",))
    if call.candidate_ns <= limit.allowed(call.baseline_ns):
        return Judged()
    interval = ""
    if call.interval is not None:
        low, high = (percent_text(ratio) for ratio in call.interval)
        interval = f", between {low} and {high}"
    said = f"{time_text(call.baseline_ns)} -> {time_text(call.candidate_ns)} ({percent_text(call.ratio)}{interval})"
    if call.call != "slower":
        return Judged(open=(f"{what} looks longer and that is not settled: {said}. {call.reason}",))
    finding = Finding(
        text=f"{what} is longer by more than {limit}",
        expected=(f"at most {time_text(limit.allowed(call.baseline_ns))} a step",),
        found=(f"{time_text(call.candidate_ns)} a step",),
        evidence=(said, *((call.reason,) if call.reason else ())),
    )
    return Judged(findings=(finding,))
