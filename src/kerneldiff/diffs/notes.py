"""What comparing found that a reader of the answer must know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kerneldiff.diffs.model import Comparable, Match, Times
from kerneldiff.diffs.noise import StepRef, TimeCall
from kerneldiff.diffs.operators import of_event
from kerneldiff.notes import Note
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.units import time_text


def diff_notes(
    baseline: Profile, candidate: Profile, matches: Sequence[Match], times: Times, comparable: Comparable
) -> tuple[Note, ...]:
    """Gather the notes of both runs, each with its side, and those of the comparison."""
    return (
        *_comparability(comparable),
        *_outliers(baseline, candidate, times),
        *_random_numbers(baseline, candidate, matches),
        *_recomputed(baseline, candidate, matches),
        *_copied_addend(baseline, candidate, matches),
        *_of_sides(baseline, candidate),
    )


def _of_sides(baseline: Profile, candidate: Profile) -> list[Note]:
    """Put the side before each note of one run; a note that both have alike is said once."""
    found = []
    both = set(baseline.notes) & set(candidate.notes)
    for who, run in (("Baseline", baseline), ("Candidate", candidate)):
        for note in run.notes:
            if note in both:
                if who == "Baseline":
                    found.append(replace(note, text=f"Both runs: {note.text}"))
            else:
                found.append(replace(note, text=f"{who}: {note.text}"))
    return found


def _comparability(comparable: Comparable) -> list[Note]:
    notes = []
    for one in comparable.differences:
        text = (
            f"The recordings differ in {one.field}: {one.baseline} against {one.candidate}. It affects {one.affects}."
        )
        if one.field == "device":
            text += " A difference in time is one of the devices too; kernels are chosen for the device."
        notes.append(Note(code="recordings-differ-in", text=text, where=one.field))
    return notes


def _outliers(baseline: Profile, candidate: Profile, times: Times) -> list[Note]:
    """Name the steps far from the rest, and recordings that drift: neither is dropped without a word."""
    notes = []
    named = (("GPU time", times.gpu), ("CPU dispatch", times.cpu), ("step time", times.step))
    for what, call in named:
        sides = (("baseline", baseline, 0), ("candidate", candidate, 1))
        for who, run, side in sides:
            found, trend = call.outliers[side], call.trends[side]
            if found:
                text = f"{what} of the {who}: {_named(run, found, call, what)} far from the others; neither ratio nor call rests on that."
                notes.append(Note(code="outlier-steps", text=text, where=who, count=len(found)))
            if trend is not None and what != "CPU dispatch":
                slower = "slowed down" if trend.ratio > 1 else "became faster"
                text = f"{what} of the {who} drifts: it {slower} by {abs(trend.ratio - 1):.1%} during the run."
                notes.append(Note(code="drift", text=text, where=who, count=trend.recordings))
    return notes


def _named(run: Profile, found: Sequence[StepRef], call: TimeCall, what: str) -> str:
    """Name outliers with their verb: steps by number and value, timings without the profiler by how many they are."""
    verb = "lies" if len(found) == 1 else "lie"
    if call.basis == "unprofiled":
        return f"{len(found)} timing{'s' if len(found) > 1 else ''} without the profiler {verb}"
    # A step time is the distance from the step before: the first belongs to the second step.
    later = int(what == "step time")
    shown = ", ".join(_step_name(run, ref, ref.index + later) for ref in found[:5])
    return f"{shown}{f' and {len(found) - 5} more' if len(found) > 5 else ''} {verb}"


def _step_name(run: Profile, ref: StepRef, index: int) -> str:
    """Name one step by its number, where it has one, and its value."""
    numbers = run.samples[ref.recording].numbers
    place = f"step {numbers[index]}" if index < len(numbers) else f"step {index + 1} of the file"
    where = f" of recording {ref.recording + 1}" if len(run.samples) > 1 else ""
    return f"{place}{where} ({time_text(ref.value_ns)})"


def _basics(run: Profile) -> list[tuple[GpuEvent, frozenset[str]]]:
    return [(event, of_event(event)) for event in run.events]


def _random_numbers(baseline: Profile, candidate: Profile, matches: Sequence[Match]) -> list[Note]:
    """Inductor's dropout draws other numbers than ATen's, so outputs differ although the program is right."""
    sides = []
    for run in (baseline, candidate):
        providers = {event.decoded.library for event, basics in _basics(run) if "random" in basics}
        sides.append(providers)
    if not sides[0] or not sides[1] or sides[0] == sides[1] or not matches:
        return []
    text = (
        "Random numbers (dropout) come from another generator on the candidate's side, so outputs differ from run to run even where "
        "the program is right; Inductor adds a kernel that makes the seeds."
    )
    return [Note(code="other-random-numbers", text=text)]


def _recomputed(baseline: Profile, candidate: Profile, matches: Sequence[Match]) -> list[Note]:
    """An activation that the forward pass did once and that a fused backward kernel does again is more work."""
    listed = [
        event
        for event in candidate.events
        if event.decoded.family == "inductor_triton"
        and any(
            op.endswith("_backward") and op.removesuffix("_backward") in event.decoded.fused_ops
            for op in event.decoded.fused_ops
        )
    ]
    before = [
        event
        for event in baseline.events
        if event.decoded.family == "inductor_triton"
        and any(
            op.endswith("_backward") and op.removesuffix("_backward") in event.decoded.fused_ops
            for op in event.decoded.fused_ops
        )
    ]
    if not listed or before or not matches:
        return []
    text = (
        f"{len(listed)} fused backward kernels list an activation of the forward pass as well (gelu beside gelu_backward, say): "
        "it is probably computed again instead of being kept in memory."
    )
    return [Note(code="recomputed-in-backward", text=text, count=len(listed))]


def _copied_addend(baseline: Profile, candidate: Profile, matches: Sequence[Match]) -> list[Note]:
    """``addmm`` with a matrix copies it into the output first; fewer launches do not mean that it was fused."""
    for match in matches:
        for who, run, members in (("candidate", candidate, match.candidate), ("baseline", baseline, match.baseline)):
            if match.relation not in ("added", "removed"):
                continue
            for index in members:
                event = run.events[index]
                if event.kind == "memcpy" and event.operator in ("aten::addmm", "aten::baddbmm"):
                    text = (
                        f"In the {who}, {event.operator} copies its addend into the output first ({event.name}) and the GEMM accumulates "
                        "on it: the addition was not fused into a kernel, it became a copy."
                    )
                    return [Note(code="addend-copied", text=text)]
    return []
