"""The judgement itself: which estimate, which spread, which call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kerneldiff.diffs.noise import reasons
from kerneldiff.diffs.noise.estimates import Estimate, half_width, mean_of, trimmed
from kerneldiff.diffs.noise.model import Basis, Call, Quantity, Recording, Session, StepRef, TimeCall, Trend
from kerneldiff.diffs.noise.samples import ENOUGH, Sample, sample_of

MATTERS: Final = 0.02
_SHOWN: Final = -math.log(1 - MATTERS)  # 2 % or more in either direction, whichever side is called baseline
_INSIDE: Final = math.log(1 + MATTERS)
_ALLOWED: Final = math.log(1.03)

MANY_RECORDINGS: Final = 3
FEW_STEPS: Final = math.log(1.07)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spread:
    """Standard deviations (in logs) between recordings of one unchanged program, from calibration.

    ``recording``: within a session; ``few_steps``: the same with fewer than five steps; ``session``: what another
    session adds; ``least``: the least that three or more recordings are believed.
    """

    recording: float
    few_steps: float
    session: float
    least: float


_GPU: Final = _Spread(recording=0.004, few_steps=0.004, session=math.sqrt(0.015**2 - 0.004**2), least=0.002)
_CPU: Final = _Spread(recording=0.20, few_steps=0.40, session=math.sqrt(0.40**2 - 0.20**2), least=0.03)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side, ready to be estimated: recordings with values, and the part of each that counts."""

    recordings: tuple[Recording, ...]
    positions: tuple[int, ...]
    samples: tuple[Sample, ...]

    @property
    def steps(self) -> int:
        """Values that count, over all recordings."""
        return sum(len(sample.logs) for sample in self.samples)

    @property
    def fewest(self) -> int:
        """Values that count in the shortest recording."""
        return min(len(sample.logs) for sample in self.samples)


def judge(
    baseline: Sequence[Recording],
    candidate: Sequence[Recording],
    *,
    quantity: Quantity,
    session: Session,
    basis: Basis = "profiled",
) -> TimeCall:
    """Say whether the candidate takes another time than the baseline, and how sure that is.

    Swapping the sides inverts ratio and interval and mirrors the call.

    Args:
        baseline: recordings of one program; recordings are independent samples, steps of one are not.
        candidate: those of the other side.
        quantity: which time the values are; GPU times are far steadier than CPU and step times.
        session: whether both sides were recorded in one session (see ``session_of``).
        basis: whether the values were taken under the profiler.
    """
    sides = (_side(baseline, quantity), _side(candidate, quantity))
    if not sides[0].samples or not sides[1].samples:
        return _unmeasured((baseline, candidate), sides, quantity=quantity, session=session, basis=basis)
    spread = _GPU if quantity in ("gpu", "gpu_busy") else _CPU
    many = min(len(side.samples) for side in sides) >= MANY_RECORDINGS
    one, other = (_estimate(side, quantity, spread=spread, many=many) for side in sides)
    known = 0.0 if session == "same" else 2 * spread.session**2
    few = not many and min(side.fewest for side in sides) < ENOUGH
    if few and spread is _GPU:
        known += (FEW_STEPS / 1.96) ** 2
    trends = (_trend(sides[0]), _trend(sides[1]))
    log_ratio = other.log - one.log
    half = half_width(one, other, known=known) + 2 * sum(abs(math.log(trend.ratio)) for trend in trends if trend)
    settled = quantity != "cpu" or many or all(len(r.values_ns) > 1 for side in sides for r in side.recordings)
    call = _call(log_ratio, half) if settled else "inconclusive"
    facts = reasons.Facts(
        quantity=quantity,
        call=call,
        log_ratio=log_ratio,
        half=half,
        recordings=(len(sides[0].samples), len(sides[1].samples)),
        fewest=(sides[0].fewest, sides[1].fewest),
        few=few,
        many=many,
        session=session,
        trends=trends,
        settled=settled,
    )
    return TimeCall(
        baseline_ns=round(math.exp(one.log)),
        candidate_ns=round(math.exp(other.log)),
        ratio=math.exp(log_ratio),
        interval=(math.exp(log_ratio - half), math.exp(log_ratio + half)),
        call=call,
        basis=basis,
        recordings=facts.recordings,
        steps=(sides[0].steps, sides[1].steps),
        session=session,
        reason=reasons.reason(facts),
        settling=(sum(s.settling for s in sides[0].samples), sum(s.settling for s in sides[1].samples)),
        outliers=(_outliers(sides[0]), _outliers(sides[1])),
        trends=trends,
    )


def judge_match(
    baseline: Sequence[Recording], candidate: Sequence[Recording], *, session: Session, basis: Basis = "profiled"
) -> TimeCall:
    """Judge one match: per step, the summed durations of its events on each side.

    The same rules as for GPU time; ``Recording.events`` is the number of events of the match, so that the clock's
    tick weighs as it must for kernels of a few microseconds.
    """
    return judge(baseline, candidate, quantity="gpu", session=session, basis=basis)


def _side(recordings: Sequence[Recording], quantity: Quantity) -> Side:
    taken = [(position, recording, sample_of(recording, quantity)) for position, recording in enumerate(recordings)]
    kept = [(position, recording, sample) for position, recording, sample in taken if sample is not None]
    return Side(
        recordings=tuple(recording for _, recording, _ in kept),
        positions=tuple(position for position, _, _ in kept),
        samples=tuple(sample for _, _, sample in kept),
    )


def _estimate(side: Side, quantity: Quantity, *, spread: _Spread, many: bool) -> Estimate:
    on_gpu = quantity in ("gpu", "gpu_busy")
    if on_gpu:
        parts = [trimmed(sample.logs) for sample in side.samples]
    else:
        share = 0.25 if many else 0.0
        parts = [Estimate(log=float(np.quantile(sample.logs, share))) for sample in side.samples]
    ticks = [_tick(recording, part.log) for recording, part in zip(side.recordings, parts, strict=True)]
    count = len(parts)
    tick = sum(ticks) / count**2
    logs = [part.log for part in parts]
    if many:
        found = mean_of(logs, least_sigma=spread.least)
        return Estimate(log=found.log, variance=found.variance, freedom=found.freedom, known=tick)
    sigma = spread.few_steps if side.fewest < ENOUGH else spread.recording
    modelled = Estimate(
        log=float(np.mean(logs)),
        variance=sum(part.variance for part in parts) / count**2,
        freedom=sum(part.freedom for part in parts),
        known=sigma**2 / count + tick,
    )
    if count == 1:
        return modelled
    # Two recordings that disagree more than calibration expects are believed, not calibration.
    measured = mean_of(logs, least_sigma=0.0)
    return measured if measured.variance > modelled.variance + modelled.known else modelled


def _tick(recording: Recording, log: float) -> float:
    """Return the variance (in logs) that a clock of this resolution adds to a sum of so many events."""
    return recording.tick_ns**2 / 12 * max(1, recording.events) / math.exp(2 * log)


def _call(log_ratio: float, half: float) -> Call:
    if abs(log_ratio) > half and abs(log_ratio) >= _SHOWN:
        return "slower" if log_ratio > 0 else "faster"
    reach = abs(log_ratio) + half
    # A difference that is shown, but below 2 %, needs no more than that the interval stays below 3 %.
    if reach <= _INSIDE or (half < abs(log_ratio) <= _INSIDE and reach <= _ALLOWED):
        return "equivalent"
    return "inconclusive"


def _trend(side: Side) -> Trend | None:
    """Return the drift that more than half of a side's recordings have."""
    drifts = [sample.drift for sample in side.samples if sample.drift]
    if 2 * len(drifts) <= len(side.samples):
        return None
    return Trend(ratio=math.exp(float(np.median(drifts))), recordings=len(drifts))


def _outliers(side: Side) -> tuple[StepRef, ...]:
    return tuple(
        StepRef(recording=position, index=index, value_ns=int(recording.values_ns[index]))
        for position, recording, sample in zip(side.positions, side.recordings, side.samples, strict=True)
        for index in sample.outliers
    )


def _unmeasured(
    given: tuple[Sequence[Recording], Sequence[Recording]],
    sides: tuple[Side, Side],
    *,
    quantity: Quantity,
    session: Session,
    basis: Basis,
) -> TimeCall:
    """Return the call where a side has no value, or only zeros."""
    centres = [_centre(recordings, side, quantity) for recordings, side in zip(given, sides, strict=True)]
    return TimeCall(
        baseline_ns=centres[0],
        candidate_ns=centres[1],
        ratio=None,
        interval=None,
        call="inconclusive",
        basis=basis,
        recordings=(len(sides[0].samples), len(sides[1].samples)),
        steps=(sides[0].steps, sides[1].steps),
        session=session,
        reason=reasons.unmeasured(quantity, centres[0], centres[1]),
    )


def _centre(recordings: Sequence[Recording], side: Side, quantity: Quantity) -> int | None:
    if side.samples:
        spread = _GPU if quantity in ("gpu", "gpu_busy") else _CPU
        return round(math.exp(_estimate(side, quantity, spread=spread, many=False).log))
    return 0 if any(len(recording.values_ns) for recording in recordings) else None
