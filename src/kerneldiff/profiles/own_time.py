"""CPU time without double counting: every moment of a thread belongs to its innermost slice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.profiles.samples import launching_tracks
from kerneldiff.traces.model import Int64s, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A stretch of the file's clock, ns."""

    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTimes:
    """Own times of one thread's slices in a window.

    Attributes:
        slices: indices into ``Trace.cpu``, as given.
        own_ns: time in which each was the innermost, same shape.
        outside_ns: time in none of them. It and the own times add up to the window.
    """

    slices: Int64s
    own_ns: Int64s
    outside_ns: int


def own_times(trace: Trace, slices: Int64s, window: Window) -> OwnTimes:
    """Give every nanosecond of a window to the innermost slice, or to none.

    Where clock rounding lets a slice end after the one around it, or overlap the next, the later start wins.

    Args:
        trace: a linked trace.
        slices: indices into ``trace.cpu`` of one thread, ascending (the order there is by start, longest first).
        window: slices are cut to it.
    """
    cpu = trace.cpu
    own = [0] * (len(slices) + 1)  # the last place is for time in no slice
    stack: list[int] = [len(slices)]
    ends: list[int] = [window.end_ns]
    now = window.start_ns
    starts = np.clip(cpu.start_ns[slices], window.start_ns, window.end_ns).tolist()
    stops = np.clip(cpu.end_ns[slices], window.start_ns, window.end_ns).tolist()
    for at, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        while len(ends) > 1 and ends[-1] <= start:
            if ends[-1] > now:
                own[stack[-1]] += ends[-1] - now
                now = ends[-1]
            stack.pop()
            ends.pop()
        if start > now:
            own[stack[-1]] += start - now
            now = start
        stack.append(at)
        ends.append(stop)
    while ends:
        if ends[-1] > now:
            own[stack[-1]] += ends[-1] - now
            now = ends[-1]
        stack.pop()
        ends.pop()
    return OwnTimes(slices=slices, own_ns=np.array(own[:-1], dtype=np.int64), outside_ns=own[-1])


def step_own_times(trace: Trace, step: int) -> OwnTimes:
    """Give the own times of all slices of a step, thread by thread, from its mark to the next.

    ``outside_ns`` is 0 here: the threads are not added up.
    """
    slices = step_slices(trace, step)
    track = trace.cpu.track[slices]
    window = Window(start_ns=trace.steps[step].start_ns, end_ns=trace.steps[step].end_ns)
    own = np.zeros(len(slices), dtype=np.int64)
    for one in np.unique(track).tolist():
        own[track == one] = own_times(trace, slices[track == one], window).own_ns
    return OwnTimes(slices=slices, own_ns=own, outside_ns=0)


def step_slices(trace: Trace, step: int) -> Int64s:
    """List the CPU slices of a step, without the marks."""
    cpu = trace.cpu
    here = np.flatnonzero(cpu.step == step)
    marks = [i for i in np.unique(cpu.name[here]).tolist() if trace.raw.strings[i].startswith("ProfilerStep#")]
    keep = ~(np.isin(cpu.name[here], marks) & (cpu.kind[here] == Kind.ANNOTATION))
    slices: Int64s = here[keep].astype(np.int64)
    return slices


def pacing_track(trace: Trace, step: int) -> int | None:
    """Give the thread that launches most in a step, or has most operators where nothing is launched."""
    cpu, gpu = trace.cpu, trace.gpu
    launches = np.unique(gpu.launch[(gpu.step == step) & (gpu.launch >= 0)])
    among = cpu.track[launches] if len(launches) else cpu.track[(cpu.step == step) & (cpu.kind == Kind.OPERATOR)]
    if not len(among):
        tracks = launching_tracks(trace)
        return int(tracks[0]) if len(tracks) else None
    tracks, counts = np.unique(among, return_counts=True)
    return int(tracks[np.argmax(counts)])


def extent(trace: Trace, step: int, track: int) -> Window:
    """Give the CPU extent of a step on one thread.

    It begins with the step's mark and ends with the mark's slice, or with the last call of the step on that thread
    where one ends later (but never after the next mark). Without marks it is from the first call to the last.
    """
    cpu, bounds = trace.cpu, trace.steps[step]
    calls = step_slices(trace, step)
    calls = calls[cpu.track[calls] == track]
    if not trace.has_marks:
        if not len(calls):
            return Window(start_ns=bounds.start_ns, end_ns=bounds.start_ns)
        return Window(start_ns=int(cpu.start_ns[calls].min()), end_ns=int(cpu.end_ns[calls].max()))
    end = max(_mark_end(trace, step), int(cpu.end_ns[calls].max()) if len(calls) else 0)
    return Window(start_ns=bounds.start_ns, end_ns=max(bounds.start_ns, min(end, bounds.end_ns)))


def _mark_end(trace: Trace, step: int) -> int:
    """Give the end of the step's own slice; ``Step.end_ns`` reaches to the next mark."""
    cpu, bounds = trace.cpu, trace.steps[step]
    text = f"ProfilerStep#{bounds.number}"
    marks = np.flatnonzero((cpu.start_ns == bounds.start_ns) & (cpu.kind == Kind.ANNOTATION))
    ends = [int(cpu.end_ns[i]) for i in marks.tolist() if trace.raw.strings[int(cpu.name[i])] == text]
    return max(ends, default=bounds.end_ns)
