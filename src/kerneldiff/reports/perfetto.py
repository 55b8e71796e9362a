"""Both runs in one trace for ui.perfetto.dev: Chrome's JSON format, steps on a common zero, matches as flows.

Format: "Trace Event Format" of the Chromium project (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU):
``X`` is a slice, ``s`` and ``f`` are the ends of a flow, ``M`` names processes and threads; times are microseconds.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from kerneldiff import __version__
from kerneldiff.diffs.model import Diff, Match
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.reports import phrases
from kerneldiff.reports.escape import terminal
from kerneldiff.reports.joins import joins
from kerneldiff.units import bytes_text

Event = dict[str, Any]
# Threads of a process are sorted by number: CPU threads stand above the streams.
_FIRST_STREAM = 1_000
_ROWS_A_STREAM = 100


def render(diffs: Sequence[Diff]) -> bytes:
    """Write one comparison, or several against one baseline, as a gzip-compressed trace."""
    document = {
        "displayTimeUnit": "ns",
        "otherData": {
            "made_by": f"kerneldiff {__version__}",
            "verdict": [terminal(diff.verdict.summary) for diff in diffs],
        },
        "traceEvents": _shifted(list(_events(diffs))),
    }
    return gzip.compress(msgspec.json.encode(document), 6, mtime=0)


def _shifted(events: list[Event]) -> list[Event]:
    """Move all times by one amount where some lie before the step (clocks disagree): the format begins at zero."""
    least = min((event["ts"] for event in events if "ts" in event), default=0)
    if least >= 0:
        return events
    return [{**event, "ts": round(event["ts"] - least, 3)} if "ts" in event else event for event in events]


@dataclass(slots=True)
class _Process:
    """One run of the trace: its number, the rows of its events, and the matches of each event."""

    number: int
    who: str
    run: Profile
    tracks: list[int]
    owners: list[list[Match]]


def _events(diffs: Sequence[Diff]) -> Iterator[Event]:
    """Give all events: a process a run, in the order baseline, candidates."""
    pairs = _processes(diffs)
    for process in sorted({one.number: one for pair in pairs for one in pair}.values(), key=lambda one: one.number):
        yield _name("process_name", process.number, None, f"{process.who}: {phrases.run_name(process.run)}")
        yield {"ph": "M", "name": "process_sort_index", "pid": process.number, "args": {"sort_index": process.number}}
        yield from _cpu(process.run, process.number)
        yield from _streams(process)
        for event, track, found in zip(process.run.events, process.tracks, process.owners, strict=True):
            yield _slice(event, process.number, track, found)
    flow = 0
    for diff, pair in zip(diffs, pairs, strict=True):
        for match in diff.matches:
            for ends in joins(match):
                flow += 1
                yield from _flow(flow, match, list(zip(pair, ends, strict=True)))


def _processes(diffs: Sequence[Diff]) -> list[tuple[_Process, _Process]]:
    """Give the processes of each diff. One baseline serves all, unless it was cut to its steps for one of them."""
    bases: list[_Process] = []
    pairs: list[tuple[_Process, _Process]] = []
    for number, diff in enumerate(diffs, 1):
        base = next((one for one in bases if one.run is diff.baseline), None)
        if base is None:
            base = _process(number + len(pairs), "baseline", diff.baseline)
            bases.append(base)
        who = "candidate" if len(diffs) == 1 else f"candidate {number}"
        other = _process(number + len(pairs) + 1, who, diff.candidate)
        pairs.append((base, other))
        for match in diff.matches:
            for process, members in ((base, match.baseline), (other, match.candidate)):
                for index in members:
                    process.owners[index].append(match)
    return pairs


def _process(number: int, who: str, run: Profile) -> _Process:
    return _Process(number=number, who=who, run=run, tracks=_tracks(run), owners=[[] for _ in run.events])


def _tracks(run: Profile) -> list[int]:
    """Give each GPU event a thread number: its stream's, or a further row of it where events of a stream overlap.

    Slices of one thread have to nest; concurrent kernels of one stream (graph replays, rounded times) do not.
    """
    streams: dict[int | None, int] = {}
    ends: dict[int, list[int]] = defaultdict(list)
    tracks = [0] * len(run.events)
    for index in sorted(range(len(run.events)), key=lambda i: run.events[i].start_ns):
        event = run.events[index]
        stream = streams.setdefault(event.stream, len(streams))
        rows = ends[stream]
        row = next((number for number, end in enumerate(rows) if end <= event.start_ns), len(rows))
        rows[row : row + 1] = [event.start_ns + event.gpu_ns]
        tracks[index] = _FIRST_STREAM + stream * _ROWS_A_STREAM + min(row, _ROWS_A_STREAM - 1)
    return tracks


def _streams(process: _Process) -> Iterator[Event]:
    named = {track: event.stream for event, track in zip(process.run.events, process.tracks, strict=True)}
    for track, stream in sorted(named.items()):
        text = "GPU stream not named" if stream is None else f"GPU stream {stream}"
        row = track % _ROWS_A_STREAM
        yield _name("thread_name", process.number, track, text + (f", overlapping {row}" if row else ""))
        yield {
            "ph": "M",
            "name": "thread_sort_index",
            "pid": process.number,
            "tid": track,
            "args": {"sort_index": track},
        }


def _slice(event: GpuEvent, process: int, track: int, found: Sequence[Match]) -> Event:
    facts = {
        "kernel": event.name,
        "operators": " > ".join(event.chain) or None,
        "launch": event.launch,
        "grid": None if event.grid is None else str(list(event.grid)),
        "block": None if event.block is None else str(list(event.block)),
        "registers": event.registers,
        "shared memory": event.shared_memory,
        "problem size": None if event.problem_size is None else str(list(event.problem_size)),
        "bytes": None if event.size_bytes is None else bytes_text(event.size_bytes),
        "code hash": event.code_hash,
        "relation": ", ".join(dict.fromkeys(match.relation for match in found)) or None,
        "change of the match": ", ".join(phrases.signed_time(match.delta_ns) for match in found) or None,
        "why not proved": next((match.reason for match in found if match.reason), None),
    }
    return {
        "ph": "X",
        "name": terminal(event.decoded.label or event.name),
        "cat": ",".join(dict.fromkeys(match.relation for match in found)) or event.kind,
        "pid": process,
        "tid": track,
        "ts": event.start_ns / 1000,
        "dur": event.gpu_ns / 1000,
        "args": {
            key: terminal(value) if isinstance(value, str) else value
            for key, value in facts.items()
            if value is not None
        },
    }


def _flow(number: int, match: Match, ends: Sequence[tuple[_Process, int]]) -> Iterator[Event]:
    """Join two slices; a flow has to begin at the earlier one."""
    first, last = sorted(ends, key=lambda end: end[0].run.events[end[1]].start_ns)
    for phase, (process, index) in (("s", first), ("f", last)):
        made: Event = {
            "ph": phase,
            "id": number,
            "name": match.relation,
            "cat": match.relation,
            "pid": process.number,
            "tid": process.tracks[index],
            "ts": process.run.events[index].start_ns / 1000,
        }
        yield {**made, "bp": "e"} if phase == "f" else made


def _cpu(run: Profile, process: int) -> Iterator[Event]:
    """Give the CPU slices; one that ends behind the slice around it (rounded times) is cut, so that they nest."""
    lanes = run.lanes
    if lanes is None:
        return
    names = [terminal(name) for name in lanes.names]
    open_until: dict[int, list[int]] = defaultdict(list)
    columns = (lanes.start_ns, lanes.dur_ns, lanes.track, lanes.name, lanes.runtime)
    for track in sorted(set(lanes.track.tolist())):
        yield _name("thread_name", process, track + 1, f"CPU thread {track + 1}")
        yield {"ph": "M", "name": "thread_sort_index", "pid": process, "tid": track + 1, "args": {"sort_index": track}}
    for start, dur, track, name, runtime in zip(*(column.tolist() for column in columns), strict=True):
        around = open_until[track]
        while around and around[-1] <= start:
            around.pop()
        end = min(start + dur, around[-1]) if around else start + dur
        around.append(end)
        yield {
            "ph": "X",
            "name": names[name],
            "cat": "runtime" if runtime else "operator",
            "pid": process,
            "tid": track + 1,
            "ts": start / 1000,
            "dur": (end - start) / 1000,
        }


def _name(what: str, process: int, thread: int | None, text: str) -> Event:
    made: Event = {"ph": "M", "name": what, "pid": process, "args": {"name": terminal(text)}}
    return made if thread is None else {**made, "tid": thread}
