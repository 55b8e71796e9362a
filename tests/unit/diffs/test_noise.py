"""Calls on time: hand-made samples with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from kerneldiff.diffs.noise import Moment, Recording, StepRef, judge, judge_match, session_of

MINUTE_NS = 60 * 1_000_000_000

# Cases of the field, one value a step, in ns.
GEMM_STEADY = [
    580220, 579304, 581334, 582274, 579930, 577726, 581079, 578330, 580882, 579478,
    580070, 580522, 580696, 580371, 579629, 578921, 579780, 578666, 581670, 579118,
]  # fmt: skip
GEMM_TWO_OUTLIERS = [
    580029, 579878, 581735, 1083700, 582675, 581282, 580922, 578125, 579320, 580330,
    581096, 951200, 580470, 580771, 581480, 579704, 580621, 582072, 579065, 578728,
]  # fmt: skip


def gpu(*values: float, events: int = 3, tick_ns: int = 32) -> Recording:
    return Recording(values_ns=np.array(values, dtype=np.int64), tick_ns=tick_ns, events=events)


def cpu(*values: float) -> Recording:
    return Recording(values_ns=np.array(values, dtype=np.int64))


def wobble(centre: float, count: int, *, share: float = 0.003, drift: float = 0.0) -> list[float]:
    """Return a series around a centre with a fixed, irregular wobble, and a drift from first to last."""
    phases = np.sin(np.arange(count) * 2.4)
    return list(np.round(centre * (1 + share * phases) * (1 + drift * np.arange(count) / max(1, count - 1))))


@pytest.mark.parametrize(
    ("baseline", "candidate", "expected"),
    [
        pytest.param(wobble(200_000, 10), wobble(200_000, 10)[::-1], "equivalent", id="no change"),
        pytest.param(wobble(200_000, 10), wobble(206_000, 10), "slower", id="3 % more"),
        pytest.param(wobble(206_000, 10), wobble(200_000, 10), "faster", id="3 % less"),
        pytest.param(wobble(200_000, 20), wobble(203_000, 20), "equivalent", id="shown, but below 2 %"),
        pytest.param([416_000, 415_500, 411_400], [552_400, 553_900, 555_000], "slower", id="33 % in 3 steps"),
        pytest.param([208_000, 207_000, 206_000], [213_000, 212_500, 214_000], "inconclusive", id="3 % in 3 steps"),
        pytest.param([148_234, 148_097, 148_390], [148_234, 148_097, 148_390], "inconclusive", id="3 equal steps"),
        pytest.param([200_000, 200_000, 230_000], [230_000, 200_000, 230_000], "inconclusive", id="two states"),
        pytest.param([200_000], [260_000], "slower", id="30 % in one step"),
        pytest.param([200_000], [210_000], "inconclusive", id="5 % in one step"),
        pytest.param(GEMM_STEADY, GEMM_TWO_OUTLIERS, "equivalent", id="a mean 7.6 % higher by two outliers"),
        pytest.param([200_000] * 10, [200_000] * 10, "equivalent", id="constant"),
        pytest.param([200_000] * 10, [210_000] * 10, "slower", id="two constants"),
        pytest.param(wobble(200_000, 10, share=0.2), wobble(206_000, 10, share=0.2), "inconclusive", id="noisy"),
    ],
)
def test_gpu_time_is_called_as_the_samples_allow(baseline, candidate, expected):
    found = judge([gpu(*baseline)], [gpu(*candidate)], quantity="gpu", session="same")

    assert found.call == expected, found.reason
    assert found.interval[0] <= found.ratio <= found.interval[1]


def test_reason_of_three_steps_says_what_they_settle_and_what_would_settle_more():
    found = judge([gpu(208_000, 207_000, 206_000)], [gpu(207_000, 206_000, 208_000)], quantity="gpu", session="same")

    assert found.reason == "3 steps a side: too few for less than 7 %; record with --active 13, or several times"
    assert found.steps == (3, 3)
    assert found.recordings == (1, 1)


def test_outliers_are_named_and_do_not_count():
    found = judge([gpu(*GEMM_STEADY)], [gpu(*GEMM_TWO_OUTLIERS)], quantity="gpu", session="same")

    assert found.outliers == (
        (),
        (
            StepRef(recording=0, index=3, value_ns=1_083_700),
            StepRef(recording=0, index=11, value_ns=951_200),
        ),
    )
    assert found.steps == (17, 15)
    assert found.settling == (3, 3)
    assert "2 of the candidate" in found.reason


def test_small_change_is_seen_in_its_own_match_behind_a_noisy_kernel():
    noisy = wobble(500_000, 20, share=0.15)
    before, after = wobble(20_000, 20, share=0.002), wobble(21_200, 20, share=0.002)

    whole = judge([gpu(*np.add(noisy, before))], [gpu(*np.add(noisy[::-1], after))], quantity="gpu", session="same")
    match = judge_match([gpu(*before, events=1)], [gpu(*after, events=1)], session="same")

    assert whole.call == "inconclusive"
    assert match.call == "slower"
    assert match.ratio == pytest.approx(1.06, abs=0.005)


def test_tick_of_the_clock_counts_for_a_short_kernel():
    short = judge_match([gpu(*[800] * 10, events=1)], [gpu(*[832] * 10, events=1)], session="same")
    long = judge_match([gpu(*[80_000] * 10, events=1)], [gpu(*[83_200] * 10, events=1)], session="same")

    assert short.call == "inconclusive"
    assert long.call == "slower"


def test_a_tick_on_each_side_is_no_difference_however_many_recordings_agree():
    eager = [gpu(2720, 2720, 2720, events=1) for _ in range(5)]
    compiled = [gpu(2656, 2656, 2688, events=1) for _ in range(5)]
    shorter = [gpu(2560, 2560, 2592, events=1) for _ in range(5)]

    found = judge(eager, compiled, quantity="gpu", session="same")

    assert found.call == "inconclusive"
    assert "ticks of the profiler's clock" in found.reason
    assert judge(eager, shorter, quantity="gpu", session="same").call == "faster"


def test_clock_in_whole_microseconds_settles_less():
    fine = judge([gpu(*[20_000] * 10)], [gpu(*[21_000] * 10)], quantity="gpu", session="same")
    coarse = judge(
        [gpu(*[20_000] * 10, tick_ns=1000)], [gpu(*[21_000] * 10, tick_ns=1000)], quantity="gpu", session="same"
    )

    assert fine.call == "slower"
    assert coarse.call == "inconclusive"


def test_settling_steps_are_left_out():
    settled = wobble(200_000, 7)
    slow_start = [226_000, 210_000, 206_000, *settled]

    found = judge([gpu(*slow_start)], [gpu(*wobble(200_000, 3), *settled)], quantity="gpu", session="same")

    assert found.call == "equivalent"
    assert found.baseline_ns == found.candidate_ns


@pytest.mark.parametrize("count", [10, 20, 50])
def test_gpu_that_slows_down_during_the_run_leaves_the_answer_open(count):
    steady, tired = wobble(600_000, count), wobble(600_000, count, drift=0.10)

    found = judge([gpu(*steady)], [gpu(*tired)], quantity="gpu", session="same")

    assert found.call == "inconclusive"
    assert "the GPU slowed down during the run" in found.reason
    assert found.trends[0] is None
    assert found.trends[1].ratio == pytest.approx(1.1, abs=0.04)


def test_clock_that_drops_half_way_leaves_the_answer_open():
    dropped = [*wobble(600_000, 10), *wobble(700_000, 10)]

    found = judge([gpu(*wobble(600_000, 20))], [gpu(*dropped)], quantity="gpu", session="same")

    assert found.call == "inconclusive"
    assert "slowed down" in found.reason


def test_two_states_of_the_machine_are_no_outliers():
    mixed = [200_000, 220_000, 200_000, 200_000, 220_000] * 4

    found = judge([gpu(*[200_000, 201_000] * 10)], [gpu(*mixed)], quantity="gpu", session="same")

    assert found.outliers == ((), ())
    assert found.call == "inconclusive"


def test_drift_much_smaller_than_the_difference_does_not_hide_it():
    found = judge([gpu(*wobble(600_000, 20))], [gpu(*wobble(900_000, 20, drift=0.03))], quantity="gpu", session="same")

    assert found.call == "slower"
    assert "slowed down" in found.reason


def test_other_sessions_settle_less():
    one, other = [gpu(*wobble(200_000, 10))], [gpu(*wobble(207_000, 10))]

    assert judge(one, other, quantity="gpu", session="same").call == "slower"
    for session in ("other", "unknown"):
        found = judge(one, other, quantity="gpu", session=session)
        assert found.call == "inconclusive"
        assert "in alternation" in found.reason


@pytest.mark.parametrize(
    ("quantity", "baseline", "candidate", "expected"),
    [
        pytest.param("cpu", [155, 54, 31, 54, 49, 43, 44], [198, 110, 84, 88, 75, 75, 74], "slower", id="factor 2.4"),
        pytest.param("cpu", [155, 54, 44, 54, 49, 43, 44], [106, 41, 30, 28, 28, 26, 28], "inconclusive", id="same"),
        pytest.param("cpu", [278, 137, 81], [323, 261, 225], "inconclusive", id="factor 2.8 in 3 steps"),
        pytest.param("cpu", [28.4, 28.7, 29.3, 28.8, 29.2], [140, 134, 136, 130, 141], "slower", id="factor 4.5"),
        pytest.param("cpu", [25.6, 25.9, 25.6, 25.4], [25.6, 179_223.2, 26.0, 25.7], "inconclusive", id="allocation"),
        pytest.param("cpu", [1629.6], [16.1], "inconclusive", id="first step only"),
        pytest.param("step", [7432, 7444], [5375, 5599], "inconclusive", id="BERT, 3 steps"),
        pytest.param("step", [57_472, 54_328], [5945, 5987], "faster", id="the data loader"),
        pytest.param("step", [30.0, 30.4, 30.7, 30.6], [136, 136.9, 131.9, 142.1], "slower", id="guards"),
    ],
)
def test_lone_recording_settles_cpu_and_step_time_only_where_the_factor_is_large(
    quantity, baseline, candidate, expected
):
    sides = [[cpu(*(1000 * np.array(values)))] for values in (baseline, candidate)]

    found = judge(*sides, quantity=quantity, session="same")

    assert found.call == expected
    if expected == "inconclusive":
        assert "record" in found.reason


def test_lone_recording_says_how_to_record_in_alternation():
    found = judge([cpu(7_432_000, 7_444_000)], [cpu(5_375_000, 5_599_000)], quantity="step", session="same")

    assert "in alternation" in found.reason
    assert found.recordings == (1, 1)


def test_several_recordings_settle_what_one_cannot():
    factors = (1.0, 1.08, 0.93, 1.02, 0.97)
    one = [cpu(300_000, *wobble(40_000 * factor, 9, share=0.1)) for factor in factors]
    other = [cpu(300_000, *wobble(60_000 * factor, 9, share=0.1)) for factor in reversed(factors)]

    assert judge(one[:1], other[:1], quantity="cpu", session="same").call == "inconclusive"
    found = judge(one, other, quantity="cpu", session="same")
    assert found.call == "slower"
    assert found.ratio == pytest.approx(1.5, abs=0.02)
    assert found.recordings == (5, 5)


def test_recordings_of_two_builds_on_one_side_are_not_averaged_away():
    builds = [gpu(*wobble(200_000, 10)), gpu(*wobble(225_000, 10))]
    other = [gpu(*wobble(212_000, 10)), gpu(*wobble(237_000, 10))]

    assert judge(builds, other, quantity="gpu", session="same").call == "inconclusive"


def test_unprofiled_repetitions_are_judged_as_recordings():
    one = [cpu(*wobble(35_000 * factor, 20, share=0.05)) for factor in (1.0, 1.03, 0.98, 1.01)]
    other = [cpu(*wobble(80_000 * factor, 20, share=0.05)) for factor in (0.99, 1.02, 1.0, 1.01)]

    found = judge(one, other, quantity="step", session="same", basis="unprofiled")

    assert found.call == "slower"
    assert found.basis == "unprofiled"
    assert "timed without the profiler" in found.reason


@pytest.mark.parametrize("values", [[], [0], [0] * 10])
def test_side_without_time_is_inconclusive(values):
    found = judge([gpu(*values)], [gpu(*wobble(200_000, 10))], quantity="gpu", session="same")

    assert found.call == "inconclusive"
    assert found.ratio is None
    assert found.interval is None
    assert found.baseline_ns == (0 if values else None)
    assert found.candidate_ns == pytest.approx(200_000, rel=0.01)
    assert "baseline has no GPU time" in found.reason or "zero" in found.reason


def test_no_recordings_at_all_are_inconclusive():
    found = judge([], [], quantity="step", session="unknown")

    assert (found.call, found.baseline_ns, found.candidate_ns) == ("inconclusive", None, None)
    assert found.reason.startswith("neither side")


def test_zeros_among_the_values_do_no_harm():
    found = judge([gpu(*wobble(200_000, 10))], [gpu(0, *wobble(200_000, 8), 0)], quantity="gpu", session="same")

    assert found.call == "equivalent"
    assert [outlier.index for outlier in found.outliers[1]] == [9]


@pytest.mark.parametrize(
    ("baseline", "candidate", "expected"),
    [
        pytest.param([Moment(start_ns=0)], [Moment(start_ns=3 * MINUTE_NS)], "same", id="minutes apart"),
        pytest.param([Moment(start_ns=0)], [Moment(start_ns=67 * MINUTE_NS)], "other", id="an hour apart"),
        pytest.param([Moment(start_ns=0)], [Moment()], "unknown", id="no time"),
        pytest.param([Moment(key="a")], [Moment(key="a", start_ns=0)], "same", id="one key"),
        pytest.param([Moment(key="a")], [Moment(key="b")], "unknown", id="two keys, no time"),
        pytest.param([Moment(key="a", start_ns=0)], [Moment(key="b", start_ns=1)], "same", id="two processes at once"),
        pytest.param(
            [Moment(start_ns=0, place="H200")], [Moment(start_ns=0, place="A100")], "other", id="two devices at once"
        ),
        pytest.param(
            [Moment(start_ns=0), Moment(start_ns=1000 * MINUTE_NS)],
            [Moment(start_ns=5 * MINUTE_NS), Moment(start_ns=1005 * MINUTE_NS)],
            "same",
            id="in alternation on two days",
        ),
        pytest.param(
            [Moment(start_ns=0), Moment(start_ns=MINUTE_NS)],
            [Moment(start_ns=5 * MINUTE_NS), Moment(start_ns=1005 * MINUTE_NS)],
            "other",
            id="one recording made later",
        ),
        pytest.param([], [Moment(start_ns=0)], "unknown", id="none"),
    ],
)
def test_session_is_told_by_key_time_and_place(baseline, candidate, expected):
    assert session_of(baseline, candidate) == expected
    assert session_of(candidate, baseline) == expected


def test_session_reads_recordings_too():
    early = Recording(values_ns=np.array([1]), start_ns=0)
    late = Recording(values_ns=np.array([1]), start_ns=16 * MINUTE_NS)

    assert session_of([early], [late]) == "other"
