"""Numbers as people read them: times, bytes, ratios."""

from __future__ import annotations


def time_text(ns: float) -> str:
    """Give a duration in ns as text with the unit that suits its size.

    >>> time_text(2_700), time_text(235_612), time_text(1_500_000), time_text(-32)
    ('2.70 us', '235.6 us', '1.50 ms', '-32 ns')
    """
    size = abs(ns)
    if size < 1_000:
        return f"{ns:.0f} ns"
    for limit, unit, scale in ((1e6, "us", 1e3), (1e9, "ms", 1e6), (float("inf"), "s", 1e9)):
        if size < limit * 0.99995:
            return f"{_three_digits(ns / scale)} {unit}"
    raise AssertionError(ns)


def bytes_text(size: float) -> str:
    """Give a number of bytes as decimal units, as memory bandwidths are given.

    >>> bytes_text(4), bytes_text(50_331_648), bytes_text(100_663_296)
    ('4 B', '50.3 MB', '100.7 MB')
    """
    if abs(size) < 1_000:
        return f"{size:.0f} B"
    for limit, unit, scale in ((1e6, "kB", 1e3), (1e9, "MB", 1e6), (1e12, "GB", 1e9), (float("inf"), "TB", 1e12)):
        if abs(size) < limit * 0.99995:
            return f"{_three_digits(size / scale)} {unit}"
    raise AssertionError(size)


def percent_text(ratio: float) -> str:
    """Give a ratio candidate / baseline as a signed change in percent.

    >>> percent_text(1.332), percent_text(0.8799), percent_text(1.0)
    ('+33.2 %', '-12.0 %', '+0.0 %')
    """
    return f"{(ratio - 1) * 100:+.1f} %"


def _three_digits(value: float) -> str:
    size = abs(value)
    return f"{value:.2f}" if size < 10 else f"{value:.1f}"
