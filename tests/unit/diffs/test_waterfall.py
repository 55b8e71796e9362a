"""Waterfalls add up to the nanosecond, whatever the two runs are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import builders as b
from builders import ADD, GELU, GELU_MUL, GEMM, MUL, kernel, memset
from kerneldiff.diffs import diff
from kerneldiff.diffs.waterfall import cpu_waterfall, gpu_waterfall
from kerneldiff.pipeline import compare
from kerneldiff.profiles.explained import CpuItem, CpuStep

KINDS = ("operator", "annotation", "loader", "runtime", "sync")
items = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sampled_from("abcdefgh"), st.integers(1, 9), st.integers(0, 10**9)),
    max_size=12,
    unique_by=lambda one: one[:2],
)
steps = st.tuples(items, st.integers(0, 10**9)).map(
    lambda given: CpuStep(
        thread="1",
        extent_ns=sum(ns for *_, ns in given[0]) + given[1],
        items=tuple(CpuItem(kind=kind, name=name, calls=calls, ns=ns) for kind, name, calls, ns in given[0]),
        between_ns=given[1],
    )
)


def sums(fall):
    return sum(row.baseline_ns for row in fall.rows), sum(row.candidate_ns for row in fall.rows)


@given(baseline=steps, candidate=steps)
@settings(deadline=None)
def test_rows_add_up_to_both_sides_and_to_the_difference(baseline, candidate):
    fall = cpu_waterfall(baseline, candidate)

    assert sums(fall) == (baseline.extent_ns, candidate.extent_ns)
    assert sum(row.delta_ns for row in fall.rows) == candidate.extent_ns - baseline.extent_ns == fall.delta_ns


@given(baseline=steps, candidate=steps)
@settings(deadline=None)
def test_swapping_the_sides_negates_every_row(baseline, candidate):
    swapped = {"removed": "added", "added": "removed"}
    one, other = cpu_waterfall(baseline, candidate), cpu_waterfall(candidate, baseline)

    assert {row.kind: row.delta_ns for row in one.rows} == {
        swapped.get(row.kind, row.kind): -row.delta_ns for row in other.rows
    }


@given(step=steps)
@settings(deadline=None)
def test_a_run_against_itself_has_nothing_to_explain(step):
    assert all(row.delta_ns == 0 for row in cpu_waterfall(step, step).rows)


def test_items_of_a_row_are_its_names_and_add_up_to_it():
    def of(*given):
        found = tuple(CpuItem(kind="operator", name=name, calls=1, ns=ns) for name, ns in given)
        return CpuStep(thread="1", extent_ns=sum(ns for _, ns in given), items=found, between_ns=0)

    fall = cpu_waterfall(of(("aten::mm", 10), ("aten::t", 4)), of(("aten::mm", 16), ("Torch-Compiled Region", 30)))

    assert [(row.kind, row.delta_ns, [item.name for item in row.items]) for row in fall.rows] == [
        ("removed", -4, ["aten::t"]),
        ("added", 30, ["Torch-Compiled Region"]),
        ("kept", 6, ["aten::mm"]),
    ]


POOL = [GEMM, GELU, MUL, ADD, GELU_MUL, memset(), kernel("k", 3.0, stream=9)]
kernels = st.lists(st.sampled_from(POOL), min_size=1, max_size=8)


@given(ours=kernels, theirs=kernels)
@settings(max_examples=40, deadline=None)
def test_gpu_rows_add_up_to_busy_time(ours, theirs):
    found = b.compare(ours, theirs)
    fall = found.waterfalls.gpu

    assert sums(fall) == (fall.baseline_ns, fall.candidate_ns)
    assert fall.baseline_ns == found.baseline.explained.pace.busy_ns
    assert fall.candidate_ns == found.candidate.explained.pace.busy_ns


def test_streams_that_overlap_have_a_row_of_their_own(data):
    from kerneldiff.pipeline import load

    run = load(data / "cases" / "45-two-streams-at-once" / "trace.json")
    fall = diff(run, run).waterfalls.gpu

    assert fall.row("overlap").baseline_ns == -run.explained.pace.overlap_ns
    assert sums(fall) == (run.explained.pace.busy_ns, run.explained.pace.busy_ns)


def test_matches_that_leave_time_out_make_no_waterfall():
    run = b.run(GEMM, GELU)
    found = diff(run, run)

    assert gpu_waterfall(run.explained.pace, run.explained.pace, found.matches[:1]) is None


PAIRS = [
    ("seed-linear_bf16_eager", "seed-linear_bf16_compile"),
    ("seed-mlp_eager_shapes", "seed-mlp_compile_shapes"),
    ("hf-bert_eager", "hf-bert_compile"),
    ("train-train_lm_bf16_eager", "train-train_lm_bf16_compile"),
    ("seed-mlp_eager_shapes", "modes-mlp_cuda_graph_manual"),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_waterfalls_of_real_pairs_add_up(data, one, other):
    traces = data / "pairs" / "traces"
    found = compare(traces / f"{one}.json.gz", traces / f"{other}.json.gz")

    for fall in (found.waterfalls.cpu, found.waterfalls.gpu):
        assert sums(fall) == (fall.baseline_ns, fall.candidate_ns)
    assert found.waterfalls.cpu.baseline_ns == found.baseline.explained.cpu.extent_ns
    assert found.waterfalls.gpu.delta_ns == (
        found.candidate.explained.pace.busy_ns - found.baseline.explained.pace.busy_ns
    )


def test_case_16_spends_its_time_in_the_cache_lookup(data):
    folder = data / "cases" / "16-gpu-faster-step-slower"
    fall = compare(folder / "eager.json", folder / "compiled.json").waterfalls.cpu
    largest = fall.row("added").items[0]

    assert largest.name == "TorchDynamo Cache Lookup"
    assert largest.delta_ns * 2 > fall.delta_ns


def test_case_73_spends_its_time_in_the_data_loader_of_either_class(data):
    folder = data / "cases" / "73-kernels-differ-but-the-loader-was-the-cause"
    fall = compare(folder / "workers_0.json", folder / "workers_4.json").waterfalls.cpu
    (item,) = fall.row("loader").items

    assert (item.baseline_calls, item.candidate_calls) == (1, 1)
    assert item.baseline_ns > 52_000_000
    assert item.candidate_ns < 1_000_000


def test_a_side_without_explanation_has_no_waterfall():
    run = b.run(GEMM)

    assert diff(replace(run, explained=None), run).waterfalls.cpu is None
