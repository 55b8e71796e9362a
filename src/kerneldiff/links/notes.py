"""What linking found that a reader of the answer must know."""

from __future__ import annotations

import numpy as np

from kerneldiff.links.gpu import launched_before
from kerneldiff.links.model import CpuColumns, GpuColumns, Step
from kerneldiff.notes import Note
from kerneldiff.traces.model import Int64s, Kind, RawTrace
from kerneldiff.units import time_text


def link_notes(raw: RawTrace, cpu: CpuColumns, gpu: GpuColumns, steps: tuple[Step, ...], lost: Int64s) -> list[Note]:
    """Gather the remarks of linking, each only where it applies."""
    has_marks = steps[0].number is not None
    return [
        *_processes(raw, cpu),
        *_no_gpu(raw, gpu, lost),
        *_without_launch(raw, cpu, gpu, has_marks=has_marks),
        *_lost(gpu, steps, lost),
        *_incomplete(steps),
        *_skew(cpu, gpu),
        *_impossible(raw, gpu),
        *_outside(gpu, has_marks=has_marks),
    ]


def _processes(raw: RawTrace, cpu: CpuColumns) -> list[Note]:
    launching = np.unique(cpu.track[np.isin(cpu.kind, (Kind.OPERATOR, Kind.RUNTIME))])
    pids = sorted({raw.tracks[track].pid for track in launching.tolist()})
    if len(pids) < 2:
        return []
    named = ", ".join(pids[:4])
    text = f"The file holds operators of {len(pids)} processes ({named}); they are taken for one. Record each process to a file of its own."
    return [Note(code="several-processes", text=text, count=len(pids))]


def _no_gpu(raw: RawTrace, gpu: GpuColumns, lost: Int64s) -> list[Note]:
    if len(gpu):
        return []
    other = int((raw.events.kind == Kind.OTHER_DEVICE).sum())
    if other:
        names = sorted(
            {raw.strings[i] for i in np.unique(raw.events.category[raw.events.kind == Kind.OTHER_DEVICE]).tolist()}
        )
        text = f"{other} device events are of a category that kerneldiff does not read as kernels ({', '.join(names)}); they are not compared."
        return [Note(code="unread-device-work", text=text, count=other)]
    if len(lost):
        text = f"{len(lost)} launches were recorded and not one GPU event: the GPU records were lost or not recorded. That is not zero GPU work."
        return [Note(code="gpu-not-recorded", text=text, count=len(lost))]
    return [
        Note(
            code="gpu-not-recorded",
            text="The file has no GPU events: nothing is known of GPU work (not recorded is not zero). Record with ProfilerActivity.CUDA to have it.",
        )
    ]


def _without_launch(raw: RawTrace, cpu: CpuColumns, gpu: GpuColumns, *, has_marks: bool) -> list[Note]:
    unlinked = gpu.launch < 0
    if not unlinked.any() or unlinked.all():
        return []
    before = launched_before(raw, cpu, gpu)
    place = "belong to no step" if has_marks else "have no operator"
    notes = []
    for code, which, why in (
        ("launched-before-window", before, "were launched before the recording began"),
        ("launch-not-recorded", unlinked & ~before, "have a launch inside the window whose record was lost"),
    ):
        count = int(which.sum())
        if count:
            spent = time_text(int(gpu.longest_ns[which].sum()))
            notes.append(Note(code=code, text=f"{count} GPU events ({spent}) {why} and {place}.", count=count))
    return notes


def _lost(gpu: GpuColumns, steps: tuple[Step, ...], lost: Int64s) -> list[Note]:
    if not len(lost) or not len(gpu):
        return []
    where = ", ".join(str(step.number) for step in steps if step.lost and step.number is not None)
    inside = f" (in step {where})" if where else ""
    text = (
        f"{len(lost)} launches have no GPU event{inside}: the profiler lost the records. Those steps are not compared."
    )
    return [Note(code="launches-without-events", text=text, where=f"step {where}" if where else None, count=len(lost))]


def _incomplete(steps: tuple[Step, ...]) -> list[Note]:
    notes = []
    compiled = [str(step.number) for step in steps if step.compiled]
    if compiled:
        text = f"Step {', '.join(compiled)} contains a compilation and is left out."
        notes.append(
            Note(code="compilation-in-window", text=text, where=f"step {', '.join(compiled)}", count=len(compiled))
        )
    profiler = [step for step in steps if step.profiler_ns]
    if profiler:
        where = ", ".join(str(step.number) for step in profiler)
        spent = time_text(sum(step.profiler_ns for step in profiler))
        text = f"Step {where} contains {spent} of the profiler's own set-up and first-use loading, and is left out."
        notes.append(Note(code="profiler-overhead", text=text, where=f"step {where}", count=len(profiler)))
    return notes


def _skew(cpu: CpuColumns, gpu: GpuColumns) -> list[Note]:
    linked = gpu.launch >= 0
    early = cpu.start_ns[gpu.launch[linked]] - gpu.start_ns[linked] if len(cpu) else np.zeros(0, dtype=np.int64)
    count = int((early > 0).sum())
    if not count:
        return []
    text = (
        f"{count} GPU events start before their launch, by up to {time_text(int(early.max()))}: the clocks of CPU and GPU "
        "are not aligned. They are linked by id all the same; delays between launch and start mean nothing for them."
    )
    return [Note(code="clock-skew", text=text, count=count)]


def _impossible(raw: RawTrace, gpu: GpuColumns) -> list[Note]:
    notes = []
    for index in np.flatnonzero(gpu.impossible).tolist()[:5]:
        correlation = int(raw.device.correlation[gpu.device_row[index]])
        text = (
            f"A record of {time_text(int(gpu.dur_ns[index]))} (correlation {correlation}) cannot be true: later events of its stream ran "
            f"from start to end inside it. It is counted as {time_text(int(gpu.longest_ns[index]))}, the most that is possible."
        )
        notes.append(Note(code="impossible-duration", text=text, where=f"correlation {correlation}"))
    return notes


def _outside(gpu: GpuColumns, *, has_marks: bool) -> list[Note]:
    outside = (gpu.step < 0) & (gpu.launch >= 0)
    if not has_marks or not outside.any():
        return []
    spent = time_text(int(gpu.longest_ns[outside].sum()))
    text = f"{int(outside.sum())} GPU events ({spent}) were launched outside the recorded steps and are not compared step by step."
    return [Note(code="outside-steps", text=text, count=int(outside.sum()))]
