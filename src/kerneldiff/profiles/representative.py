"""The one step that stands for a run, and fingerprints of all its steps."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.names import normalise
from kerneldiff.profiles.model import Sequences
from kerneldiff.traces.model import MISSING, Int64s


@dataclass(frozen=True, slots=True, kw_only=True)
class Representative:
    """The chosen step.

    Attributes:
        step: index into ``Trace.steps``.
        alike: indices of the steps with the same list of events, in order of time, the chosen one included.
        deviating: indices of the other complete steps.
        complete: indices of all complete steps.
        sequences: fingerprints of all complete steps.
    """

    step: int
    alike: tuple[int, ...]
    deviating: tuple[int, ...]
    complete: tuple[int, ...]
    sequences: Sequences


def members(trace: Trace, step: int) -> Int64s:
    """List the GPU events of a step, in launch order."""
    return np.flatnonzero(trace.gpu.step == step).astype(np.int64)


def choose(trace: Trace) -> Representative:
    """Choose the step that stands for the run.

    Complete steps are alike when their lists of (kind, normalised name, code hash) agree. The largest group
    represents the run, ties go to the later; within it, the lower median by GPU time. Where no step is
    complete the best of the incomplete ones is shown, and nothing is called complete.
    """
    complete = [index for index, step in enumerate(trace.steps) if step.complete]
    candidates = complete or list(range(len(trace.steps)))
    tokens = _tokens(trace)
    by_step = {index: members(trace, index) for index in candidates}
    groups: dict[bytes, list[int]] = defaultdict(list)
    for index in candidates:
        groups[tokens.hashed[by_step[index]].tobytes()].append(index)
    # A step that launched nothing does not stand for a run that launches something.
    largest = max(groups.values(), key=lambda group: (len(by_step[group[0]]) > 0, len(group), group[-1]))
    times = [int(trace.gpu.longest_ns[by_step[index]].sum()) for index in largest]
    ranked = sorted(zip(times, largest, strict=True))
    chosen = ranked[(len(ranked) - 1) // 2][1]
    inside = np.isin(trace.gpu.step, complete)
    return Representative(
        step=chosen,
        alike=tuple(largest),
        deviating=tuple(index for index in candidates if index not in largest),
        complete=tuple(complete),
        sequences=Sequences(
            names=_prints(tokens.names, by_step, tokens.texts),
            hashed=_prints(tokens.hashed, by_step, tokens.texts),
            full=_prints(tokens.full, by_step, tokens.texts),
            outside=_print(tokens.full[np.flatnonzero(~inside)], tokens.texts) if (~inside).any() else "",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tokens:
    """Each GPU event as the number of a text, by three measures of sameness."""

    names: Int64s
    hashed: Int64s
    full: Int64s
    texts: list[str]


def _tokens(trace: Trace) -> _Tokens:
    raw, gpu = trace.raw, trace.gpu
    texts: list[str] = []
    known: dict[str, int] = {}

    def number(text: str) -> int:
        if text not in known:
            known[text] = len(texts)
            texts.append(text)
        return known[text]

    pairs = np.stack([gpu.kind.astype(np.int64), gpu.name.astype(np.int64)], axis=1)
    names = _by_distinct(pairs, lambda row: number(f"{row[0]}|{normalise(raw.strings[row[1]])}"))
    hashes = code_hashes(trace)
    hashed = _by_distinct(np.stack([names, hashes], axis=1), lambda row: number(f"{texts[row[0]]}|{raw.text(row[1])}"))
    device = raw.device
    facts = [device.grid[gpu.device_row], device.block[gpu.device_row]]
    single: list[np.ndarray[Any, Any]] = [device.registers, device.shared_memory, device.size_bytes]
    columns: list[np.ndarray[Any, Any]] = [
        hashed[:, None],
        *facts,
        *(column[gpu.device_row][:, None] for column in single),
    ]
    rows = np.concatenate([column.astype(np.int64) for column in columns], axis=1)
    full = _by_distinct(rows, lambda row: number(f"{texts[row[0]]}|{row[1:]}"))
    return _Tokens(names=names, hashed=hashed, full=full, texts=texts)


def code_hashes(trace: Trace) -> Int64s:
    """Give the string id of each GPU event's code hash, MISSING where its operator has none."""
    hashes = np.full(len(trace.gpu), MISSING, dtype=np.int64)
    operator = trace.gpu.operator
    with_operator = np.flatnonzero((operator >= 0) & ~trace.gpu.replayed)
    rows = trace.cpu.operator_row[operator[with_operator]]
    has = rows >= 0
    hashes[with_operator[has]] = trace.raw.operators.kernel_hash[rows[has]]
    return hashes


def _by_distinct(rows: Int64s, value: Callable[[tuple[int, ...]], int]) -> Int64s:
    """Apply a function to each distinct row once."""
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
    values = np.array([value(tuple(row)) for row in distinct.tolist()], dtype=np.int64)
    return values[inverse.reshape(-1)]


def _prints(column: Int64s, by_step: dict[int, Int64s], texts: list[str]) -> frozenset[str]:
    distinct = {column[rows].tobytes(): rows for rows in by_step.values()}
    return frozenset(_print(column[rows], texts) for rows in distinct.values())


def _print(tokens: Int64s, texts: list[str]) -> str:
    """Fingerprint a list of events without their order: a kernel that moved changes nothing."""
    whole = hashlib.blake2b(digest_size=16)
    for text in sorted(texts[token] for token in tokens.tolist()):
        whole.update(text.encode("utf-8", "surrogatepass"))
        whole.update(b"\0")
    return whole.hexdigest()
