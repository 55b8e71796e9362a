"""Times of two runs, judged: GPU time, GPU busy, CPU dispatch, step time, and each match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kerneldiff.diffs.comparability import differing_settings
from kerneldiff.diffs.model import Times
from kerneldiff.diffs.noise import Moment, Quantity, Recording, Session, TimeCall, judge, judge_match, session_of
from kerneldiff.profiles.model import Profile, StepSamples
from kerneldiff.traces.model import Int64s


def session(baseline: Profile, candidate: Profile) -> Session:
    """Tell whether both runs were recorded in one session of a machine."""
    return session_of(_moments(baseline), _moments(candidate))


def _moments(run: Profile) -> list[Moment]:
    return [Moment(key=sample.key, start_ns=sample.start_ns, place=run.device) for sample in run.samples]


def judge_times(baseline: Profile, candidate: Profile, when: Session) -> Times:
    """Judge the four quantities."""
    return Times(
        gpu=_judge(baseline, candidate, "gpu", when),
        gpu_busy=_judge(baseline, candidate, "gpu_busy", when),
        cpu=_judge(baseline, candidate, "cpu", when),
        step=_judge(baseline, candidate, "step", when),
    )


def _judge(baseline: Profile, candidate: Profile, quantity: Quantity, when: Session) -> TimeCall:
    call = _judge_values(baseline, candidate, quantity, when)
    settings = differing_settings(baseline, candidate)
    on_gpu = quantity in ("gpu", "gpu_busy") or (quantity == "step" and baseline.bound == candidate.bound == "gpu")
    if not settings or on_gpu or call.basis == "unprofiled" or call.ratio is None:
        return call
    which = " and ".join(settings)
    reason = f"only one side was recorded with {which}, which slows the CPU side down; record both sides with the same settings"
    return replace(call, call="inconclusive", reason=reason)


def _judge_values(baseline: Profile, candidate: Profile, quantity: Quantity, when: Session) -> TimeCall:
    unprofiled = quantity in ("cpu", "step") and all(
        sample.unprofiled is not None for run in (baseline, candidate) for sample in run.samples
    )
    return judge(
        [_recording(sample, quantity, unprofiled=unprofiled) for sample in baseline.samples],
        [_recording(sample, quantity, unprofiled=unprofiled) for sample in candidate.samples],
        quantity=quantity,
        session=when,
        basis="unprofiled" if unprofiled else "profiled",
    )


def _recording(sample: StepSamples, quantity: Quantity, *, unprofiled: bool) -> Recording:
    """Give one recording's values; the profiler slows the CPU side, so times without it go first."""
    values: dict[Quantity, Int64s] = {
        "gpu": sample.gpu_ns,
        "gpu_busy": sample.gpu_busy_ns,
        "cpu": sample.cpu_ns,
        "step": sample.step_ns,
    }
    if unprofiled and sample.unprofiled is not None:
        values |= {"cpu": sample.unprofiled.cpu_ns, "step": sample.unprofiled.step_ns}
    on_gpu = quantity in ("gpu", "gpu_busy")
    return Recording(
        values_ns=values[quantity],
        tick_ns=sample.tick_ns if on_gpu else 1,
        events=max(1, sample.gpu_events) if on_gpu else 1,
        key=sample.key,
        start_ns=sample.start_ns,
    )


def judge_events(
    baseline: Profile, candidate: Profile, members: tuple[Sequence[int], Sequence[int]], when: Session
) -> TimeCall | None:
    """Judge the summed durations of some events of both sides; None where a side has none, or no times (a lock file)."""
    if not members[0] or not members[1] or not baseline.samples or not candidate.samples:
        return None
    return judge_match(_rows(baseline, members[0]), _rows(candidate, members[1]), session=when)


def _rows(run: Profile, members: Sequence[int]) -> list[Recording]:
    """Give the per-step sums of some events, one list a recording."""
    sums = run.durations[:, list(members)].sum(axis=1)
    borders = np.cumsum(run.by_recording)[:-1]
    tick = run.samples[0].tick_ns
    return [
        Recording(values_ns=part, tick_ns=tick, events=len(members)) for part in np.split(sums, borders) if len(part)
    ]


def typical_ns(run: Profile, index: int) -> float:
    """Give the median duration of an event over the alike steps."""
    if not len(run.durations):
        return float(run.events[index].gpu_ns)
    return float(np.median(run.durations[:, index]))
