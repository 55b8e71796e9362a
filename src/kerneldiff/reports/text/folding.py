"""Folding of long lists: what repeats is shown once, with how often."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

_LONGEST_PERIOD = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of rows that occurs ``times`` times in a row; ``length`` rows long, from ``start``."""

    start: int
    length: int
    times: int

    @property
    def end(self) -> int:
        """The index behind its last repetition."""
        return self.start + self.length * self.times


def repeats(signatures: Sequence[Hashable]) -> list[Block]:
    """Cover a list of rows by blocks, repeated ones where the same rows come again and again.

    At each place the period that covers most rows wins, the shorter one among equals.
    """
    numbers: dict[Hashable, int] = {}
    ids = [numbers.setdefault(signature, len(numbers)) for signature in signatures]
    blocks: list[Block] = []
    at = 0
    while at < len(ids):
        best = Block(start=at, length=1, times=1)
        for period in range(1, min(_LONGEST_PERIOD, (len(ids) - at) // 2) + 1):
            if ids[at] != ids[at + period]:
                continue
            times = _times(ids, at, period)
            if times > 1 and period * times > best.length * best.times:
                best = Block(start=at, length=period, times=times)
        blocks.append(best)
        at = best.end
    return blocks


def _times(ids: Sequence[int], at: int, period: int) -> int:
    times = 1
    block = ids[at : at + period]
    while ids[at + period * times : at + period * (times + 1)] == block:
        times += 1
    return times
