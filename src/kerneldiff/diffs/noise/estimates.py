"""A side's central value and its uncertainty, on the scale of logs; an interval for the ratio of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kerneldiff.diffs.noise.model import Logs
from kerneldiff.diffs.noise.samples import ENOUGH

CONFIDENCE: Final = 0.95
TRIM: Final = 0.15
FEW_TICKS: Final = 4
_MOST_ALIKE: Final = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A log value with the variance that was measured, and the one that is known from elsewhere.

    Attributes:
        log: the central value.
        variance: measured in this sample, with ``freedom`` degrees of freedom.
        known: variance taken from calibration, without an error of its own.
    """

    log: float
    variance: float = 0.0
    freedom: float = 1.0
    known: float = 0.0


def trimmed(logs: Logs, *, tick: float = 0.0) -> Estimate:
    """Return the trimmed mean of logs and its variance.

    Yuen (1974), "The two-sample trimmed t for unequal population variances", Biometrika 61: with n values of
    which ``g = floor(0.15 n)`` are cut at each end and ``h = n - 2g`` remain, the variance of the trimmed mean is
    ``SSW / (h (h - 1))``, SSW being the sum of squares of the winsorised sample, with h - 1 degrees of freedom.
    Fewer than five values: the median, with the variance that a median of normal values has, pi / 2 of the mean's.
    Values that span a few ticks of the clock (``tick``, as a share of the value) hold no outlier, and how many show
    which tick is all that is known of the time between two ticks: their plain mean.
    """
    count = len(logs)
    ordered = np.sort(logs)
    if count < ENOUGH:
        spread = float(np.var(ordered, ddof=1)) if count > 1 else 0.0
        return Estimate(log=float(np.median(ordered)), variance=math.pi / 2 * spread / count, freedom=max(1, count - 1))
    cut = 0 if ordered[-1] - ordered[0] <= FEW_TICKS * tick else int(TRIM * count)
    left = count - 2 * cut
    winsorised = np.clip(ordered, ordered[cut], ordered[count - 1 - cut])
    squares = float(((winsorised - winsorised.mean()) ** 2).sum())
    centre = float(ordered[cut : count - cut].mean())
    variance = squares / (left * (left - 1)) * dependence(logs)
    return Estimate(log=centre, variance=variance, freedom=left - 1)


def dependence(logs: Logs) -> float:
    """Return by how much the variance of a mean grows because neighbouring steps are alike.

    ``(1 + r) / (1 - r)`` for a first-order autoregressive series with correlation r between neighbours (Bartlett
    1935, J. R. Statistical Society 98). The r of a short series is low by about ``(1 + 3r) / n`` (Kendall 1954,
    Biometrika 41), which is made good; one that independent steps would show too (by the 95 % bound) counts as none.
    """
    count = len(logs)
    deviations = logs - logs.mean()
    squares = float((deviations**2).sum())
    if squares <= 0:
        return 1.0
    found = float((deviations[1:] * deviations[:-1]).sum()) / squares
    if found + 1 / count < 1.645 / math.sqrt(count):
        return 1.0
    corrected = min(_MOST_ALIKE, found + (1 + 3 * found) / count)
    return (1 + corrected) / (1 - corrected)


def mean_of(logs: Sequence[float], *, least_sigma: float) -> Estimate:
    """Return the mean of one value a recording and its variance, the spread being at least ``least_sigma``."""
    count = len(logs)
    variance = max(float(np.var(logs, ddof=1)), least_sigma**2) / count
    return Estimate(log=float(np.mean(logs)), variance=variance, freedom=count - 1)


def half_width(one: Estimate, other: Estimate, *, known: float = 0.0, confidence: float = CONFIDENCE) -> float:
    """Return half the confidence interval of the difference of two estimates.

    Welch (1947), Biometrika 34, with Satterthwaite's degrees of freedom: ``(sum v)^2 / sum (v_i^2 / f_i)``.
    Variances known from calibration enter the sum, not the denominator.
    """
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415  (0.1 s that only comparisons pay)

    total = one.variance + other.variance + one.known + other.known + known
    if total <= 0:
        return 0.0
    doubt = one.variance**2 / one.freedom + other.variance**2 / other.freedom
    upper = (1 + confidence) / 2
    # Beyond ten million degrees of freedom the quantile is the normal one, and the quotient may overflow.
    freedom = total**2 / doubt if doubt > total**2 * 1e-7 else math.inf
    quantile = float(ndtri(upper)) if math.isinf(freedom) else float(stdtrit(freedom, upper))
    return quantile * math.sqrt(total)
