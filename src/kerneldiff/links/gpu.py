"""Linking of GPU events to launches by correlation id."""

from __future__ import annotations

import numpy as np

from kerneldiff.links.calls import call_class, captures, starts_work
from kerneldiff.links.cpu import innermost
from kerneldiff.links.model import CpuColumns, GpuColumns
from kerneldiff.traces.model import GPU_KINDS, MISSING, Int64s, Kind, RawTrace


def link_gpu(raw: RawTrace, cpu: CpuColumns) -> GpuColumns:
    """Give every GPU event its launch and its operator, in launch order; steps are filled later.

    The correlation id alone joins an event to its launch: flow arrows may be absent, External ids may
    repeat the correlation id, and a launch of a graph has many events. The operator is the innermost one
    around the launch on the launch's own thread.
    """
    device_rows = np.flatnonzero(np.isin(raw.events.kind[raw.device.row], GPU_KINDS)).astype(np.int64)
    rows = raw.device.row[device_rows]
    start = raw.events.start_ns[rows]
    launch = _find_launches(raw, cpu, raw.device.correlation[device_rows], start)
    launch = _one_kernel_each(raw, cpu, launch, rows)
    launch_start = np.where(launch >= 0, cpu.start_ns[launch] if len(cpu) else 0, np.iinfo(np.int64).min)
    order = np.lexsort((rows, start, launch, launch_start))
    rows, device_rows, launch, start = rows[order], device_rows[order], launch[order], start[order]
    duration = raw.events.dur_ns[rows]
    lane = _lanes(raw, device_rows)
    longest = _possible(start, duration, lane, raw.device.graph_id[device_rows] >= 0)
    operator = innermost(cpu, launch, Kind.OPERATOR) if len(cpu) else launch
    return GpuColumns(
        row=rows,
        device_row=device_rows,
        kind=raw.events.kind[rows],
        name=raw.events.name[rows],
        start_ns=start,
        dur_ns=duration,
        launch=launch,
        operator=operator,
        step=np.full(len(rows), -1, dtype=np.int32),
        replayed=_is_replay(raw, cpu, launch),
        lane=lane,
        impossible=longest < duration,
        longest_ns=longest,
    )


def _is_replay(raw: RawTrace, cpu: CpuColumns, launch: Int64s) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    graphs = [index for index in np.unique(cpu.name).tolist() if call_class(raw.strings[index]) == "graph"]
    if not graphs or not len(launch):
        return np.zeros(len(launch), dtype=np.bool_)
    return np.isin(cpu.name[launch], graphs) & (launch >= 0)


def _find_launches(raw: RawTrace, cpu: CpuColumns, correlation: Int64s, start: Int64s) -> Int64s:
    """Find the call behind each correlation id: the index into ``cpu``, -1 where no call has it.

    An id can stand on several calls (a runtime call and the driver call inside it, or an id used again):
    calls that start work go first, and of those the latest that began before the event.
    """
    found = np.full(len(correlation), -1, dtype=np.int64)
    calls, ids = _calls(raw, cpu)
    if not len(calls):
        return found
    low = np.searchsorted(ids, correlation, side="left")
    high = np.searchsorted(ids, correlation, side="right")
    one = (high - low == 1) & (correlation != MISSING)
    found[one] = calls[low[one]]
    for index in np.flatnonzero((high - low > 1) & (correlation != MISSING)).tolist():
        among = calls[low[index] : high[index]]
        before = among[cpu.start_ns[among] <= start[index]]
        found[index] = before[-1] if len(before) else among[0]
    return found


def _one_kernel_each(raw: RawTrace, cpu: CpuColumns, launch: Int64s, rows: Int64s) -> Int64s:
    """Leave each launch of a single kernel one kernel: the first that starts after it began, else the last before.

    Ids are used again after long runs, so an event left over from before the window can carry the id of a launch
    inside it. Launches of graphs have many kernels, and copies may be recorded in parts.
    """
    single = [index for index in np.unique(cpu.name).tolist() if call_class(raw.strings[index]) == "launch"]
    kernels = np.flatnonzero((launch >= 0) & (raw.events.kind[rows] == Kind.KERNEL))
    kernels = kernels[np.isin(cpu.name[launch[kernels]], single)] if len(kernels) else kernels
    start = raw.events.start_ns[rows[kernels]]
    early = start < cpu.start_ns[launch[kernels]] if len(kernels) else np.zeros(0, dtype=np.bool_)
    order = np.lexsort((np.where(early, -start, start), early, launch[kernels]))
    ranked = launch[kernels[order]]
    again = np.concatenate([[False], ranked[1:] == ranked[:-1]]) if len(ranked) else early
    kept = launch.copy()
    kept[kernels[order[again]]] = -1
    return kept


def _calls(raw: RawTrace, cpu: CpuColumns) -> tuple[Int64s, Int64s]:
    """List the calls that start work, sorted by (correlation id, start), with their ids."""
    correlation = _correlations(raw, cpu)
    working = np.array(
        [starts_work(raw.strings[index]) for index in range(len(raw.strings))] if len(cpu) else [], dtype=np.bool_
    )
    has = np.flatnonzero(correlation != MISSING)
    has = has[working[cpu.name[has]]] if len(has) else has
    order = np.lexsort((cpu.start_ns[has], correlation[has]))
    calls = has[order].astype(np.int64)
    return calls, correlation[calls]


def _correlations(raw: RawTrace, cpu: CpuColumns) -> Int64s:
    """Give the correlation id of each CPU slice, MISSING where it has none."""
    by_row = np.full(len(raw.events), MISSING, dtype=np.int64)
    by_row[raw.runtime.row] = raw.runtime.correlation
    return by_row[cpu.row]


def launched_before(raw: RawTrace, cpu: CpuColumns, gpu: GpuColumns) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which events without a launch were launched before the window: their ids are older than any launch's.

    The others' launches lie inside the window, and their records were lost.
    """
    unlinked: np.ndarray[tuple[int], np.dtype[np.bool_]] = gpu.launch < 0
    calls, ids = _calls(raw, cpu)
    if not len(calls):
        return unlinked
    correlation = raw.device.correlation[gpu.device_row]
    early = gpu.start_ns < int(cpu.start_ns[calls].min())
    old = (correlation != MISSING) & (correlation < int(ids.min()))
    before: np.ndarray[tuple[int], np.dtype[np.bool_]] = unlinked & (early | old)
    return before


def lost_launches(raw: RawTrace, cpu: CpuColumns, gpu: GpuColumns) -> Int64s:
    """List the calls that should have started a kernel and have none, as indices into ``cpu``.

    Copies and sets are not counted: the driver may do them without a record. Launches inside the
    capture of a graph start nothing by design.
    """
    calls, _ = _calls(raw, cpu)
    kernels = [
        index for index in np.unique(cpu.name[calls]).tolist() if call_class(raw.strings[index]) in ("launch", "graph")
    ]
    calls = calls[np.isin(cpu.name[calls], kernels)]
    calls = calls[~_captured(raw, cpu, calls)]
    return np.setdiff1d(calls, gpu.launch)


def _captured(raw: RawTrace, cpu: CpuColumns, calls: Int64s) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which calls lie between the begin and the end of a capture on their own thread."""
    inside = np.zeros(len(calls), dtype=np.bool_)
    names = {index: captures(raw.strings[index]) for index in np.unique(cpu.name).tolist()}
    for track in np.unique(cpu.track).tolist():
        on_track = cpu.track == track
        begins = cpu.start_ns[on_track & np.isin(cpu.name, [i for i, what in names.items() if what == "begin"])]
        ends = cpu.start_ns[on_track & np.isin(cpu.name, [i for i, what in names.items() if what == "end"])]
        if not len(begins):
            continue
        times = cpu.start_ns[calls]
        opened = np.searchsorted(np.sort(begins), times) - np.searchsorted(np.sort(ends), times)
        inside |= (opened > 0) & (cpu.track[calls] == track)
    return inside


def _lanes(raw: RawTrace, device_rows: Int64s) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Number the (device, stream or queue) pairs."""
    device = raw.device
    stream = np.where(device.stream[device_rows] == MISSING, device.queue[device_rows], device.stream[device_rows])
    pairs = np.stack([device.device[device_rows].astype(np.int64), stream.astype(np.int64)], axis=1)
    if not len(pairs):
        return np.zeros(0, dtype=np.int32)
    return np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _possible(
    start: Int64s,
    duration: Int64s,
    lane: np.ndarray[tuple[int], np.dtype[np.int32]],
    in_graph: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> Int64s:
    """Cut durations that cannot be: one stream runs one event at a time.

    An event during which two or more later events of its own stream ran from start to end did not last that
    long; it is cut at the start of the next one. Nodes of a graph may really run side by side on one stream's row.
    """
    order = np.lexsort((start, lane))
    longest = duration.copy()
    if len(order) < 3:
        return longest
    here, following, second = order[:-2], order[1:-1], order[2:]
    ends = start + duration
    latest = np.maximum(ends[following], ends[second])
    cannot = (lane[second] == lane[here]) & ~in_graph[here] & (ends[here] >= latest) & (ends[here] > start[second])
    longest[here[cannot]] = np.maximum(0, start[following[cannot]] - start[here[cannot]])
    return longest
