"""One side of a judgement: its usable recordings, and the estimate they give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kerneldiff.diffs.noise.estimates import Estimate, mean_of, trimmed
from kerneldiff.diffs.noise.model import Quantity, Recording, StepRef, Trend
from kerneldiff.diffs.noise.samples import ENOUGH, Sample, on_gpu, sample_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Standard deviations (in logs) between recordings of one unchanged program, from calibration.

    Attributes:
        recording: within a session.
        few_steps: within a session, when a recording has fewer than five steps.
        session: what another session adds.
        least: the least that three or more recordings are believed.
    """

    recording: float
    few_steps: float
    session: float
    least: float


_GPU: Final = Spread(recording=0.0025, few_steps=0.0025, session=0.015, least=0.002)
_CPU: Final = Spread(recording=0.20, few_steps=0.40, session=0.35, least=0.03)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The recordings of a side that have values, the place of each among those given, and what of it counts."""

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

    @property
    def resolution(self) -> float:
        """The least difference (in logs) that the clock can tell: a tick for each event, as random signs add up."""
        pairs = zip(self.recordings, self.samples, strict=True)
        return max(sample.tick * math.sqrt(max(1, recording.events)) for recording, sample in pairs)

    @property
    def settling(self) -> int:
        """First values left out, over all recordings."""
        return sum(sample.settling for sample in self.samples)

    @property
    def outliers(self) -> tuple[StepRef, ...]:
        """Values left out because they are far from the rest."""
        return tuple(
            StepRef(recording=position, index=index, value_ns=int(recording.values_ns[index]))
            for position, recording, sample in zip(self.positions, self.recordings, self.samples, strict=True)
            for index in sample.outliers
        )

    @property
    def trend(self) -> Trend | None:
        """The median drift, when more than half of the recordings drift."""
        drifts = [sample.drift for sample in self.samples if sample.drift]
        if 2 * len(drifts) <= len(self.samples):
            return None
        return Trend(ratio=math.exp(float(np.median(drifts))), recordings=len(drifts))


def side_of(recordings: Sequence[Recording], quantity: Quantity) -> Side:
    """Take from each recording what counts, and leave out those without a value."""
    taken = [(position, recording, sample_of(recording, quantity)) for position, recording in enumerate(recordings)]
    kept = [(position, recording, sample) for position, recording, sample in taken if sample is not None]
    return Side(
        recordings=tuple(recording for _, recording, _ in kept),
        positions=tuple(position for position, _, _ in kept),
        samples=tuple(sample for _, _, sample in kept),
    )


def spread_of(quantity: Quantity) -> Spread:
    """Return how far recordings of an unchanged program lie apart."""
    return _GPU if on_gpu(quantity) else _CPU


def estimate(side: Side, quantity: Quantity, *, many: bool) -> Estimate:
    """Return the central value of a side and its uncertainty within a session.

    With ``many`` recordings their own spread tells it; else calibration does. GPU times rest on the trimmed
    mean of each recording. CPU times, which interference only makes longer, rest on the quickest step of a
    recording, or on the lower quartile where several recordings are compared with one another.
    """
    parts = [_part(sample, quantity, many=many) for sample in side.samples]
    logs = [part.log for part in parts]
    count = len(parts)
    spread = spread_of(quantity)
    tick = sum(_tick(pair) for pair in zip(side.recordings, side.samples, strict=True)) / count**2
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
    # Recordings that disagree more than calibration expects are believed, not calibration.
    measured = mean_of(logs, least_sigma=0.0)
    return measured if measured.variance > modelled.variance + modelled.known else modelled


def _part(sample: Sample, quantity: Quantity, *, many: bool) -> Estimate:
    if on_gpu(quantity):
        return trimmed(sample.logs, tick=sample.tick)
    return Estimate(log=float(np.quantile(sample.logs, 0.25 if many else 0.0)))


def _tick(pair: tuple[Recording, Sample]) -> float:
    """Return the variance (in logs) that a clock of this resolution adds to a sum of so many events.

    A time that falls between two ticks is rounded alike in most steps of a recording, so more steps do not help.
    """
    recording, sample = pair
    return sample.tick**2 / 12 * max(1, recording.events)
