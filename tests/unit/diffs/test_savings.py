"""Bytes that a fusion saves, from shapes."""

from __future__ import annotations

from dataclasses import replace

from kerneldiff.diffs import diff
from kerneldiff.diffs.savings import intermediate_bytes
from kerneldiff.pipeline import compare, load
from kerneldiff.profiles.explained import Tensor, Traffic

INTERMEDIATE = 64 * 128 * 3072 * 2


def tensor(elements, dtype="float"):
    return Tensor(elements=elements, dtype=dtype, size_bytes=elements * 4)


def traffic(reads, writes):
    return Traffic(reads=tuple(map(tensor, reads)), writes=tuple(map(tensor, writes)), lower_bound=False)


def test_an_intermediate_is_written_once_and_read_as_often_as_it_is():
    assert intermediate_bytes([traffic([10], [10]), traffic([10], [10])]) == 2 * 40
    assert intermediate_bytes([traffic([8], [10]), traffic([10], [3]), traffic([10, 3], [5])]) == 3 * 40 + 2 * 12


def test_a_kernel_reads_no_more_intermediates_than_there_are():
    gelu, mul = traffic([10], [10]), traffic([10, 10], [10])

    assert intermediate_bytes([gelu, mul]) == 2 * 40


def test_results_that_nothing_in_the_group_reads_save_nothing():
    assert intermediate_bytes([traffic([10], [20]), traffic([30], [40])]) == 0


def test_mlp_saves_one_intermediate_written_and_read_back(data):
    traces = data / "pairs" / "traces"
    eager, compiled = (load(traces / f"seed-mlp_{which}_shapes.json.gz") for which in ("eager", "compile"))

    (fused,) = [match for match in diff(eager, compiled).matches if match.relation == "fused"]
    (split,) = [match for match in diff(compiled, eager).matches if match.relation == "split"]

    assert fused.bytes_saved == 2 * INTERMEDIATE == 100_663_296
    assert split.bytes_saved == -100_663_296


def test_shapes_of_the_baseline_are_enough(data):
    traces = data / "pairs" / "traces"
    found = compare(traces / "seed-mlp_eager_shapes.json.gz", traces / "seed-mlp_compile.json.gz")

    (fused,) = [match for match in found.matches if match.relation == "fused"]
    assert fused.bytes_saved == 100_663_296


def test_without_shapes_the_saving_is_not_known(data):
    traces = data / "pairs" / "traces"
    found = compare(traces / "seed-mlp_eager.json.gz", traces / "seed-mlp_compile.json.gz")

    (fused,) = [match for match in found.matches if match.relation == "fused"]
    assert fused.bytes_saved is None


def test_a_side_without_explanation_leaves_it_open(data):
    eager = load(data / "pairs" / "traces" / "seed-mlp_eager_shapes.json.gz")
    compiled = load(data / "pairs" / "traces" / "seed-mlp_compile_shapes.json.gz")
    found = diff(replace(eager, explained=None), replace(compiled, explained=None))

    assert {match.bytes_saved for match in found.matches} == {None}


def test_chain_of_fifteen_kernels_saves_what_lies_between_them(data):
    traces = data / "pairs" / "traces"
    found = compare(traces / "twins-twin_chain9_eager.json.gz", traces / "twins-twin_chain9_compile.json.gz")
    one = 4096 * 4096 * 4

    (fused,) = [match for match in found.matches if match.relation == "fused"]
    # 15 kernels read or write 4096 x 4096 floats; the one that is left reads its inputs and writes one result.
    assert fused.bytes_saved % one < 64
    assert fused.bytes_saved // one >= 2 * 14
