"""Laws that every judgement keeps, whatever the samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kerneldiff.diffs.noise import Recording, judge

MIRROR = {"faster": "slower", "slower": "faster", "equivalent": "equivalent", "inconclusive": "inconclusive"}
quantities = st.sampled_from(["gpu", "gpu_busy", "cpu", "step"])
sessions = st.sampled_from(["same", "other", "unknown"])
values = st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 10**6), max_size=30)
steady = st.lists(st.integers(100_000, 110_000), min_size=1, max_size=30)


def recordings(series=values):
    made = st.builds(
        lambda given, tick, events: Recording(values_ns=np.array(given, dtype=np.int64), tick_ns=tick, events=events),
        series,
        st.sampled_from([1, 32, 1000]),
        st.integers(1, 100),
    )
    return st.lists(made, max_size=5)


@settings(deadline=None)
@given(baseline=recordings(), candidate=recordings(), quantity=quantities, session=sessions)
def test_every_answer_is_sound(baseline, candidate, quantity, session):
    found = judge(baseline, candidate, quantity=quantity, session=session)

    assert found.reason
    if found.ratio is None:
        assert found.interval is None
        assert found.call == "inconclusive"
    else:
        low, high = found.interval
        assert math.isfinite(found.ratio)
        assert low <= found.ratio <= high
        assert found.call != "slower" or (low > 1 and found.ratio >= 1.02)
        assert found.call != "faster" or (high < 1 and found.ratio <= 0.98)
        assert found.call != "equivalent" or 0.98 <= found.ratio <= 1.02


@settings(deadline=None)
@given(baseline=recordings(), candidate=recordings(), quantity=quantities, session=sessions)
def test_swapping_the_sides_mirrors_the_call(baseline, candidate, quantity, session):
    one = judge(baseline, candidate, quantity=quantity, session=session)
    other = judge(candidate, baseline, quantity=quantity, session=session)

    assert other.call == MIRROR[one.call]
    assert (other.baseline_ns, other.candidate_ns) == (one.candidate_ns, one.baseline_ns)
    assert other.outliers == one.outliers[::-1]
    if one.ratio is not None:
        assert other.ratio == pytest.approx(1 / one.ratio)
        ends = [-math.log(end) for end in one.interval[::-1]]
        assert [math.log(end) for end in other.interval] == pytest.approx(ends, rel=1e-6, abs=1e-9)


@settings(deadline=None)
@given(side=recordings(), quantity=quantities, session=sessions)
def test_identical_sides_are_never_faster_or_slower(side, quantity, session):
    assert judge(side, side, quantity=quantity, session=session).call in ("equivalent", "inconclusive")


@settings(deadline=None)
@given(baseline=steady, candidate=steady, quantity=quantities, factor=st.sampled_from([2, 3, 1000]))
def test_scaling_both_sides_and_the_clock_leaves_the_call(baseline, candidate, quantity, factor):
    def side(series, scale):
        return [Recording(values_ns=np.array(series, dtype=np.int64) * scale, tick_ns=32 * scale, events=2)]

    one = judge(side(baseline, 1), side(candidate, 1), quantity=quantity, session="same")
    other = judge(side(baseline, factor), side(candidate, factor), quantity=quantity, session="same")

    assert other.ratio == pytest.approx(one.ratio)
    assert other.call == one.call or min(abs(abs(math.log(one.ratio)) - 0.02), abs(one.interval[0] - 1)) < 1e-3


@settings(deadline=None)
@given(
    baseline=st.lists(st.integers(100_000, 101_000), min_size=20, max_size=20),
    candidate=st.lists(st.integers(100_000, 101_000), min_size=20, max_size=20),
    planted=st.sampled_from([0.9, 1.0, 1.05, 1.5]),
    places=st.lists(st.integers(4, 19), min_size=2, max_size=2),
    factors=st.lists(st.floats(1.2, 1000.0), min_size=2, max_size=2),
)
def test_two_outliers_added_to_twenty_steps_change_nothing(baseline, candidate, planted, places, factors):
    base = np.array(baseline, dtype=np.int64)
    clean = np.round(np.array(candidate) * planted).astype(np.int64)
    dirty = np.insert(clean, places, [round(102_000 * planted * factor) for factor in factors])

    one = judge(
        [Recording(values_ns=base, tick_ns=32)],
        [Recording(values_ns=clean, tick_ns=32)],
        quantity="gpu",
        session="same",
    )
    other = judge(
        [Recording(values_ns=base, tick_ns=32)],
        [Recording(values_ns=dirty, tick_ns=32)],
        quantity="gpu",
        session="same",
    )

    assert other.ratio == pytest.approx(one.ratio, rel=1e-6)
    assert other.interval == pytest.approx(one.interval, rel=1e-6)
    assert other.call == one.call
    assert len(other.outliers[1]) == 2


@settings(deadline=None)
@given(
    series=st.lists(st.integers(100_000, 101_000), min_size=20, max_size=20),
    places=st.sets(st.integers(0, 19), min_size=2, max_size=2),
    factor=st.floats(0.01, 100.0),
)
def test_two_outliers_among_twenty_steps_make_no_difference_of_none(series, places, factor):
    dirty = np.array(series, dtype=np.int64)
    dirty[list(places)] = np.round(dirty[list(places)] * factor)

    found = judge(
        [Recording(values_ns=np.array(series), tick_ns=32)],
        [Recording(values_ns=dirty, tick_ns=32)],
        quantity="gpu",
        session="same",
    )

    assert found.call == "equivalent"
