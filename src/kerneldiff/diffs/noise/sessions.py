"""Whether two sides were recorded in one session of the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kerneldiff.diffs.noise.model import Recording, Session

# Clocks, temperature and neighbours on a machine stay alike for minutes, not for hours.
SESSION_NS: Final = 15 * 60 * 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where and when one recording was made.

    Attributes:
        key: names the process or machine session, when known.
        start_ns: absolute start, when known.
        place: the machine and device, when known; recordings of two places never share a session.
    """

    key: str | None = None
    start_ns: int | None = None
    place: str | None = None


def session_of(baseline: Sequence[Moment | Recording], candidate: Sequence[Moment | Recording]) -> Session:
    """Tell whether both sides saw the machine in the same states.

    They did when each recording has one of the other side beside it: with the same key, or begun within
    a quarter of an hour at the same place. So recordings in alternation over several days count as one
    session too: what changes from day to day changes for both sides.

    >>> session_of([Moment(start_ns=0)], [Moment(start_ns=60_000_000_000)])
    'same'
    >>> session_of([Moment(start_ns=0)], [Moment(start_ns=86_400_000_000_000)])
    'other'
    >>> session_of([Moment()], [Moment()])
    'unknown'
    """
    if not baseline or not candidate:
        return "unknown"
    links = [[_link(one, other) for other in candidate] for one in baseline]
    found = [_best(row) for row in links] + [_best(column) for column in zip(*links, strict=True)]
    if "other" in found:
        return "other"
    return "unknown" if "unknown" in found else "same"


def _link(one: Moment | Recording, other: Moment | Recording) -> Session:
    places = {place for moment in (one, other) if (place := getattr(moment, "place", None)) is not None}
    if len(places) > 1:
        return "other"
    if one.key is not None and one.key == other.key:
        return "same"
    if one.start_ns is None or other.start_ns is None:
        return "unknown"
    return "same" if abs(one.start_ns - other.start_ns) <= SESSION_NS else "other"


def _best(links: Sequence[Session]) -> Session:
    if "same" in links:
        return "same"
    return "unknown" if "unknown" in links else "other"
