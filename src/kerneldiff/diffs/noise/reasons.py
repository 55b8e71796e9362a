"""Why a call was made, in words, and what would settle it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kerneldiff.diffs.noise.model import Call, Quantity, Session, Trend

_NAMES: Final = {"gpu": "GPU time", "gpu_busy": "GPU busy time", "cpu": "CPU dispatch time", "step": "step time"}
_SIDES: Final = ("baseline", "candidate")
_ALTERNATE: Final = "record both sides at least 5 times in alternation and compare the folders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a reason is made of; pairs are (baseline, candidate)."""

    quantity: Quantity
    call: Call
    log_ratio: float
    half: float
    recordings: tuple[int, int]
    fewest: tuple[int, int]
    few: bool
    many: bool
    session: Session
    trends: tuple[Trend | None, Trend | None]
    settled: bool


def reason(facts: Facts) -> str:
    """Return one or two sentences: why this call, and what would settle an open one."""
    if facts.call == "inconclusive":
        return _open(facts)
    drift = f"; {_drift(facts.trends)}, which the interval allows for" if any(facts.trends) else ""
    if facts.call == "equivalent":
        return f"{_evidence(facts)}: any difference is below 2 %, or as good as ({_interval(facts)})"
    return f"{_evidence(facts)}: the interval ({_interval(facts)}) excludes no change, and the change is 2 % or more{drift}"


def unmeasured(quantity: Quantity, baseline_ns: int | None, candidate_ns: int | None) -> str:
    """Return the reason where a side has no values, or only zeros."""
    name = _NAMES[quantity]
    if baseline_ns is None and candidate_ns is None:
        return f"neither side has a {name} of a complete step; record more steps"
    for side, value in zip(_SIDES, (baseline_ns, candidate_ns), strict=True):
        if value is None:
            return f"the {side} has no {name} of a complete step; record it with more steps"
    return f"the {name} of a side is zero: too short for the clock of the recording"


def _open(facts: Facts) -> str:
    if not facts.settled:
        return "a recording holds a single step, whose CPU time is mostly the profiler's own start; record with --active 13"
    if any(facts.trends):
        return f"{_drift(facts.trends)}; let it settle (longer warmup) and {_ALTERNATE}"
    lone = min(facts.recordings) < 3
    if facts.quantity in ("cpu", "step") and lone:
        return _lone_cpu(facts)
    if facts.few:
        return (
            f"{_count(facts.fewest, 'step')}: too few for less than {_percent(facts.half)}{_elsewhere(facts)}; "
            "record with --active 13, or several times"
        )
    if facts.session != "same" and lone:
        return f"{_session(facts.session)}: {_interval(facts)} is as far as one recording a side tells; {_ALTERNATE}"
    return f"{_evidence(facts)}: the interval ({_interval(facts)}) allows both no change and one of 2 %; {_more(facts)}"


def _lone_cpu(facts: Facts) -> str:
    where = "" if facts.session == "same" else f", {_session(facts.session)}"
    few = f" of {_range(facts.fewest)} steps" if facts.few else ""
    return (
        f"{_count(facts.recordings, 'recording')}{few}{where}: {_NAMES[facts.quantity]} of one unchanged program differs "
        f"that much between recordings; less than a factor of {math.exp(facts.half):.1f} is not settled; {_ALTERNATE}"
    )


def _more(facts: Facts) -> str:
    if facts.many:
        return f"record more than {_range(facts.recordings)} times a side, in alternation"
    return _ALTERNATE


def _evidence(facts: Facts) -> str:
    if facts.many:
        return f"{_count(facts.recordings, 'recording')}{_elsewhere(facts)}"
    if facts.quantity in ("cpu", "step"):
        return f"{_count(facts.recordings, 'recording')}, quickest steps{_elsewhere(facts)}"
    return f"{_count(facts.fewest, 'settled step')}{_elsewhere(facts)}"


def _elsewhere(facts: Facts) -> str:
    return "" if facts.session == "same" else f" ({_session(facts.session)})"


def _session(session: Session) -> str:
    return "recorded in different sessions" if session == "other" else "not known to be of one session"


def _drift(trends: Sequence[Trend | None]) -> str:
    parts = [
        f"the GPU {'slowed down' if trend.ratio > 1 else 'sped up'} during the run ({side}: {(trend.ratio - 1) * 100:+.1f} % from first to last step)"
        for side, trend in zip(_SIDES, trends, strict=True)
        if trend
    ]
    return ", and ".join(parts)


def _count(counts: tuple[int, int], noun: str) -> str:
    plural = noun if counts == (1, 1) else f"{noun}s"
    return f"{_range(counts)} {plural} a side"


def _range(counts: tuple[int, int]) -> str:
    return str(counts[0]) if counts[0] == counts[1] else f"{counts[0]} and {counts[1]}"


def _interval(facts: Facts) -> str:
    low, high = (math.exp(facts.log_ratio + sign * facts.half) for sign in (-1, 1))
    return f"{(low - 1) * 100:+.1f} to {(high - 1) * 100:+.1f} %"


def _percent(half: float) -> str:
    return f"{(math.exp(half) - 1) * 100:.0f} %"
