"""The judgement itself: an interval for the ratio, and what it allows to say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from kerneldiff.diffs.noise.estimates import half_width
from kerneldiff.diffs.noise.model import Basis, Call, Quantity, Recording, Session, TimeCall
from kerneldiff.diffs.noise.reasons import Facts, reason, unmeasured
from kerneldiff.diffs.noise.samples import ENOUGH, on_gpu
from kerneldiff.diffs.noise.sides import Side, estimate, side_of, spread_of

MANY_RECORDINGS: Final = 3

MATTERS: Final = 0.02
_SHOWN: Final = -math.log(1 - MATTERS)  # 2 % or more, whichever side is called baseline
_SAME: Final = math.log(1 + MATTERS)
_CLOSE: Final = math.log(1.03)

# Half the 95 % interval that is allowed for when a recording has fewer than five steps, which never settle.
_FEW_STEPS: Final = math.log(1.07)
_NORMAL_95: Final = 1.959964

# Far beyond any ratio of two int64 (44 in logs), and its exponential is still a float.
_NO_LIMIT: Final = 300.0


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
    sides = (side_of(baseline, quantity), side_of(candidate, quantity))
    if not sides[0].samples or not sides[1].samples:
        return _unmeasured((baseline, candidate), sides, quantity=quantity, session=session, basis=basis)
    facts = _facts(sides, quantity=quantity, session=session, basis=basis)
    ratio = math.exp(facts.log_ratio)
    return TimeCall(
        baseline_ns=round(math.exp(facts.logs[0])),
        candidate_ns=round(math.exp(facts.logs[1])),
        ratio=ratio,
        interval=(ratio / math.exp(facts.half), ratio * math.exp(facts.half)),
        call=facts.call,
        basis=basis,
        recordings=facts.recordings,
        steps=(sides[0].steps, sides[1].steps),
        session=session,
        reason=reason(facts),
        settling=(sides[0].settling, sides[1].settling),
        outliers=(sides[0].outliers, sides[1].outliers),
        trends=facts.trends,
    )


def judge_match(
    baseline: Sequence[Recording], candidate: Sequence[Recording], *, session: Session, basis: Basis = "profiled"
) -> TimeCall:
    """Judge one match: per step, the summed durations of its events on each side.

    The same rules as for GPU time; ``Recording.events`` is the number of events of the match, so that the clock's
    tick weighs as it must for kernels of a few microseconds.
    """
    return judge(baseline, candidate, quantity="gpu", session=session, basis=basis)


def _facts(sides: tuple[Side, Side], *, quantity: Quantity, session: Session, basis: Basis) -> Facts:
    many = min(len(side.samples) for side in sides) >= MANY_RECORDINGS
    few = not many and min(side.fewest for side in sides) < ENOUGH
    one, other = (estimate(side, quantity, many=many) for side in sides)
    known = 0.0 if session == "same" else 2 * spread_of(quantity).session ** 2
    if few and on_gpu(quantity):
        known += (_FEW_STEPS / _NORMAL_95) ** 2
    trends = (sides[0].trend, sides[1].trend)
    # A drift says that the mean depends on when one looked; twice its size is allowed for.
    drift = 2 * sum(abs(math.log(trend.ratio)) for trend in trends if trend)
    log_ratio = other.log - one.log
    widest = max(half_width(one, other, known=known), sides[0].resolution, sides[1].resolution) + drift
    half = min(widest, _NO_LIMIT)
    started = quantity == "cpu" and any(len(r.values_ns) < 2 for side in sides for r in side.recordings)
    # The interval of one recording allows for its rounding. Averaging recordings makes that term small, as if each was
    # rounded anew; yet all of one program may be rounded one way, and all of the other the other way: a tick each.
    clock = sides[0].resolution + sides[1].resolution if many else 0.0
    call = _call(log_ratio, half, half_width(one, other, known=known, confidence=0.90) + drift, clock=clock)
    return Facts(
        quantity=quantity,
        call="inconclusive" if started else call,
        logs=(one.log, other.log),
        half=half,
        below_clock=call == "inconclusive" and max(half, _SHOWN) < abs(log_ratio) <= clock,
        recordings=(len(sides[0].samples), len(sides[1].samples)),
        fewest=(sides[0].fewest, sides[1].fewest),
        few=few,
        many=many,
        session=session,
        basis=basis,
        trends=trends,
        outliers=(len(sides[0].outliers), len(sides[1].outliers)),
        only_first_step=started,
    )


def _call(log_ratio: float, half: float, half_90: float, *, clock: float) -> Call:
    """Turn an interval into a word.

    ``equivalent`` is the two one-sided tests of Schuirmann (1987, J. Pharmacokinetics and Biopharmaceutics 15):
    both at 5 %, which is to say that the 90 % interval lies within 2 %. A difference that is shown, but below 2 %,
    is equivalent too, as long as 3 % is excluded. ``clock`` is the difference that the clock alone can make: more
    recordings do not take it away, so nothing up to it is called faster or slower.
    """
    size = abs(log_ratio)
    if size > max(half, clock) and size >= _SHOWN:
        return "slower" if log_ratio > 0 else "faster"
    if size + half_90 <= _SAME or (half < size <= _SAME and size + half_90 <= _CLOSE):
        return "equivalent"
    return "inconclusive"


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
        reason=unmeasured(quantity, (centres[0], centres[1])),
        settling=(sides[0].settling, sides[1].settling),
        outliers=(sides[0].outliers, sides[1].outliers),
    )


def _centre(recordings: Sequence[Recording], side: Side, quantity: Quantity) -> int | None:
    if side.samples:
        return round(math.exp(estimate(side, quantity, many=False).log))
    return 0 if any(len(recording.values_ns) for recording in recordings) else None
