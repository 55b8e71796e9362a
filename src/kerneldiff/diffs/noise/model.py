"""What a judgement of time takes and yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Quantity = Literal["gpu", "gpu_busy", "cpu", "step"]
Call = Literal["faster", "slower", "equivalent", "inconclusive"]
Session = Literal["same", "other", "unknown"]
Basis = Literal["profiled", "unprofiled"]

Logs = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recording of one side, one quantity; for unprofiled timings, one repetition.

    Attributes:
        values_ns: one value per complete step, in step order (n - 1 values for step time).
        tick_ns: resolution of the clock for one event: 32 for NVIDIA GPUs, 1000 for files in whole
            microseconds, 1 for the CPU.
        events: how many GPU events a value sums up; 1 for CPU quantities.
        key: names the process or machine session, when known.
        start_ns: absolute start of the recording, when known.
    """

    values_ns: NDArray[np.int64]
    tick_ns: int = 1
    events: int = 1
    key: str | None = None
    start_ns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRef:
    """One value: ``recordings[recording].values_ns[index]`` of a side."""

    recording: int
    index: int
    value_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A drift inside a side's recordings.

    Attributes:
        ratio: the end of the recording over its beginning, by the median slope of all pairs of steps.
        recordings: how many recordings of the side drift.
    """

    ratio: float
    recordings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeCall:
    """One quantity, judged. Pairs are (baseline, candidate).

    Attributes:
        baseline_ns, candidate_ns: robust central values; None for a side without values.
        ratio: candidate over baseline; None without values, or where a side took no time at all.
        interval: 95 % interval of the ratio; None where nothing can be said.
        call: what the evidence allows to say of the candidate.
        basis: whether the profiler watched the timed steps.
        recordings: how many recordings have values.
        steps: how many values the answer rests on, settling steps and outliers left out.
        session: whether both sides come from one session of the machine.
        reason: why this call, and what would settle it when it is open.
        settling: how many first values of all recordings were left out.
        outliers: values far from the rest of their recording; they move neither ratio nor call.
        trends: the drift of each side, None where there is none.
    """

    baseline_ns: int | None
    candidate_ns: int | None
    ratio: float | None
    interval: tuple[float, float] | None
    call: Call
    basis: Basis
    recordings: tuple[int, int]
    steps: tuple[int, int]
    session: Session
    reason: str
    settling: tuple[int, int] = (0, 0)
    outliers: tuple[tuple[StepRef, ...], tuple[StepRef, ...]] = ((), ())
    trends: tuple[Trend | None, Trend | None] = (None, None)
