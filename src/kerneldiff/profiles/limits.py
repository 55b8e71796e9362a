"""What limits each kernel, and the step: memory, arithmetic, or neither of the two (latency)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kerneldiff.profiles.explained import Traffic
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.profiles.peaks import Peaks

Limiter = Literal["memory", "compute", "latency", "unknown"]
# A kernel that reaches less than this of either peak is limited by something else: too little work in flight,
# dependencies, launch. Measured on an H200, elementwise kernels of 50 MB reach 0.5 to 0.9 of the memory's peak.
LEAST_SHARE = 0.35
MOST_SHARE = 1.05  # boost clocks of data sheets are exceeded by a little


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How near one GPU event came to the device's peaks; None where traffic, work or peak are not known.

    Attributes:
        bandwidth: compulsory bytes over duration, bytes/s; memory_share: of the memory's peak.
        rate: FLOP/s; compute_share: of the peak of the math mode that ran.
        limiter: which is nearer, if one is near; ``latency`` when neither is.
        in_cache: everything it touches fits the cache, so that HBM may never see it.
    """

    bandwidth: float | None = None
    memory_share: float | None = None
    rate: float | None = None
    compute_share: float | None = None
    limiter: Limiter = "unknown"
    in_cache: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of the representative step.

    Attributes:
        peaks: what they are held against, None for an unknown device.
        events: one entry a GPU event.
        time_ns: GPU time by limiter.
        limiter: the one that holds for most GPU time, ``unknown`` where less than half is known.
    """

    peaks: Peaks | None
    events: tuple[Limit, ...]
    time_ns: tuple[tuple[Limiter, int], ...]
    limiter: Limiter


def judge_limits(profile: Profile, peaks: Peaks | None) -> Limits:
    """Hold each event of a run against the peaks of its device."""
    limits = tuple(_limit(event, moved, peaks) for event, moved in zip(profile.events, profile.traffic, strict=True))
    spent: dict[Limiter, int] = {}
    for event, limit in zip(profile.events, limits, strict=True):
        spent[limit.limiter] = spent.get(limit.limiter, 0) + event.gpu_ns
    ranked = sorted(spent.items(), key=lambda item: (-item[1], item[0]))
    total = sum(spent.values())
    leading: Limiter = ranked[0][0] if ranked and ranked[0][1] * 2 >= total else "unknown"
    return Limits(peaks=peaks, events=limits, time_ns=tuple(ranked), limiter=leading)


def _limit(event: GpuEvent, moved: Traffic | None, peaks: Peaks | None) -> Limit:
    if moved is None or event.gpu_ns <= 0:
        return Limit()
    seconds = event.gpu_ns / 1e9
    bandwidth = moved.total_bytes / seconds
    rate = moved.flops / seconds if moved.flops else None
    memory_share = bandwidth / peaks.memory if peaks and peaks.memory else None
    peak = peaks.rate(moved.math_mode) if peaks else None
    compute_share = rate / peak if rate and peak else None
    # Without the peak of its arithmetic a product may be near to it all the same.
    open_question = memory_share is None or (moved.flops is not None and compute_share is None)
    return Limit(
        bandwidth=bandwidth,
        memory_share=memory_share,
        rate=rate,
        compute_share=compute_share,
        limiter=_limiter(memory_share or 0.0, compute_share or 0.0, open_question=open_question),
        in_cache=moved.total_bytes <= peaks.l2 if peaks and peaks.l2 else None,
    )


def _limiter(memory: float, compute: float, *, open_question: bool) -> Limiter:
    if compute > MOST_SHARE:
        return "unknown"  # nothing computes faster than it can: work, time or peak are not what they seem
    if max(memory, compute) >= LEAST_SHARE:
        return "memory" if memory >= compute else "compute"
    return "unknown" if open_question else "latency"
