"""Compiled code: lookups, regions, recompilations, replays, allocations, reads of the GPU by the CPU."""

from __future__ import annotations

from cpu_traces import call, op, run_of, step

from kerneldiff.pipeline import load


def test_guards_of_case_16_are_in_the_cache_lookup(data):
    facts = load(data / "cases" / "16-gpu-faster-step-slower" / "compiled.json").explained.compiled

    assert (facts.lookups, facts.regions, facts.region_calls, facts.graphs) == (1, ("0/0",), 1, 1)
    assert 90_000 < facts.lookup_ns < 105_000  # the case says about 96 us


def test_compilation_of_case_18_is_found_in_its_step(data):
    facts = load(data / "cases" / "18-recompile-inside-the-window" / "compiled.json").explained.compiled

    (found,) = facts.recompilations
    assert (found.step, found.ns) == (5, 2_861_004_185)


def test_allocation_of_case_72_is_found_below_its_operator(data):
    facts = load(data / "cases" / "72-one-allocation-in-one-run" / "b.json").explained.compiled

    (found,) = facts.allocations
    assert (found.name, found.step) == ("cudaMalloc", 2)
    assert found.chain == ("aten::max_pool2d", "aten::max_pool2d_with_indices")
    assert found.ns > 179_000_000


def test_profiler_overhead_of_case_50_is_nobodys_dispatch(data):
    run = load(data / "cases" / "50-profiler-overhead-in-the-first-step" / "trace.json")

    assert run.explained.cpu.extent_ns < 20_000
    assert run.explained.step_lengths_ns.max() > 1_600_000


def test_graph_replay_of_case_28_is_counted(data):
    facts = load(data / "cases" / "28-graph-replay-vs-eager" / "graph.json").explained.compiled

    assert facts.replays == 1


def test_eager_code_has_nothing_compiled(data):
    facts = load(data / "cases" / "16-gpu-faster-step-slower" / "eager.json").explained.compiled

    assert (facts.lookups, facts.region_calls, facts.graphs, facts.replays) == (0, 0, 0, 0)
    assert facts.regions == facts.recompilations == facts.allocations == ()


def test_item_is_counted_once_with_what_it_contains():
    run = run_of(
        step(1, 0, 100), op("aten::item", 10, 30), op("aten::_local_scalar_dense", 12, 25),
        call("cudaStreamSynchronize", 15, 20), op("aten::_local_scalar_dense", 60, 10),
    )  # fmt: skip

    assert run.explained.compiled.item_calls == 2
    assert run.explained.compiled.item_ns == 40_000


def test_regions_are_listed_in_order_of_first_call():
    run = run_of(
        step(1, 0, 100), op("Torch-Compiled Region: 0/0", 1, 10), op("Torch-Compiled Region: 2/0", 20, 10),
        op("Torch-Compiled Region: 0/0", 40, 10),
    )  # fmt: skip

    assert run.explained.compiled.regions == ("0/0", "2/0")
    assert run.explained.compiled.region_calls == 3
