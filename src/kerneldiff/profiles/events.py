"""The GPU events of a step as values, with everything that tells one kernel from another."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from kerneldiff.links.cpu import ancestors
from kerneldiff.links.model import Trace
from kerneldiff.names import KernelName, decode, normalise
from kerneldiff.profiles.model import Dims, EventKind, GpuEvent
from kerneldiff.profiles.shapes import parse_dims, parse_types, problem_size
from kerneldiff.traces.model import MISSING, Int64s, Kind, RawTrace

# As plain numbers: these are compared for every slice around every launch.
_OPERATOR, _ANNOTATION = int(Kind.OPERATOR), int(Kind.ANNOTATION)
_KINDS: dict[int, EventKind] = {Kind.KERNEL: "kernel", Kind.MEMCPY: "memcpy", Kind.MEMSET: "memset"}
# Slices of category cpu_op that PyTorch's compiler makes around a region; they are no operators of the program.
REGION_PREFIXES = ("Torch-Compiled Region", "## Call CompiledFxGraph", "CUDAGraphTreeManager", "ProfilerStep#")


def step_events(trace: Trace, members: Int64s, step_start_ns: int) -> tuple[GpuEvent, ...]:
    """Make the values of some GPU events.

    Args:
        trace: a linked trace.
        members: indices into ``trace.gpu``, in launch order.
        step_start_ns: what ``GpuEvent.start_ns`` counts from.
    """
    return tuple(_event(trace, index, step_start_ns) for index in members.tolist())


def _event(trace: Trace, index: int, step_start_ns: int) -> GpuEvent:
    raw, gpu = trace.raw, trace.gpu
    device_row = int(gpu.device_row[index])
    name = raw.strings[int(gpu.name[index])]
    start = int(gpu.start_ns[index])
    launch = _launch(trace, index, start, jit=decode(name).jit)
    decoded = in_context(decode(name), launch.get("chain", ()))
    return GpuEvent(
        name=name,
        normalised=normalise(name),
        decoded=decoded,
        kind=_KINDS[int(gpu.kind[index])],
        registers=known(raw.device.registers[device_row]),
        shared_memory=known(raw.device.shared_memory[device_row]),
        size_bytes=known(raw.device.size_bytes[device_row]),
        collective=raw.text(int(raw.device.collective[device_row])),
        stream=known(raw.device.stream[device_row]),
        replayed=bool(gpu.replayed[index]),
        start_ns=start - step_start_ns,
        gpu_ns=int(gpu.longest_ns[index]),
        **_geometry(trace, index),
        **launch,
    )


def in_context(decoded: KernelName, chain: tuple[str, ...]) -> KernelName:
    """Correct a reading that the operator around the launch rules out.

    A bare identifier reads as hand-written Triton; launched from inside an ATen operator it is a library's own
    kernel, compiled ahead of time (cuDNN's ``conv2d_c1_k1_nhwc_specialized``, say).
    """
    operator = chain[-1] if chain else ""
    if decoded.family != "user_triton" or not operator.startswith("aten::") or "triton" in operator:
        return decoded
    library = next((name for name in ("cudnn", "miopen") if name in operator), None)
    op = "conv" if "convolution" in operator else decoded.op
    label = " ".join(part for part in (library, op, decoded.name) if part)
    return replace(decoded, family="other", library=library, op=op, jit=False, label=label)


def known(value: np.integer[Any]) -> int | None:
    """Give a column's value, None where it is missing."""
    return None if value == MISSING else int(value)


def _geometry(trace: Trace, index: int) -> dict[str, Any]:
    """Grid and block of the kernel, or of its launch where only that has them (AMD)."""
    raw, gpu = trace.raw, trace.gpu
    grid, block = raw.device.grid[gpu.device_row[index]], raw.device.block[gpu.device_row[index]]
    if grid[0] == MISSING and gpu.launch[index] >= 0 and not gpu.replayed[index]:
        call = np.searchsorted(raw.runtime.row, trace.cpu.row[gpu.launch[index]])
        if call < len(raw.runtime.row) and raw.runtime.row[call] == trace.cpu.row[gpu.launch[index]]:
            grid, block = raw.runtime.grid[call], raw.runtime.block[call]
    return {"grid": _triple(grid), "block": _triple(block)}


def _triple(values: np.ndarray[Any, np.dtype[np.int32]]) -> Dims | None:
    return None if values[0] == MISSING else tuple(int(value) for value in values)


def _launch(trace: Trace, index: int, start: int, *, jit: bool) -> dict[str, Any]:
    raw, cpu, gpu = trace.raw, trace.cpu, trace.gpu
    call = int(gpu.launch[index])
    if call < 0:
        return {}
    around = ancestors(cpu, call)
    operators = [i for i in around if int(cpu.kind[i]) == _OPERATOR]
    names = [raw.strings[int(cpu.name[i])] for i in operators]
    chain = [(i, name) for i, name in zip(operators, names, strict=True) if not name.startswith(REGION_PREFIXES)]
    facts: dict[str, Any] = {
        "launch": raw.strings[int(cpu.name[call])],
        "delay_ns": start - int(cpu.start_ns[call]),
        "regions": tuple(
            name
            for i in reversed(around)
            if (name := raw.strings[int(cpu.name[i])]).startswith(REGION_PREFIXES) or int(cpu.kind[i]) == _ANNOTATION
            if not name.startswith("ProfilerStep#")
        ),
    }
    if bool(gpu.replayed[index]):
        # The operators around a graph's launch did not launch its kernels: they are not known.
        return facts
    facts["chain"] = tuple(name for _, name in reversed(chain))
    if chain:
        facts["call"] = chain[0][0]
        facts |= arguments(trace, chain, jit=jit)
    return facts


def arguments(trace: Trace, chain: list[tuple[int, str]], *, jit: bool) -> dict[str, Any]:
    """Read shapes, types, code hash and configuration from the operators, innermost first."""
    raw, cpu = trace.raw, trace.cpu
    facts: dict[str, Any] = {}
    innermost = int(cpu.operator_row[chain[0][0]])
    if innermost >= 0:
        facts["input_shapes"] = _parsed_dims(raw, raw.operators.input_dims[innermost])
        facts["input_strides"] = _parsed_dims(raw, raw.operators.input_strides[innermost])
        types = raw.text(int(raw.operators.input_types[innermost]))
        facts["input_types"] = None if types is None else parse_types(types)
        if jit:
            facts["code_hash"] = raw.text(int(raw.operators.kernel_hash[innermost]))
            facts["configuration"] = configuration(raw, innermost)
    for at, name in chain:
        row = int(cpu.operator_row[at])
        size = problem_size(name, _parsed_dims(raw, raw.operators.input_dims[row])) if row >= 0 else None
        if size is not None:
            facts["problem_size"] = size
            break
    return facts


def _parsed_dims(raw: RawTrace, string_id: np.integer[Any]) -> tuple[Dims | None, ...] | None:
    text = raw.text(int(string_id))
    return None if text is None else parse_dims(text)


def configuration(raw: RawTrace, operator_row: int) -> str | None:
    """Give the configuration of a Triton launch as one text, None when nothing of it was recorded."""
    operators = raw.operators
    kwargs = raw.text(int(operators.kernel_kwargs[operator_row])) or ""
    return _configuration(kwargs, known(operators.num_warps[operator_row]), known(operators.num_stages[operator_row]))


@lru_cache(maxsize=4096)
def _configuration(kwargs: str, warps: int | None, stages: int | None) -> str | None:
    parts = [part for part in kwargs.split(",") if part]
    parts += [f"num_warps={warps}"] if warps is not None else []
    parts += [f"num_stages={stages}"] if stages is not None else []
    return ",".join(parts) or None
