"""Why a call was made, in words, and what would settle it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from kerneldiff.diffs.noise.model import Basis, Call, Quantity, Session, Trend

_NAMES: Final = {"gpu": "GPU time", "gpu_busy": "GPU busy time", "cpu": "CPU dispatch time", "step": "step time"}
_SIDES: Final = ("baseline", "candidate")
_LONGER: Final = "record with --active 13"
_ALTERNATE: Final = "record both sides at least 5 times, in alternation, and compare the folders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a reason is made of; pairs are (baseline, candidate).

    Attributes:
        logs: central values, logs of ns.
        half: half the 95 % interval of the ratio, in logs.
        below_clock: a difference of 2 % or more is seen, but the clock's ticks alone could make it.
        fewest: values that count in the shortest recording.
        few: these are too few to speak for their recording.
        many: the recordings are enough to speak for themselves.
        outliers: how many values were left out as such.
        only_first_step: a recording has nothing but its first step's CPU time.
    """

    quantity: Quantity
    call: Call
    logs: tuple[float, float]
    half: float
    below_clock: bool
    recordings: tuple[int, int]
    fewest: tuple[int, int]
    few: bool
    many: bool
    session: Session
    basis: Basis
    trends: tuple[Trend | None, Trend | None]
    outliers: tuple[int, int]
    only_first_step: bool

    @property
    def log_ratio(self) -> float:
        """Log of candidate over baseline."""
        return self.logs[1] - self.logs[0]


def reason(facts: Facts) -> str:
    """Return one or two sentences: why this call, and what would settle an open one."""
    text = _open(facts) if facts.call == "inconclusive" else _closed(facts)
    return text + _outliers(facts)


def unmeasured(quantity: Quantity, values_ns: tuple[int | None, int | None]) -> str:
    """Return the reason where a side has no values (None), or only zeros."""
    name = _NAMES[quantity]
    absent = [side for side, value in zip(_SIDES, values_ns, strict=True) if value is None]
    if len(absent) == 2:
        return f"neither side has a {name}: no complete step holds one"
    if absent:
        return f"the {absent[0]} has no {name}: no complete step holds one"
    return f"a side's {name} is zero in every step: below the resolution of the recording's clock"


def _closed(facts: Facts) -> str:
    evidence = f"{_evidence(facts)}: 95 % interval {_interval(facts)}"
    if facts.call == "equivalent":
        shown = abs(facts.log_ratio) > facts.half
        return (
            f"{evidence}; {'there is a difference, but below 2 %' if shown else 'a difference of 2 % would have shown'}"
        )
    drift = f"; {_drift(facts)}, and the interval allows for it" if any(facts.trends) else ""
    return f"{evidence} excludes no change, and the change is 2 % or more{drift}"


def _open(facts: Facts) -> str:
    lone = min(facts.recordings) < 3
    if facts.only_first_step:
        return f"a recording has no step but the first, whose CPU time holds the profiler's own start; {_LONGER}"
    if any(facts.trends):
        return f"{_drift(facts)}: the answer depends on which steps are looked at; warm up for longer, and {_ALTERNATE}"
    if facts.below_clock:
        return _below_clock(facts)
    if facts.quantity in ("cpu", "step") and lone:
        return _lone_cpu(facts)
    if facts.few:
        least = (math.exp(facts.half) - 1) * 100
        return (
            f"{_pair(facts.fewest, 'step')} a side{_elsewhere(facts)}: too few for less than {least:.0f} %; "
            f"{_LONGER}, or several times"
        )
    return (
        f"{_evidence(facts)}: 95 % interval {_interval(facts)} settles neither a change nor its absence; {_more(facts)}"
    )


def _below_clock(facts: Facts) -> str:
    apart = abs(math.exp(facts.logs[1]) - math.exp(facts.logs[0]))
    return (
        f"{_evidence(facts)}: the sides lie {apart:.0f} ns apart, which the ticks of the profiler's clock alone can make, "
        "one on each side; more recordings do not help: give the step more work, or read the kernel's time with "
        "Nsight Compute"
    )


def _lone_cpu(facts: Facts) -> str:
    steps = f" of {_pair(facts.fewest, 'usable step')}" if facts.few else ""
    return (
        f"{_pair(facts.recordings, _unit(facts))}{steps} a side{_elsewhere(facts)}: "
        f"{_NAMES[facts.quantity]} of an unchanged program differs too much between recordings "
        f"to settle less than a factor of {math.exp(facts.half):.1f}; {_ALTERNATE}"
    )


def _more(facts: Facts) -> str:
    if facts.session != "same":
        return f"{_ALTERNATE}, all on one machine"
    if facts.many:
        return f"record more often than {_pair(facts.recordings, 'time')}, in alternation"
    return _ALTERNATE


def _evidence(facts: Facts) -> str:
    if facts.many:
        counted = _pair(facts.recordings, _unit(facts))
    elif facts.quantity in ("cpu", "step"):
        counted = f"the quickest step of {_pair(facts.recordings, _unit(facts))}"
    else:
        counted = _pair(facts.fewest, "step" if facts.few else "settled step")
    profiler = ", timed without the profiler" if facts.basis == "unprofiled" else ""
    return f"{counted} a side{_elsewhere(facts)}{profiler}"


def _unit(facts: Facts) -> str:
    return "recording" if facts.basis == "profiled" else "repetition"


def _elsewhere(facts: Facts) -> str:
    if facts.session == "same":
        return ""
    return ", recorded in different sessions" if facts.session == "other" else ", perhaps of different sessions"


def _drift(facts: Facts) -> str:
    parts = [
        f"the GPU {'slowed down' if trend.ratio > 1 else 'sped up'} during the run "
        f"({side}: {(trend.ratio - 1) * 100:+.1f} % from its first to its last steps)"
        for side, trend in zip(_SIDES, facts.trends, strict=True)
        if trend
    ]
    return ", and ".join(parts)


def _outliers(facts: Facts) -> str:
    parts = [f"{count} of the {side}" for side, count in zip(_SIDES, facts.outliers, strict=True) if count]
    return f". Steps far from all others do not count: {' and '.join(parts)}" if parts else ""


def _pair(counts: tuple[int, int], noun: str) -> str:
    numbers = str(counts[0]) if counts[0] == counts[1] else f"{counts[0]} and {counts[1]}"
    return f"{numbers} {noun}" if counts == (1, 1) else f"{numbers} {noun}s"


def _interval(facts: Facts) -> str:
    """Return the interval as changes in percent, or as factors where it is wide."""
    low, high = (math.exp(facts.log_ratio + sign * facts.half) for sign in (-1, 1))
    if facts.half > math.log(1.5):
        return f"{low:.3g} to {high:.3g} times"
    return f"{(low - 1) * 100:+.1f} to {(high - 1) * 100:+.1f} %"
