"""Microseconds become nanoseconds exactly, in each family of files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from kerneldiff.traces.tables import UnfitError
from kerneldiff.traces.timestamps import InexactTimeError, exact_nanoseconds, from_numbers, from_texts


@given(st.lists(st.integers(-(2**43) * 1000 + 1, 2**43 * 1000 - 1), min_size=1))
def test_doubles_below_their_limit_give_the_exact_nanosecond(nanoseconds):
    numbers = [float(f"{'-' if n < 0 else ''}{abs(n) // 1000}.{abs(n) % 1000:03d}") for n in nanoseconds]

    assert from_numbers(numbers).tolist() == nanoseconds


@given(st.lists(st.integers(-(2**62), 2**62)))
def test_texts_give_the_exact_nanosecond_at_any_size(nanoseconds):
    texts = [Raw(f"{'-' if n < 0 else ''}{abs(n) // 1000}.{abs(n) % 1000:03d}".encode()) for n in nanoseconds]

    assert from_texts(texts).tolist() == nanoseconds


def test_whole_numbers_since_1970_need_no_text():
    assert from_numbers([1_623_143_093_553_266, 7]).tolist() == [1_623_143_093_553_266_000, 7000]


@pytest.mark.parametrize("numbers", [[1712195495505582.988], [2.0**43, 1], [1712195495505582.0], [10**16]])
def test_doubles_beyond_their_limit_are_refused(numbers):
    if numbers == [10**16]:
        with pytest.raises((InexactTimeError, UnfitError)):
            from_numbers(numbers)
        return
    with pytest.raises(InexactTimeError):
        from_numbers(numbers)


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        (b"0", 0),
        (b"12", 12_000),
        (b"1.5", 1500),
        (b"-1.5", -1500),
        (b"1.5e3", 1_500_000),
        (b"12.3e5", 1_230_000_000),
        (b"1E-3", 1),
        (b"1.23456", 1235),
        (b"1712195495505582.988", 1_712_195_495_505_582_988),
    ],
)
def test_any_notation_of_a_number_is_read(text, nanoseconds):
    assert exact_nanoseconds(text) == nanoseconds
    assert from_texts([Raw(text), Raw(b"2.000")]).tolist() == [nanoseconds, 2000]


@pytest.mark.parametrize("text", [b"", b"null", b"abc", b"1e400", b"1e999999999", b"9" * 10_000, b"[1]", b"NaN"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(InexactTimeError):
        exact_nanoseconds(text)
