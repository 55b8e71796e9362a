"""The calls held against recordings of unchanged programs: the bar of benchmarks/calibration.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "calibration.py"


@pytest.fixture(scope="module")
def calibration():
    spec = importlib.util.spec_from_file_location("calibration", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["calibration"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["calibration"]


@pytest.fixture(scope="module")
def programs(calibration):
    return calibration.load()


def test_replicates_are_read_whole(programs):
    assert {name: len(given) for name, given in programs.items()} == dict.fromkeys(
        ("lin_compile", "lin_eager", "mlp_compile", "mlp_eager"), 6
    )
    for samples in (samples for given in programs.values() for samples in given):
        assert [len(samples.values[quantity]) for quantity in ("gpu", "gpu_busy", "cpu", "step")] == [10, 10, 10, 9]


@pytest.mark.parametrize("quantity", ["gpu", "gpu_busy", "cpu", "step"])
def test_unchanged_programs_are_hardly_ever_called_faster_or_slower(calibration, programs, quantity):
    calls = calibration.unchanged_calls(programs, quantity)

    assert len(calls) == 120
    assert all(call.session == "same" for call in calls)
    assert calibration.share(calls, "faster", "slower") <= 5


@pytest.mark.parametrize("quantity", ["gpu", "gpu_busy"])
def test_unchanged_programs_are_mostly_called_equivalent_on_the_gpu(calibration, programs, quantity):
    assert calibration.share(calibration.unchanged_calls(programs, quantity), "equivalent") >= 80


def test_intervals_of_unchanged_programs_hold_one(calibration, programs):
    calls = calibration.unchanged_calls(programs, "gpu")

    assert sum(call.interval[0] <= 1 <= call.interval[1] for call in calls) / len(calls) >= 0.95


def test_unchanged_kernels_are_hardly_ever_called_faster_or_slower(calibration, programs):
    assert calibration.share(calibration.kernel_calls(programs), "faster", "slower") <= 5


def test_planted_change_of_three_percent_is_found(calibration, programs):
    found = calibration.planted_calls(programs, "gpu", 1.03)

    assert sum(found) / len(found) >= 0.95


def test_compiled_mlp_is_faster_on_the_gpu_in_every_pair(calibration, programs):
    calls = calibration.across(programs["mlp_eager"], programs["mlp_compile"], "gpu")

    assert {call.call for call in calls} == {"faster"}


def test_compiled_linear_is_slower_on_the_cpu(calibration, programs):
    assert calibration.share(calibration.across(programs["lin_eager"], programs["lin_compile"], "cpu"), "slower") >= 90


def test_linear_is_equivalent_on_the_gpu_however_it_is_called(calibration, programs):
    calls = calibration.across(programs["lin_eager"], programs["lin_compile"], "gpu")

    assert calibration.share(calls, "equivalent") >= 80
    assert calibration.share(calls, "faster", "slower") == 0


@pytest.mark.parametrize("quantity", ["cpu", "step"])
def test_five_recordings_find_a_planted_half_and_nothing_else(calibration, programs, quantity):
    planted = calibration.several(programs, quantity, 5, planted=1.5, draws=50)
    unchanged = calibration.several(programs, quantity, 5, draws=50)

    assert calibration.share(planted, "slower") >= 80
    assert calibration.share(unchanged, "faster", "slower") <= 5


@pytest.mark.parametrize("quantity", ["gpu", "cpu", "step"])
def test_halves_of_the_replicates_agree(calibration, programs, quantity):
    assert calibration.share(calibration.halves(programs, quantity), "faster", "slower") <= 5
