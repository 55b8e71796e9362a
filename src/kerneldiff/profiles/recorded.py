"""What ``kerneldiff record`` wrote into a trace besides the profiler's events.

The object stands at the top level of the file under ``kerneldiff`` (docs/recording.md has its keys). Like all of a
trace it is somebody else's text: what does not have the expected form is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.names import decode, normalise, without_number
from kerneldiff.profiles.model import Dims, GpuEvent, Profile, Sequences, StepSamples, Unprofiled
from kerneldiff.profiles.representative import members
from kerneldiff.traces.model import Int64s

# Said elsewhere in a profile, or no condition of a comparison.
_NOT_CONDITIONS = ("device", "device_name")
_LONGEST_TEXT = 400


class _Unprofiled(msgspec.Struct):
    cpu_ns: list[int] = []
    step_ns: list[int] = []


class _Kernel(msgspec.Struct):
    name: str
    registers: int | None = None
    shared_memory: int | None = None
    warps: int | None = None
    code: str | None = None


class _Object(msgspec.Struct):
    session: str | None = None
    variant: str | None = None
    environment: dict[str, str | int | float | bool | None] = {}
    unprofiled: _Unprofiled | None = None
    kernels: list[_Kernel] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The facts of one recording.

    Attributes:
        session: equal for all that was recorded in one process, in alternation.
        variant: which way of running the program it is.
        device: ``cuda`` or ``cpu``, where the program ran; device_name: its name.
        environment: versions and settings, as texts by name.
        unprofiled: times of steps without the profiler.
        kernels: what tells kernels that were compiled at run time apart.
    """

    session: str | None
    variant: str | None
    device: str | None
    device_name: str | None
    environment: tuple[tuple[str, str], ...]
    unprofiled: Unprofiled | None
    kernels: tuple[_Kernel, ...]

    def content(self, name: str, registers: int | None, shared_memory: int | None, block: Dims | None) -> str | None:
        """Give the digest of a kernel's code, None where none was recorded or several kernels could be meant."""
        found = [kernel for kernel in self.kernels if kernel.name == name and _fits(kernel, registers, block)]
        exact = [kernel for kernel in found if kernel.shared_memory == shared_memory]
        codes = {kernel.code for kernel in exact or found}
        return codes.pop() if len(codes) == 1 else None


def _fits(kernel: _Kernel, registers: int | None, block: Dims | None) -> bool:
    """Tell whether a launch can have been of this kernel, as far as both are known.

    A launch takes 16 registers at least; a warp has 32 threads on NVIDIA's GPUs, 32 or 64 on AMD's.
    """
    if registers and kernel.registers and registers not in (kernel.registers, max(16, kernel.registers)):
        return False
    if block is None or kernel.warps is None:
        return True
    return block[0] * block[1] * block[2] in (32 * kernel.warps, 64 * kernel.warps)


def recorded_of(text: str | None) -> Recorded | None:
    """Read the object, given as JSON; None when there is none, or it is something else.

    >>> recorded_of('{"session": "a1", "environment": {"device": "cuda", "torch": "2.11"}}').environment
    (('torch', '2.11'),)
    """
    if text is None:
        return None
    try:
        found = msgspec.json.decode(text, type=_Object)
    except (msgspec.DecodeError, RecursionError):
        return None
    facts = {key: str(value)[:_LONGEST_TEXT] for key, value in found.environment.items() if value is not None}
    return Recorded(
        session=found.session,
        variant=found.variant,
        device=facts.get("device"),
        device_name=facts.get("device_name"),
        environment=tuple((key, value) for key, value in sorted(facts.items()) if key not in _NOT_CONDITIONS),
        unprofiled=_unprofiled(found.unprofiled),
        kernels=tuple(found.kernels),
    )


def _unprofiled(found: _Unprofiled | None) -> Unprofiled | None:
    if found is None or not (found.cpu_ns or found.step_ns):
        return None
    return Unprofiled(cpu_ns=_times(found.cpu_ns), step_ns=_times(found.step_ns))


def _times(values: Sequence[int]) -> Int64s:
    return np.array([value for value in values if 0 <= value < 2**62], dtype=np.int64)


def with_recorded(run: Profile, trace: Trace, recorded: Recorded) -> Profile:
    """Add to a profile what was recorded besides: session, times, digests, conditions."""
    events = tuple(_with_content(event, recorded) for event in run.events)
    proved = all(
        event.code_hash or event.content_digest for event in events if event.decoded.family == "inductor_triton"
    )
    return replace(
        run,
        device=run.device or recorded.device_name,
        environment=tuple(sorted({**dict(recorded.environment), **dict(run.environment)}.items())),
        events=events,
        samples=tuple(_with_times(sample, recorded) for sample in run.samples),
        missing=tuple(fact for fact in run.missing if not (fact == "code_hashes" and proved)),
        sequences=_with_contents(run.sequences, trace, recorded),
    )


def _with_content(event: GpuEvent, recorded: Recorded) -> GpuEvent:
    if not event.decoded.jit:
        return event
    found = recorded.content(event.name, event.registers, event.shared_memory, event.block)
    return event if found is None else replace(event, content_digest=found)


def _with_times(sample: StepSamples, recorded: Recorded) -> StepSamples:
    return replace(sample, key=recorded.session, unprofiled=recorded.unprofiled)


def _with_contents(sequences: Sequences, trace: Trace, recorded: Recorded) -> Sequences:
    """Fingerprint the complete steps by what the kernels are, not by what they are called."""
    complete = [index for index, step in enumerate(trace.steps) if step.complete]
    known: dict[tuple[Any, ...], str] = {}
    prints = set()
    for index in complete:
        whole = hashlib.blake2b(digest_size=16)
        for row in members(trace, index).tolist():
            key = _key(trace, row)
            if key not in known:
                token = _token(trace, key, recorded)
                if token is None:
                    return sequences
                known[key] = token
            whole.update(known[key].encode("utf-8", "surrogatepass") + b"\0")
        prints.add(whole.hexdigest())
    return replace(sequences, contents=frozenset(prints))


def _key(trace: Trace, row: int) -> tuple[Any, ...]:
    device, at = trace.raw.device, int(trace.gpu.device_row[row])
    return (
        int(trace.gpu.kind[row]),
        int(trace.gpu.name[row]),
        tuple(device.grid[at].tolist()),
        tuple(device.block[at].tolist()),
        int(device.registers[at]),
        int(device.shared_memory[at]),
        int(device.size_bytes[at]),
    )


def _token(trace: Trace, key: tuple[Any, ...], recorded: Recorded) -> str | None:
    """Give what tells one event from another; None where the code of a kernel is not known."""
    kind, name_id, grid, block, registers, shared, size = key
    name = trace.raw.strings[name_id]
    content = None
    if decode(name).jit:
        content = recorded.content(name, registers, shared, block if block[0] >= 0 else None)
        if content is None:
            return None
    return f"{kind}|{without_number(normalise(name))}|{content}|{grid}|{block}|{registers}|{shared}|{size}"
