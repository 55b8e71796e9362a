"""From the values of one recording to those an answer may rest on: settling, outliers, drift."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from kerneldiff.diffs.noise.model import Logs, Quantity, Recording

# GPU: the first three steps of a recording run up to 2.7 % slow. CPU: the first step holds the profiler's own start.
GPU_SETTLING: Final = 3
ENOUGH: Final = 5

# A value is an outlier when it is both so many robust standard deviations and so much (in logs) from the median.
OUTLIER_DEVIATIONS: Final = 6.0
OUTLIER_GPU: Final = math.log(1.05)
OUTLIER_CPU: Final = math.log(2.0)
OUTLIER_TICKS: Final = 3
OUTLIER_SHARE: Final = 0.2

TREND_P: Final = 0.01
TREND_SIZE: Final = math.log(1.02)
TREND_TICKS: Final = 2
_TREND_POINTS: Final = 200

# 1 / ndtri(0.75): makes the median absolute deviation a standard deviation for normal values.
_MAD_TO_SIGMA: Final = 1.4826


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The values of one recording that count, as logs of ns, in step order.

    Attributes:
        logs: settled values without outliers.
        settling: how many first values were left out.
        outliers: indices into the recording's values.
        drift: log of end over beginning when there is a trend, else 0.
        tick: the clock's resolution as a share of the median value.
    """

    logs: Logs
    settling: int
    outliers: tuple[int, ...]
    drift: float
    tick: float


def sample_of(recording: Recording, quantity: Quantity) -> Sample | None:
    """Take from a recording what counts; None when it has no value, or none above zero."""
    values = np.asarray(recording.values_ns, dtype=np.float64)
    if not values.size or values.max() <= 0:
        return None
    # A value below the clock's resolution is not known to be zero.
    logs = np.log(np.maximum(values, max(0.5, recording.tick_ns / 2)))
    settling = _settling(len(logs), quantity)
    settled = logs[settling:]
    tick = recording.tick_ns / math.exp(median(settled))
    odd = _outliers(settled, max(OUTLIER_GPU if on_gpu(quantity) else OUTLIER_CPU, math.log1p(OUTLIER_TICKS * tick)))
    if odd.sum() > _most_outliers(len(settled), quantity):
        odd[:] = False  # so many are no outliers but another state of the machine
    outliers = tuple(int(index) + settling for index in np.flatnonzero(odd))
    kept = settled[~odd]
    least = max(TREND_SIZE, math.log1p(TREND_TICKS * tick))
    drift = _drift(logs, kept, least) if on_gpu(quantity) else 0.0
    return Sample(logs=kept, settling=settling, outliers=outliers, drift=drift, tick=tick)


def median(values: Logs) -> float:
    """Give the median of a few values: a tenth of the time that numpy's takes on ten."""
    ordered = np.sort(values)
    count = len(ordered)
    return float(ordered[(count - 1) // 2] + ordered[count // 2]) / 2


def on_gpu(quantity: Quantity) -> bool:
    """Tell whether the GPU's clock measured it and the CPU had no part in it."""
    return quantity in ("gpu", "gpu_busy")


def _settling(count: int, quantity: Quantity) -> int:
    if on_gpu(quantity):
        return min(GPU_SETTLING, max(0, count - ENOUGH))
    # The first step time already belongs to the second step.
    return min(1, count - 1) if quantity == "cpu" else 0


def _outliers(logs: Logs, least: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if len(logs) < 3:
        return np.zeros(len(logs), dtype=np.bool_)
    distance = np.abs(logs - median(logs))
    limit = max(least, OUTLIER_DEVIATIONS * _MAD_TO_SIGMA * median(distance))
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = distance > limit
    return found


def _most_outliers(count: int, quantity: Quantity) -> int:
    """Return how many values may be called outliers: two, or a fifth of many."""
    if count < ENOUGH:
        return 0 if on_gpu(quantity) else 1
    return max(1 if count < ENOUGH + 2 else 2, int(OUTLIER_SHARE * count))


def _drift(logs: Logs, kept: Logs, least: float) -> float:
    """Return the drift of the settled steps, or of all when these only ever got slower.

    A recording that is fast in its first steps and slow afterwards did not settle, it slowed down.
    """
    return trend(kept, least) or max(0.0, trend(logs, least))


def trend(logs: Logs, least: float = TREND_SIZE) -> float:
    """Return log of end over beginning when a series has a trend, else 0.

    Kendall's test (Kendall 1938, "A new measure of rank correlation", Biometrika 30) with the normal
    approximation, corrected for ties and continuity:
    ``z = (|S| - 1) / sqrt((n(n-1)(2n+5) - sum t(t-1)(2t+5)) / 18)``, where S counts the pairs that rise less
    those that fall. The size is Sen's median slope (Sen 1968, JASA 63) times n - 1. Both must be exceeded:
    ``TREND_P`` by the test, ``least`` by the size.
    """
    if len(logs) < ENOUGH or float(np.ptp(logs)) <= least:
        return 0.0
    if len(logs) > _TREND_POINTS:
        logs = np.array([median(part) for part in np.array_split(logs, _TREND_POINTS)])
    count = len(logs)
    first, second = np.triu_indices(count, 1)
    rises = logs[second] - logs[first]
    score = abs(int(np.sign(rises).sum()))
    ties = np.unique(logs, return_counts=True)[1]
    variance = (count * (count - 1) * (2 * count + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    if score <= 1 or math.erfc((score - 1) / math.sqrt(2 * variance)) >= TREND_P:
        return 0.0
    size = median(rises / (second - first)) * (count - 1)
    return size if abs(size) > least else 0.0
