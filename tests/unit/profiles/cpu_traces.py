"""Hand-made traces with a CPU side: ``cpu_trace(op("aten::t", 0, 10), call("cudaLaunchKernel", 2, 1, starts=...))``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from builders import encode
from kerneldiff.links import Trace, link
from kerneldiff.profiles import Profile, profile
from kerneldiff.traces import load


@dataclass(frozen=True, kw_only=True)
class Slice:
    cat: str
    name: str
    start_us: float
    dur_us: float
    args: dict[str, Any]
    tid: int = 100
    pid: int = 100


def op(name: str, start_us: float, dur_us: float, *, tid: int = 100, **args: Any) -> Slice:
    return Slice(cat="cpu_op", name=name, start_us=start_us, dur_us=dur_us, args=args, tid=tid)


def note(name: str, start_us: float, dur_us: float, *, tid: int = 100) -> Slice:
    return Slice(cat="user_annotation", name=name, start_us=start_us, dur_us=dur_us, args={}, tid=tid)


def call(name: str, start_us: float, dur_us: float, *, link_id: int = 0, tid: int = 100) -> Slice:
    args = {"correlation": link_id} if link_id else {}
    return Slice(cat="cuda_runtime", name=name, start_us=start_us, dur_us=dur_us, args=args, tid=tid)


def gpu(
    name: str, start_us: float, dur_us: float, *, link_id: int, stream: int = 7, cat: str = "kernel", **args: Any
) -> Slice:
    given = {"device": 0, "stream": stream, "correlation": link_id, **args}
    return Slice(cat=cat, name=name, start_us=start_us, dur_us=dur_us, args=given, tid=stream, pid=0)


def step(number: int, start_us: float, dur_us: float) -> Slice:
    return note(f"ProfilerStep#{number}", start_us, dur_us)


def trace_of(*slices: Slice, device: str = "NVIDIA H200") -> Trace:
    events = [
        {
            "ph": "X",
            "cat": one.cat,
            "name": one.name,
            "pid": one.pid,
            "tid": one.tid,
            "ts": one.start_us,
            "dur": one.dur_us,
            "args": one.args,
        }
        for one in slices
    ]
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": device}], "baseTimeNanoseconds": 0}
    return link(load(encode({**head, "traceEvents": events, "traceName": "t.json"})))


def run_of(*slices: Slice, device: str = "NVIDIA H200") -> Profile:
    return profile(trace_of(*slices, device=device))
