"""Microseconds of a trace to whole nanoseconds, exactly.

Three families of files exist: microseconds relative to ``baseTimeNanoseconds`` with three decimals, microseconds since
1970 with three decimals (more digits than a double holds), and whole microseconds since 1970. Doubles are used only
where they are proven exact: below 2**43 us a double is finer than a nanosecond, so that the whole and the fractional part,
converted apart, give the nearest nanosecond of a number with three decimals. All else is read from its text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
from msgspec import Raw

from kerneldiff.traces.model import Int64s
from kerneldiff.traces.tables import doubles, int64s

EXACT_BELOW_US: Final = float(2**43)
INT64_MAX: Final = 2**63 - 1
# 19 digits and the point; below 9e18 they fit int64.
WIDEST: Final = 20
# A point, as a distance from the digit 0 in eight bits.
POINT: Final = (ord(".") - ord("0")) % 256


class InexactTimeError(Exception):
    """These numbers must be read from their text."""


def from_numbers(microseconds: list[Any]) -> Int64s:
    """Convert decoded JSON numbers.

    Raises:
        InexactTimeError: a double may have lost digits.
        UnfitError: a time is absent.
    """
    values = doubles(microseconds)
    if not len(values):
        return np.empty(0, dtype=np.int64)
    if np.abs(values).max() < EXACT_BELOW_US:
        whole = np.floor(values)
        return whole.astype(np.int64) * 1000 + np.rint((values - whole) * 1000).astype(np.int64)
    if any(type(value) is not int for value in microseconds) or np.abs(values).max() >= INT64_MAX / 1000:
        raise InexactTimeError
    return int64s(microseconds) * 1000


def from_texts(texts: list[Raw]) -> Int64s:
    """Convert JSON number texts; raise InexactTimeError for what is no number."""
    widths = set(map(len, texts))
    if len(widths) == 1:
        times = from_equal_texts(b"".join(texts), widths.pop())
        if times is not None:
            return times
    return int64s([exact_nanoseconds(bytes(text)) for text in texts])


def from_equal_texts(joined: bytes, width: int) -> Int64s | None:
    """Convert texts of one width all at once if they are digits with three decimals, as nearly all are; else None."""
    if not 5 <= width <= WIDEST:
        return None
    digits = np.frombuffer(joined, dtype=np.uint8).reshape(-1, width) - np.uint8(ord("0"))
    point = width - 4
    whole, decimals = digits[:, :point], digits[:, point + 1 :]
    if (
        (digits[:, point] != POINT).any()
        or (whole > 9).any()
        or (width == WIDEST and (whole[:, 0] > 8).any())
        or (decimals > 9).any()
    ):
        return None
    times = np.zeros(len(digits), dtype=np.int64)
    for column in (*whole.T, *decimals.T):
        times *= 10
        times += column
    return times


def exact_nanoseconds(text: bytes) -> int:
    """Convert one JSON number of microseconds in any notation, to the nearest nanosecond.

    Example:
        >>> exact_nanoseconds(b"1712195495505582.988")
        1712195495505582988
    """
    try:
        nanoseconds = Decimal(text.decode("ascii")).scaleb(3)
        if nanoseconds.adjusted() > 19:
            raise InexactTimeError
        whole = int(nanoseconds.to_integral_value())
    except (ArithmeticError, ValueError) as error:
        raise InexactTimeError from error
    if abs(whole) > INT64_MAX:
        raise InexactTimeError
    return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """How the starts and durations of decoded events become nanoseconds."""

    starts: Callable[[list[Any]], Int64s]
    durations: Callable[[list[Any]], Int64s]


NUMBERS: Final = Clock(starts=from_numbers, durations=from_numbers)
# No duration comes near 2**43 us, which is 102 days.
TEXTS: Final = Clock(starts=from_texts, durations=from_numbers)
NANOSECONDS: Final = Clock(starts=int64s, durations=int64s)
