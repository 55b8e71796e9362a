"""Busy, idle and overlapping GPU time of a step, and what caused each gap."""

from __future__ import annotations

from collections import Counter

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.names import decode
from kerneldiff.profiles.explained import Gap, GapCause, Pace
from kerneldiff.profiles.intervals import length, length_without, merge
from kerneldiff.profiles.model import StepSamples
from kerneldiff.profiles.samples import blocking
from kerneldiff.traces.model import Int64s, Kind

_LONG_SHARE = 10  # of a gap of a tenth of the idle time it is worth asking what the CPU did meanwhile
# Between two kernels in a stream's queue lie 0.7 to 2 us on the recorded GPUs, under replay of a graph less; what is
# far longer waits for something: a host callback, an event of another process, work that the profiler did not record.
SWITCHING_NS = 20_000
COLLECTIVES = frozenset({"all_gather", "all_reduce", "all_to_all", "broadcast", "reduce_scatter", "send_recv"})


def pace(trace: Trace, step: int, rows: Int64s, samples: StepSamples) -> Pace | None:
    """Measure a step's GPU side; None where it has no events.

    Args:
        trace: a linked trace.
        step: index of the step.
        rows: its GPU events, as indices into ``trace.gpu``, in launch order.
        samples: of all complete steps.
    """
    if not len(rows):
        return None
    gpu = trace.gpu
    start, end = gpu.start_ns[rows], gpu.start_ns[rows] + gpu.longest_ns[rows]
    gpu_ns, busy = int(gpu.longest_ns[rows].sum()), length(start, end)
    gaps = find_gaps(trace, step, rows)
    waiting = _is_collective(trace, rows)
    delays = _delays(trace, rows)
    by_cause: Counter[GapCause] = Counter()
    for gap in gaps:
        by_cause[gap.cause] += gap.dur_ns
    return Pace(
        gpu_ns=gpu_ns,
        busy_ns=busy,
        overlap_ns=gpu_ns - busy,
        span_ns=int(end.max() - start.min()),
        idle_ns=sum(gap.dur_ns for gap in gaps),
        step_ns=int(np.median(samples.step_ns)) if len(samples.step_ns) else None,
        busy_share=busy_share(trace),
        gaps=gaps,
        gap_ns=tuple(by_cause.most_common()),
        delays_ns=_middle_and_high(delays[delays >= 0]),
        negative_delays=int((delays < 0).sum()),
        collectives=int(waiting.sum()),
        collective_ns=int(gpu.longest_ns[rows][waiting].sum()),
        exposed_collective_ns=length_without(start[waiting], end[waiting], start[~waiting], end[~waiting]),
        streams=len(np.unique(gpu.lane[rows])),
    )


def busy_share(trace: Trace) -> float | None:
    """Give the share of step time in which the GPU was busy: the median over consecutive complete steps, at most 1.

    A step's time is from the last end of the step before to its own; whatever ran in between counts, also what
    another step launched. None without two such steps.
    """
    gpu = trace.gpu
    ends = {
        index: int((gpu.start_ns + gpu.longest_ns)[gpu.step == index].max())
        for index, step in enumerate(trace.steps)
        if step.complete and (gpu.step == index).any()
    }
    low, high = merge(gpu.start_ns, gpu.start_ns + gpu.longest_ns)
    if not len(low):
        return None
    done = np.concatenate([[0], np.cumsum(high - low)])

    def busy_until(moment: int) -> int:
        at = int(np.searchsorted(low, moment, side="right")) - 1
        return 0 if at < 0 else int(done[at]) + min(moment, int(high[at])) - int(low[at])

    shares = [
        (busy_until(end) - busy_until(ends[index - 1])) / (end - ends[index - 1])
        for index, end in ends.items()
        if index - 1 in ends and end > ends[index - 1]
    ]
    return float(np.median(shares)) if shares else None


def _is_collective(trace: Trace, rows: Int64s) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which events wait for other ranks: by their recorded collective, or by their name."""
    gpu, raw = trace.gpu, trace.raw
    names = [i for i in np.unique(gpu.name[rows]).tolist() if _waits(raw.strings[i])]
    recorded = raw.device.collective[gpu.device_row[rows]] >= 0
    waits: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.isin(gpu.name[rows], names) | (
        recorded & (gpu.kind[rows] == Kind.KERNEL)
    )
    return waits


def _waits(name: str) -> bool:
    decoded = decode(name)
    return decoded.op in COLLECTIVES or decoded.library in ("nccl", "rccl")


def _delays(trace: Trace, rows: Int64s) -> Int64s:
    launched = rows[trace.gpu.launch[rows] >= 0]
    delays: Int64s = trace.gpu.start_ns[launched] - trace.cpu.start_ns[trace.gpu.launch[launched]]
    return delays


def _middle_and_high(values: Int64s) -> tuple[int, int] | None:
    if not len(values):
        return None
    ordered = np.sort(values)
    return int(ordered[(len(ordered) - 1) // 2]), int(ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))])


def find_gaps(trace: Trace, step: int, rows: Int64s) -> tuple[Gap, ...]:
    """List the stretches of a step in which the GPU ran nothing of any step, each with its cause.

    The wait before the first event counts from the end of what ran before it, and no further back than the
    start of the step.
    """
    gpu, origin = trace.gpu, trace.steps[step].start_ns
    order = np.argsort(gpu.start_ns[rows], kind="stable")
    start = gpu.start_ns[rows][order]
    free = np.maximum(_free_since(trace, start), min(origin, int(start[0])))
    free[1:] = np.where(start[1:] == start[:-1], start[1:], free[1:])  # the first of a crowd ends the wait
    waits = np.flatnonzero(start > free)
    if not len(waits):
        return ()
    blocked = np.flatnonzero(blocking(trace))
    before = np.concatenate([[-1], _last_finisher(trace, rows[order])[:-1]])
    lengths = (start - free)[waits]
    long = set(waits[lengths * _LONG_SHARE >= lengths.sum()].tolist())
    gaps = []
    for at in waits.tolist():
        row, bounds = int(rows[order[at]]), (int(free[at]), int(start[at]))
        cause, detail = _cause(trace, (row, int(before[at])), bounds, blocked)
        if at in long and cause == "late-launch":
            detail = _meanwhile(trace, int(gpu.launch[row]), bounds) or detail
        gaps.append(
            Gap(
                start_ns=bounds[0] - origin,
                dur_ns=bounds[1] - bounds[0],
                event=int(order[at]),
                cause=cause,
                detail=detail,
            )
        )
    return tuple(gaps)


def _meanwhile(trace: Trace, launch: int, bounds: tuple[int, int]) -> str | None:
    """Name the shortest slice of the launching thread that fills half of a gap."""
    cpu = trace.cpu
    shared = np.minimum(cpu.end_ns, bounds[1]) - np.maximum(cpu.start_ns, bounds[0])
    filling = np.flatnonzero((shared * 2 >= bounds[1] - bounds[0]) & (cpu.track == cpu.track[launch]))
    if not len(filling):
        return None
    shortest = filling[np.argmin(cpu.end_ns[filling] - cpu.start_ns[filling])]
    name = trace.raw.strings[int(cpu.name[shortest])]
    return None if name.startswith("ProfilerStep#") else name


def _free_since(trace: Trace, moments: Int64s) -> Int64s:
    """Give for each moment the end of all that started before it, in the whole file; long ago where nothing did."""
    gpu = trace.gpu
    by_start = np.argsort(gpu.start_ns, kind="stable")
    starts = gpu.start_ns[by_start]
    reach = np.maximum.accumulate(starts + gpu.longest_ns[by_start])
    earlier = np.searchsorted(starts, moments, side="left") - 1
    result: Int64s = np.where(earlier >= 0, reach[np.maximum(earlier, 0)], np.iinfo(np.int64).min)
    return result


def _last_finisher(trace: Trace, ordered: Int64s) -> Int64s:
    """Give, after each event in order of start, the one that ends last so far."""
    ends = trace.gpu.start_ns[ordered] + trace.gpu.longest_ns[ordered]
    reach = np.maximum.accumulate(ends)
    place = np.maximum.accumulate(np.where(ends == reach, np.arange(len(ends)), 0))
    result: Int64s = ordered[place]
    return result


def _cause(
    trace: Trace, events: tuple[int, int], bounds: tuple[int, int], blocked: Int64s
) -> tuple[GapCause, str | None]:
    cpu, gpu, strings = trace.cpu, trace.gpu, trace.raw.strings
    row, before = events
    launch = int(gpu.launch[row])
    if launch < 0 or cpu.start_ns[launch] > gpu.start_ns[row]:
        return "unknown", None
    began, ended = int(cpu.start_ns[launch]), int(cpu.end_ns[launch])
    if min(ended, bounds[1]) <= bounds[0]:  # in the queue before the GPU ran dry
        other = before >= 0 and gpu.lane[before] != gpu.lane[row]
        if not other and bounds[1] - bounds[0] > SWITCHING_NS:
            return "unknown", "launched in time; what it waited for is not recorded"
        return ("other-stream" if other else "queued"), None
    # The last blocking call of the launching thread that was over before the launch and was still on in the gap.
    waits = blocked[(cpu.track[blocked] == cpu.track[launch]) & (cpu.start_ns[blocked] < began)]
    waits = waits[cpu.end_ns[waits] > bounds[0]]
    if len(waits):
        name = strings[int(cpu.name[waits[-1]])]
        return ("copy" if "emcpy" in name else "synchronisation"), name
    return "late-launch", strings[int(cpu.name[launch])]
