"""Steps: what lies between two ProfilerStep marks."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np

from kerneldiff.links.model import CpuColumns, GpuColumns, Step
from kerneldiff.traces.model import Int32s, Int64s, Kind, RawTrace

_MARK = re.compile(r"ProfilerStep#(\d+)")
# torch/_dynamo/utils.py names its phases "<phase> (dynamo_timed)"; older releases: _compile.<locals>.compile_inner.
_COMPILES = re.compile(r"\(dynamo_timed\)|^_compile\.|compile_inner|^async_compile|CachingAutotuner\.benchmark")


def find_steps(raw: RawTrace, cpu: CpuColumns) -> tuple[Step, ...]:
    """List the steps that the marks make, in order of time; none without marks.

    Marks are read from the thread that has most of them (serving engines copy them to others).
    """
    numbers = {index: int(found[1]) for index, text in enumerate(raw.strings) if (found := _MARK.fullmatch(text))}
    if not numbers:
        return ()
    marks = np.flatnonzero(np.isin(cpu.name, list(numbers)) & (cpu.kind == Kind.ANNOTATION))
    if not len(marks):
        return ()
    tracks, counts = np.unique(cpu.track[marks], return_counts=True)
    marks = marks[cpu.track[marks] == tracks[np.argmax(counts)]]
    marks = marks[np.argsort(cpu.start_ns[marks], kind="stable")]
    steps = [
        Step(number=numbers[int(cpu.name[i])], start_ns=int(cpu.start_ns[i]), end_ns=int(cpu.end_ns[i])) for i in marks
    ]
    # The gap to the next mark belongs to the step, unless the schedule skipped steps in between.
    joined = [
        replace(one, end_ns=after.start_ns) if _consecutive(one, after) else one for one, after in pairwise(steps)
    ]
    return (*joined, steps[-1])


def _consecutive(one: Step, after: Step) -> bool:
    return one.number is not None and after.number == one.number + 1


def step_of(steps: tuple[Step, ...], times: Int64s) -> Int32s:
    """Give the index of the step in which each time lies, -1 outside."""
    starts = np.array([step.start_ns for step in steps], dtype=np.int64)
    ends = np.array([step.end_ns for step in steps], dtype=np.int64)
    at = np.searchsorted(starts, times, side="right") - 1
    inside = (at >= 0) & (times <= ends[np.maximum(at, 0)])
    return np.where(inside, at, -1).astype(np.int32)


def judge_steps(
    raw: RawTrace, cpu: CpuColumns, gpu: GpuColumns, steps: tuple[Step, ...], lost: Int64s
) -> tuple[Step, ...]:
    """Fill in what makes a step incomplete: lost events, compilation, the profiler's own work.

    Args:
        raw: the trace as read.
        cpu: its CPU side with steps filled.
        gpu: its GPU side with steps filled.
        steps: the steps.
        lost: indices into ``cpu`` of launches whose event is missing.
    """
    lost_in = np.bincount(cpu.step[lost][cpu.step[lost] >= 0], minlength=len(steps))
    compile_names = [index for index, text in enumerate(raw.strings) if _COMPILES.search(text)]
    compiling = cpu.step[np.isin(cpu.name, compile_names) & (cpu.step >= 0) & (cpu.kind != Kind.RUNTIME)]
    compiled = set(compiling.tolist())
    overhead = raw.events.kind == Kind.OVERHEAD
    inside = step_of(steps, raw.events.start_ns[overhead]) if overhead.any() else np.zeros(0, dtype=np.int32)
    profiler = np.bincount(inside[inside >= 0], weights=raw.events.dur_ns[overhead][inside >= 0], minlength=len(steps))
    has_gpu = len(gpu) > 0
    return tuple(
        replace(
            step,
            lost=int(lost_in[index]) if has_gpu else 0,
            compiled=index in compiled,
            profiler_ns=int(profiler[index]),
        )
        for index, step in enumerate(steps)
    )
