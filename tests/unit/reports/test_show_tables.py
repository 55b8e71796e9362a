"""Runs and comparisons as data frames."""

from __future__ import annotations

import sys

import pytest

import builders as b
from builders import GEMM
from kerneldiff.errors import KerneldiffError
from kerneldiff.pipeline import compare, load
from kerneldiff.profiles.limits import judge_limits
from kerneldiff.profiles.peaks import peaks_of
from kerneldiff.reports import tables


@pytest.fixture(scope="module")
def run(data):
    return load(data / "pairs" / "traces" / "seed-mlp_eager_shapes.json.gz")


def test_events_have_their_traffic_and_shares(run):
    pytest.importorskip("polars")
    frame = tables.events(run, judge_limits(run, peaks_of(run.device)))

    assert frame["gpu_ns"].to_list() == [event.gpu_ns for event in run.events]
    assert frame["read_bytes"].max() == 100_663_296
    assert set(frame["limiter"].to_list()) == {"compute", "memory", "latency"}


def test_cpu_side_adds_up_to_the_step(run):
    pytest.importorskip("polars")

    assert tables.cpu(run)["ns"].sum() == run.explained.cpu.extent_ns
    assert tables.chains(run).height == len(run.explained.nodes)
    assert tables.operators(run)["calls"].sum() == sum(stat.calls for stat in run.operators)
    assert tables.gaps(run)["dur_ns"].sum() == run.explained.pace.idle_ns


def test_matches_and_waterfalls_add_up(data):
    pytest.importorskip("polars")
    traces = data / "pairs" / "traces"
    found = compare(traces / "seed-mlp_eager_shapes.json.gz", traces / "seed-mlp_compile_shapes.json.gz")

    assert tables.matches(found)["bytes_saved"].sum() == 100_663_296
    for fall in (found.waterfalls.cpu, found.waterfalls.gpu):
        assert tables.waterfall(fall)["delta_ns"].sum() == fall.delta_ns


def test_nothing_makes_an_empty_frame_with_all_columns():
    pytest.importorskip("polars")
    nothing = b.run_of(
        {"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::t", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}
    )

    assert tables.events(nothing).shape == (0, 18)
    assert tables.waterfall(None).height == 0


def test_without_polars_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)

    with pytest.raises(KerneldiffError, match=r"pip install 'kerneldiff\[tables\]'"):
        tables.operators(b.run(GEMM))
