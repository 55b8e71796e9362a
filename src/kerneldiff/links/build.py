"""The stage itself: columns in, linked trace out."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from kerneldiff.links.cpu import nest
from kerneldiff.links.gpu import launched_before, link_gpu, lost_launches
from kerneldiff.links.model import Coverage, CpuColumns, GpuColumns, Step, Trace
from kerneldiff.links.notes import link_notes
from kerneldiff.links.steps import find_steps, judge_steps, step_of
from kerneldiff.traces.model import Int64s, Kind, RawTrace


def link(raw: RawTrace, *, use_marks: bool = True) -> Trace:
    """Link every GPU event to its launch, its chain of operators and its step.

    A GPU event belongs to the step that launched it, however late it ran. Without marks the whole file
    is one step, and then events without a launch belong to it too; the same where ``use_marks`` is off.
    """
    cpu = nest(raw)
    gpu = link_gpu(raw, cpu)
    marks = find_steps(raw, cpu) if use_marks else ()
    steps = marks or (_whole_file(raw),)
    cpu = replace(cpu, step=step_of(steps, cpu.start_ns))
    gpu = replace(gpu, step=_gpu_steps(cpu, gpu, whole=not marks))
    lost = lost_launches(raw, cpu, gpu)
    steps = judge_steps(raw, cpu, gpu, steps, lost)
    if not marks:
        # There is no other step to take instead; what is odd inside is said in the notes.
        steps = tuple(replace(step, profiler_ns=0, compiled=False) for step in steps)
    coverage = _coverage(gpu, launched_before(raw, cpu, gpu))
    notes = (*raw.notes, *link_notes(raw, cpu, gpu, steps, lost))
    return Trace(
        raw=raw,
        cpu=cpu,
        gpu=gpu,
        steps=steps,
        has_marks=bool(marks),
        coverage=coverage,
        digest=_digest(raw),
        notes=notes,
    )


def _whole_file(raw: RawTrace) -> Step:
    kinds = raw.events.kind
    work = (kinds != Kind.SPAN) & (kinds != Kind.OVERHEAD) & (kinds != Kind.PYTHON)
    start, end = raw.events.start_ns[work], (raw.events.start_ns + raw.events.dur_ns)[work]
    if not len(start):
        return Step(number=None, start_ns=0, end_ns=0)
    return Step(number=None, start_ns=int(start.min()), end_ns=int(end.max()))


def _gpu_steps(cpu: CpuColumns, gpu: GpuColumns, *, whole: bool) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    if whole:
        return np.zeros(len(gpu), dtype=np.int32)
    if not len(cpu):
        return np.full(len(gpu), -1, dtype=np.int32)
    return np.where(gpu.launch >= 0, cpu.step[gpu.launch], -1).astype(np.int32)


def _coverage(gpu: GpuColumns, before: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Coverage:
    inside = gpu.step >= 0
    return Coverage(
        gpu_events=len(gpu),
        in_steps=int(inside.sum()),
        before_window=int((before & ~inside).sum()),
        linked=int((gpu.launch >= 0).sum()),
        gpu_ns=int(gpu.longest_ns.sum()),
        gpu_ns_in_steps=int(gpu.longest_ns[inside].sum()),
        before_window_ns=int(gpu.longest_ns[before & ~inside].sum()),
    )


def _digest(raw: RawTrace) -> str:
    """Fingerprint a recording: all slices with their times from the first, names and arguments.

    Ids are hashed as the texts behind them, in order of time, so that neither the clock's zero nor the order of
    the events in the file matters.
    """
    events = raw.events
    if not len(events):
        return ""
    texts = np.array([int.from_bytes(_short_hash(text), "little", signed=True) for text in raw.strings], dtype=np.int64)
    names = texts[events.name]
    start = events.start_ns - events.start_ns.min()
    order = np.lexsort((events.external_id, names, events.dur_ns, start))
    whole = hashlib.blake2b(digest_size=16)
    for column in (names, start, events.dur_ns, events.external_id):
        whole.update(np.ascontiguousarray(column[order]).tobytes())
    whole.update(_arguments(raw, texts, order))
    return whole.hexdigest()


def _arguments(raw: RawTrace, texts: Int64s, order: Int64s) -> bytes:
    """Hash-ready bytes of the arguments that tell programs apart: shapes, types, code hashes, configurations."""
    operators = raw.operators
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    by_time = np.argsort(rank[operators.row], kind="stable")
    with_missing = np.append(texts, 0)  # MISSING indexes the last place
    columns = (operators.input_dims, operators.input_types, operators.kernel_hash, operators.kernel_kwargs)
    return b"".join(np.ascontiguousarray(with_missing[column[by_time]]).tobytes() for column in columns)


def _short_hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
