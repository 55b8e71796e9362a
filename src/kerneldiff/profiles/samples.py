"""Values of every complete step: GPU time, GPU busy, CPU dispatch, step time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kerneldiff.links.calls import call_class
from kerneldiff.links.model import Trace
from kerneldiff.profiles.intervals import length, length_without
from kerneldiff.profiles.model import StepSamples
from kerneldiff.profiles.representative import members
from kerneldiff.traces.model import Int64s, Kind

GPU_TICK_NS = 32  # resolution of GPU timestamps, measured on an H200
MICROSECOND_NS = 1_000


def sample_steps(trace: Trace, complete: tuple[int, ...]) -> StepSamples:
    """Measure the complete steps of one recording.

    Step time is the distance between the ends of the last GPU event of consecutive steps, so n steps
    give n - 1 values; without GPU events it is the distance between step starts.
    """
    by_step = [members(trace, index) for index in complete]
    gpu = trace.gpu
    counts = [len(rows) for rows in by_step]
    base = trace.raw.header.base_ns
    first = trace.steps[complete[0]].start_ns if complete else None
    return StepSamples(
        numbers=tuple(n for index in complete if (n := trace.steps[index].number) is not None),
        gpu_ns=_int64([int(gpu.longest_ns[rows].sum()) for rows in by_step] if len(gpu) else []),
        gpu_busy_ns=_int64(
            [length(gpu.start_ns[rows], gpu.start_ns[rows] + gpu.longest_ns[rows]) for rows in by_step]
            if len(gpu)
            else []
        ),
        cpu_ns=_int64(cpu_dispatch(trace, complete)),
        step_ns=_int64(_step_times(trace, complete, by_step)),
        gpu_events=int(np.median(counts)) if counts else 0,
        tick_ns=MICROSECOND_NS if trace.raw.whole_microseconds else GPU_TICK_NS,
        start_ns=None if base is None or first is None else base + first,
        key=None,
    )


def _int64(values: list[int]) -> Int64s:
    return np.array(values, dtype=np.int64)


def _step_times(trace: Trace, complete: tuple[int, ...], by_step: list[Int64s]) -> list[int]:
    gpu = trace.gpu
    ends = [int((gpu.start_ns[rows] + gpu.longest_ns[rows]).max()) if len(rows) else None for rows in by_step]
    starts = [trace.steps[index].start_ns for index in complete]
    times = []
    for (one, end, start), (two, next_end, next_start) in pairwise(zip(complete, ends, starts, strict=True)):
        if two != one + 1:
            continue
        if end is not None and next_end is not None:
            times.append(next_end - end)
        elif not len(gpu):
            times.append(next_start - start)
    return times


def launching_tracks(trace: Trace) -> Int64s:
    """List the threads that launch, or those with operators where nothing was launched."""
    cpu, gpu = trace.cpu, trace.gpu
    launches = gpu.launch[gpu.launch >= 0]
    among = cpu.track[launches] if len(launches) else cpu.track[cpu.kind == Kind.OPERATOR]
    return np.unique(among).astype(np.int64)


def cpu_dispatch(trace: Trace, complete: tuple[int, ...]) -> list[int]:
    """Measure CPU dispatch of steps: operators and runtime calls on the launching threads, blocking calls left out."""
    cpu = trace.cpu
    on_thread = np.isin(cpu.track, launching_tracks(trace))
    # What lies inside another operator adds nothing to the union.
    parent_kind = np.where(cpu.parent >= 0, cpu.kind[cpu.parent], Kind.ANNOTATION) if len(cpu) else cpu.kind
    outer = on_thread & (cpu.kind != Kind.ANNOTATION) & (parent_kind == Kind.ANNOTATION)
    holes = on_thread & blocking(trace)
    values = []
    for index in complete:
        here, hole = outer & (cpu.step == index), holes & (cpu.step == index)
        values.append(length_without(cpu.start_ns[here], cpu.end_ns[here], cpu.start_ns[hole], cpu.end_ns[hole]))
    return values


def blocking(trace: Trace) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which CPU slices wait for the GPU: synchronising calls, and copies from or to pageable memory."""
    raw, cpu, gpu = trace.raw, trace.cpu, trace.gpu
    waits = [index for index in np.unique(cpu.name).tolist() if call_class(raw.strings[index]) == "sync"]
    blocked: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.isin(cpu.name, waits) & (cpu.kind == Kind.RUNTIME)
    copies = np.flatnonzero((gpu.kind == Kind.MEMCPY) & (gpu.launch >= 0))
    pageable = {index for index in np.unique(gpu.name[copies]).tolist() if "Pageable" in raw.strings[index]}
    blocked[gpu.launch[copies[np.isin(gpu.name[copies], list(pageable))]]] = True
    return blocked
