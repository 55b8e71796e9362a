"""The statistics, held against published formulas worked out apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kerneldiff.diffs.noise.estimates import Estimate, dependence, half_width, mean_of, trimmed
from kerneldiff.diffs.noise.samples import trend


def test_trimmed_mean_of_seven_cuts_one_at_each_end():
    found = trimmed(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 100.0]))

    winsorised = np.array([2.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0])
    assert found.log == 4.0
    assert found.freedom == 4
    assert found.variance == pytest.approx(((winsorised - winsorised.mean()) ** 2).sum() / (5 * 4))


def test_untrimmed_mean_has_the_usual_standard_error():
    values = np.array([1.0, 2.0, 4.0, 8.0, 9.0])

    found = trimmed(values)

    assert found.log == pytest.approx(values.mean())
    assert found.variance == pytest.approx(values.var(ddof=1) / 5)


def test_values_a_few_ticks_apart_are_not_trimmed():
    values = np.log([2688.0] * 5 + [2720.0] * 2)

    assert trimmed(values, tick=32 / 2700).log == pytest.approx(values.mean())


def test_fewer_than_five_values_give_the_median():
    assert trimmed(np.array([1.0, 2.0, 30.0])).log == 2.0
    assert trimmed(np.array([5.0])) == Estimate(log=5.0)


def test_half_width_is_students_for_equal_samples():
    one = mean_of([0.0, 1.0, 2.0, 3.0, 4.0], least_sigma=0.0)

    # s^2 / n = 0.5 a side, 8 degrees of freedom; t(0.975, 8) = 2.306004
    assert half_width(one, one) == pytest.approx(2.306004, abs=1e-5)


def test_half_width_of_known_variances_is_normal():
    one = Estimate(log=0.0, known=0.5)

    assert half_width(one, one) == pytest.approx(1.959964, abs=1e-6)
    assert half_width(one, one, confidence=0.90) == pytest.approx(1.644854, abs=1e-6)
    assert half_width(Estimate(log=0.0), Estimate(log=1.0)) == 0.0


def test_degrees_of_freedom_are_welchs():
    one = Estimate(log=0.0, variance=1.0, freedom=4)
    other = Estimate(log=0.0, variance=3.0, freedom=9)

    # (1 + 3)^2 / (1/4 + 9/9) = 12.8; t(0.975, 12.8) lies between those of 12 and 13
    assert 2.160369 * 2 < half_width(one, other) < 2.178813 * 2


def test_steps_that_resemble_their_neighbours_are_worth_less():
    waves = np.sin(np.arange(40) / 4)
    shuffled = np.sin(np.arange(40) * 2.4)

    assert dependence(waves) > 10
    assert dependence(shuffled) == 1.0
    assert dependence(np.ones(10)) == 1.0


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ([1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06], 0.06),
        ([1.06, 1.05, 1.04, 1.03, 1.02, 1.01, 1.00], -0.06),
        ([1.00, 1.06, 1.01, 1.05, 1.02, 1.04, 1.03], 0.0),
        ([1.0] * 20, 0.0),
        ([1.000, 1.001, 1.002, 1.003, 1.004, 1.005, 1.006], 0.0),
        ([1.0, 1.1, 1.2, 1.3], 0.0),
    ],
)
def test_trend_needs_order_and_size(series, expected):
    assert trend(np.array(series)) == pytest.approx(expected)


def test_trend_of_many_steps_is_found_fast():
    series = np.linspace(0, 0.1, 20_000) + 0.01 * np.sin(np.arange(20_000) * 2.4)

    assert trend(series) == pytest.approx(0.1, abs=0.005)


def test_variance_of_no_spread_is_the_floor():
    assert mean_of([1.0, 1.0, 1.0], least_sigma=0.03).variance == pytest.approx(0.0009 / 3)
    assert math.isclose(mean_of([1.0, 1.0, 1.0], least_sigma=0.0).variance, 0.0)
