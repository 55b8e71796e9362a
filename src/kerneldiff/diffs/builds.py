"""Several builds of one program, each compared with the same baseline: is it one code, and how far apart are its times?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kerneldiff.diffs.build import diff
from kerneldiff.diffs.model import Diff, Difference, GpuWork
from kerneldiff.profiles.model import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSpread:
    """A kernel that is not the same in all builds, or takes other times in them.

    Attributes:
        name: in the first build.
        ns: its time in each build, 0 where it has no counterpart.
        differences: of the first build that has other code.
    """

    name: str
    ns: tuple[int, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSpread:
    """How far builds lie apart.

    Attributes:
        variant: which was built several times.
        work: GPU work of all builds against the first of them: the worst that was found.
        codes: how many different codes there are among the builds, as far as can be told.
        gpu_ns: GPU time a step of each build, at the median.
        ratios: GPU time of each build over its baseline's, None where it is not known.
        kernels: those that make the difference, the largest first.
    """

    variant: str
    work: GpuWork
    codes: int
    gpu_ns: tuple[int | None, ...]
    ratios: tuple[float | None, ...]
    kernels: tuple[KernelSpread, ...]


_WORST: tuple[GpuWork, ...] = ("same", "unproven", "unknown", "changed")


def typical_build(diffs: Sequence[Diff]) -> int:
    """Give the index of the build with the lower median of GPU time."""
    ranked = sorted(range(len(diffs)), key=lambda index: (gpu_time(diffs[index].candidate) or 0, index))
    return ranked[(len(ranked) - 1) // 2]


def spread_of_builds(variant: str, diffs: Sequence[Diff]) -> BuildSpread:
    """Compare the candidates of several diffs with each other."""
    builds = [one.candidate for one in diffs]
    against_first = [diff(builds[0], other) for other in builds[1:]]
    work = max((one.verdict.gpu_work for one in against_first), key=_WORST.index)
    return BuildSpread(
        variant=variant,
        work=work,
        codes=len(_codes(builds)),
        gpu_ns=tuple(gpu_time(run) for run in builds),
        ratios=tuple(one.times.gpu.ratio for one in diffs),
        kernels=_kernels(builds[0], against_first),
    )


def gpu_time(run: Profile) -> int | None:
    """Give the GPU time of a step at the median over all recordings, None without GPU events."""
    values = [sample.gpu_ns for sample in run.samples if len(sample.gpu_ns)]
    return int(np.median(np.concatenate(values))) if values else None


def _codes(builds: Sequence[Profile]) -> set[tuple[object, ...]]:
    """Tell builds apart by their lists of kernels: digest where there is one, else name, hash and geometry."""
    return {
        tuple(
            event.content_digest
            or (event.normalised, event.code_hash, event.block, event.registers, event.configuration)
            for event in run.events
        )
        for run in builds
    }


def _kernels(first: Profile, against_first: Sequence[Diff]) -> tuple[KernelSpread, ...]:
    times = [[event.gpu_ns] + [0] * len(against_first) for event in first.events]
    found: dict[int, tuple[Difference, ...]] = {}
    for number, one in enumerate(against_first, start=1):
        for match in one.matches:
            if not match.baseline:
                continue
            main = match.baseline[0]
            times[main][number] = match.candidate_ns
            if match.relation not in ("same", "unproven"):
                found.setdefault(main, match.differences)
    spreads = [
        KernelSpread(name=first.events[main].name, ns=tuple(times[main]), differences=differences)
        for main, differences in found.items()
    ]
    return tuple(sorted(spreads, key=lambda one: min(one.ns) - max(one.ns)))
