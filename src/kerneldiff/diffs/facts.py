"""All that a sentence of the summary may rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kerneldiff.diffs.causes import Cause, by_relation, causes
from kerneldiff.diffs.explained import Waterfalls
from kerneldiff.diffs.model import GpuWork, Match, Times
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.diffs.wording import count
from kerneldiff.profiles.model import Profile
from kerneldiff.units import time_text

MANY_TIMES = 4  # from here on a percentage says less than a multiple


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Two runs, their matches and times, and the answer on GPU work."""

    baseline: Profile
    candidate: Profile
    matches: Sequence[Match]
    times: Times
    waterfalls: Waterfalls
    work: GpuWork
    changes: tuple[str, ...]
    reasons: tuple[str, ...]

    @cached_property
    def causes(self) -> list[Cause]:
        """What changed on the GPU, the largest difference first."""
        return causes(self.baseline, self.candidate, self.matches)

    @cached_property
    def leading(self) -> Cause | None:
        """The change that explains most of a difference in GPU time; any change where GPU time is not settled."""
        call = self.times.gpu
        if call.call in ("faster", "slower"):
            sign = 1 if call.call == "slower" else -1
            total = sum(match.delta_ns for match in self.matches) * sign
            with_it = [cause for cause in (*self.causes, *by_relation(self.causes)) if cause.delta_ns * sign > 0]
            return next((cause for cause in with_it if cause.delta_ns * sign * 3 >= total), None)
        return self.causes[0] if self.causes else None

    def of(self, *relations: str) -> list[Match]:
        """List the matches of some relations."""
        return [match for match in self.matches if match.relation in relations]

    @property
    def compiling(self) -> bool:
        """Whether only the candidate runs compiled code."""
        return self._compiled(self.candidate) and not self._compiled(self.baseline)

    @staticmethod
    def _compiled(run: Profile) -> bool:
        return bool(run.explained and (run.explained.compiled.region_calls or run.explained.compiled.graphs))


def moved(call: TimeCall, what: str) -> str | None:
    """Say how a judged quantity moved, as a clause; None where it is open or not known.

    The direction is said only where it is settled.
    """
    if call.ratio is None or call.baseline_ns is None or call.candidate_ns is None:
        return None
    if call.call == "equivalent":
        return f"{what} is equivalent ({span(call)})"
    if call.call == "inconclusive":
        return None
    if call.ratio >= MANY_TIMES:
        return f"{what} rose to {call.ratio:.3g} times as much ({span(call)})"
    return f"{what} {'rose' if call.call == 'slower' else 'fell'} by {percent(call.ratio)} ({span(call)})"


def percent(ratio: float) -> str:
    """Give the size of a change without its sign.

    >>> percent(1.332), percent(0.955), percent(4.2)
    ('33 %', '4.5 %', '320 %')
    """
    size = abs(ratio - 1) * 100
    return f"{size:.0f} %" if 9.95 <= size < 99.5 or size >= 100 else f"{size:.1f} %"


def span(call: TimeCall) -> str:
    """Give both sides' values."""
    return f"{time_text(call.baseline_ns or 0)} to {time_text(call.candidate_ns or 0)}"


def unsettled(call: TimeCall, what: str) -> str:
    """Say that the recordings do not settle a quantity."""
    if call.recordings == (1, 1):
        return f"one recording a side does not settle {what}"
    return f"{count(sum(call.recordings), 'recording')} do not settle {what}"
