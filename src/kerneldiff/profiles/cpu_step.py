"""The representative step on the thread that launches most, every nanosecond counted once."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.profiles.explained import CpuItem, CpuStep, ItemKind
from kerneldiff.profiles.own_time import extent, own_times, pacing_track, step_slices
from kerneldiff.profiles.samples import blocking
from kerneldiff.traces.model import Kind

_GRAPH = re.compile(r"## Call CompiledFxGraph \S+ ##")
_REGION = re.compile(r"Torch-Compiled Region: .*")
_LOADER = re.compile(r"enumerate\(DataLoader\)#\S*__next__")
COMPILED_GRAPH = "CompiledFxGraph"
COMPILED_REGION = "Torch-Compiled Region"
LOADER = "enumerate(DataLoader)"


@lru_cache(maxsize=4096)
def common_name(name: str) -> str:
    """Remove what tells two builds of one thing apart: numbers of regions, hashes of graphs, classes of loaders.

    >>> common_name("Torch-Compiled Region: 0/1"), common_name("aten::mm")
    ('Torch-Compiled Region', 'aten::mm')
    """
    if _GRAPH.fullmatch(name):
        return COMPILED_GRAPH
    if _REGION.fullmatch(name):
        return COMPILED_REGION
    return LOADER if _LOADER.fullmatch(name) else name


def cpu_step(trace: Trace, step: int) -> CpuStep | None:
    """Divide a step's CPU extent among the innermost slices; None without CPU slices."""
    track = pacing_track(trace, step)
    if track is None:
        return None
    cpu = trace.cpu
    slices = step_slices(trace, step)
    slices = slices[cpu.track[slices] == track]
    window = extent(trace, step, track)
    times = own_times(trace, slices, window)
    waits = blocking(trace)[slices]
    keys = np.stack([cpu.name[slices].astype(np.int64), cpu.kind[slices].astype(np.int64), waits], axis=1)
    distinct, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    calls = np.bincount(inverse, minlength=len(distinct))
    spent = [0] * len(distinct)
    for at, ns in zip(inverse.tolist(), times.own_ns.tolist(), strict=True):
        spent[at] += ns
    merged: dict[tuple[ItemKind, str], tuple[int, int]] = {}
    for at in np.argsort(first).tolist():
        name, kind, blocks = distinct[at].tolist()
        key = _key(trace.raw.strings[name], kind, blocks=bool(blocks))
        count, ns = merged.get(key, (0, 0))
        merged[key] = (count + int(calls[at]), ns + spent[at])
    return CpuStep(
        thread=trace.raw.tracks[track].tid,
        extent_ns=window.end_ns - window.start_ns,
        items=tuple(CpuItem(kind=key[0], name=key[1], calls=count, ns=ns) for key, (count, ns) in merged.items()),
        between_ns=times.outside_ns,
    )


def _key(text: str, kind: int, *, blocks: bool) -> tuple[ItemKind, str]:
    name = common_name(text)
    if kind == Kind.RUNTIME:
        return ("sync" if blocks else "runtime"), name
    if name == LOADER:
        return "loader", name
    # PyTorch writes the call of a compiled graph as an operator or as an annotation, depending on its release.
    return ("operator" if kind == Kind.OPERATOR or name == COMPILED_GRAPH else "annotation"), name
