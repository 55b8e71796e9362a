"""What a recording lacks, in stable words, and how to record it."""

from __future__ import annotations

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.notes import Note
from kerneldiff.profiles.model import GpuEvent
from kerneldiff.traces.model import Kind

# How to get each fact next time, shown beside it.
REMEDIES: dict[str, str] = {
    "gpu": "record with ProfilerActivity.CUDA on a machine whose GPU the profiler can open",
    "launches": "the runtime calls were not recorded; record with ProfilerActivity.CPU and CUDA",
    "operators": "record with ProfilerActivity.CPU",
    "steps": "give the profiler a schedule and call prof.step() after each step",
    "shapes": "record with record_shapes=True",
    "code_hashes": "record with record_shapes=True, or with kerneldiff record",
    "launch_shapes": "this device's profiler does not write grid and block",
    "device": "the header names no device",
}


_RECORDABLE = ("launches", "operators", "steps", "shapes", "code_hashes")


def find_missing(trace: Trace, events: tuple[GpuEvent, ...]) -> tuple[str, ...]:
    """List the facts that the recording lacks, in the order of ``REMEDIES``."""
    raw, kinds = trace.raw, trace.raw.events.kind
    has_operators = bool((kinds == Kind.OPERATOR).any())
    kernels = [event for event in events if event.kind == "kernel"]
    absent = {
        "gpu": not len(trace.gpu),
        "launches": len(trace.gpu) > 0 and not bool((trace.gpu.launch >= 0).any()),
        "operators": not has_operators,
        "steps": not trace.has_marks,
        "shapes": has_operators and not bool((raw.operators.input_dims >= 0).any()),
        "code_hashes": _lacks_hashes(events),
        "launch_shapes": bool(kernels) and all(event.grid is None for event in kernels),
        "device": device_name(trace) is None,
    }
    return tuple(fact for fact in REMEDIES if absent[fact])


def recorded_settings(trace: Trace) -> tuple[str, ...]:
    """List what the profiler was asked to record besides events; each of it costs time on the CPU side."""
    raw = trace.raw
    on = {
        "shapes": bool(raw.header.record_shapes) or bool((raw.operators.input_dims >= 0).any()),
        "stacks": bool(raw.header.with_stack) or len(raw.python.row) > 0,
        "memory": bool(raw.header.profile_memory),
    }
    return tuple(setting for setting, present in on.items() if present)


def missing_notes(missing: tuple[str, ...]) -> list[Note]:
    """Say how to record what is missing and can be recorded; missing GPU events have a note of their own."""
    facts = [fact for fact in missing if fact in _RECORDABLE]
    if not facts:
        return []
    said = "; ".join(f"{fact.replace('_', ' ')} ({REMEDIES[fact]})" for fact in facts)
    return [Note(code="not-recorded", text=f"Not recorded: {said}.", count=len(facts))]


def _lacks_hashes(events: tuple[GpuEvent, ...]) -> bool:
    inductor = [event for event in events if event.decoded.family == "inductor_triton"]
    return any(event.code_hash is None and event.content_digest is None for event in inductor)


def device_name(trace: Trace) -> str | None:
    """Give the name of the device that ran the GPU events, None where the header does not name it."""
    devices = {device.index: device.name for device in trace.raw.header.devices if device.name}
    used = trace.raw.device.device[trace.gpu.device_row]
    if len(used):
        values, counts = np.unique(used, return_counts=True)
        name = devices.get(int(values[np.argmax(counts)]))
        if name:
            return name
    names = sorted(set(devices.values()))
    return names[0] if len(names) == 1 else None
