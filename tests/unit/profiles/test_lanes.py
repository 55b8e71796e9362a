"""The CPU slices of the shown step, for a picture."""

from __future__ import annotations

import numpy as np
import pytest

from builders import GELU, GEMM, document, run, run_of
from kerneldiff.profiles import lanes


def test_slices_of_the_step_nest_by_depth():
    found = run(GEMM, GELU).lanes

    names = [found.names[i] for i in found.name.tolist()]
    depth = dict(zip(names, found.depth.tolist(), strict=True))
    assert depth["aten::linear"] + 1 == depth["aten::matmul"] == depth["aten::mm"] - 1
    assert depth["aten::linear"] == depth["aten::gelu"]
    assert depth[next(name for name in names if name.startswith("ProfilerStep"))] == 0


def test_slices_lie_inside_the_step_and_outer_ones_enclose_inner_ones():
    found = run(GEMM, GELU).lanes
    ends = found.start_ns + found.dur_ns
    around: list[int] = []
    for start, end, depth in zip(found.start_ns.tolist(), ends.tolist(), found.depth.tolist(), strict=True):
        around[depth:] = [end]
        assert start >= 0
        assert all(end <= outer for outer in around[:depth])


def test_runtime_calls_are_marked():
    found = run(GEMM).lanes

    assert {found.names[i] for i in found.name[found.runtime].tolist()} == {"cuLaunchKernelEx"}


def test_a_run_without_cpu_side_has_no_lanes():
    value = document([GEMM], marks=False)
    value["traceEvents"] = [event for event in value["traceEvents"] if event["cat"] == "kernel"]

    assert run_of(value).lanes is None


@pytest.mark.parametrize("most", [3, 5])
def test_of_very_many_the_longest_are_kept_in_order_and_the_rest_is_counted(monkeypatch, most):
    whole = run(GEMM, GELU).lanes
    monkeypatch.setattr(lanes, "MOST_SLICES", most)
    cut = run(GEMM, GELU).lanes

    assert len(cut) == most
    assert cut.left_out == len(whole) - most
    assert cut.dur_ns.min() >= np.sort(whole.dur_ns)[-most]
    assert np.all(np.diff(cut.start_ns) >= 0)
