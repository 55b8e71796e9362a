"""Recordings made on an H200 and on a CPU (tests/data/recorded/README.md): what they carry decides."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kerneldiff import pipeline
from kerneldiff.diffs.builds import spread_of_builds, typical_build

RECORDED = Path(__file__).parents[2] / "data" / "recorded"


@pytest.fixture(scope="module")
def runs():
    return {
        path.relative_to(RECORDED).as_posix(): pipeline.load(path)
        for path in sorted(RECORDED.rglob("*"))
        if path.is_dir() and any(path.glob("*.gz"))
    }


@pytest.fixture(scope="module")
def compare(runs):
    return lambda baseline, candidate: pipeline.compare(runs[baseline], runs[candidate])


def test_a_compiled_linear_is_the_same_work_and_slower_on_the_cpu(compare):
    diff = compare("linear/eager", "linear/compile")

    assert diff.verdict.gpu_work == "same"
    assert diff.times.cpu.call == diff.times.step.call == "slower"
    assert diff.comparable.differences == ()


def test_times_without_the_profiler_are_the_basis_of_cpu_and_step_time(compare):
    times = compare("linear/eager", "linear/compile").times

    assert (times.cpu.basis, times.step.basis) == ("unprofiled", "unprofiled")
    assert (times.gpu.basis, times.gpu_busy.basis) == ("profiled", "profiled")
    assert 20_000 < times.step.baseline_ns < 40_000, "the profiler makes a step of about 100 us of it"
    assert "timed without the profiler" in times.step.reason


def test_variants_of_one_session_share_it_and_those_of_two_do_not(runs, compare):
    keys = {name: {sample.key for sample in run.samples} for name, run in runs.items()}

    assert keys["linear/eager"] == keys["linear/compile"]
    assert keys["linear/eager"] != keys["mlp/eager"]
    assert compare("linear/eager", "linear/compile").times.gpu.session == "same"


def test_a_compiled_mlp_has_two_kernels_fused(compare):
    diff = compare("mlp/eager", "mlp/compile")

    assert diff.verdict.changes == ("fused",)
    assert diff.times.gpu.call == "faster"


def triton_match(diff):
    (match,) = [one for one in diff.matches if any(diff.baseline.events[i].decoded.jit for i in one.baseline)]
    return match


def test_a_kernel_in_a_replayed_graph_is_proved_equal_by_its_content(compare):
    diff = compare("mlp/compile", "mlp/compile-mode=reduce-overhead")

    match = triton_match(diff)
    assert match.relation == "same"
    assert "content" in match.evidence
    assert diff.verdict.changes == ("added", "captured")


def test_without_what_was_recorded_the_same_kernel_is_unproven(tmp_path):
    for variant in ("compile", "compile-mode=reduce-overhead"):
        document = json.loads(gzip.decompress((RECORDED / "mlp" / variant / "00.pt.trace.json.gz").read_bytes()))
        del document["kerneldiff"]
        (tmp_path / f"{variant}.json").write_text(json.dumps(document))

    diff = pipeline.compare(tmp_path / "compile.json", tmp_path / "compile-mode=reduce-overhead.json")

    assert triton_match(diff).relation == "unproven"


def test_two_builds_of_one_program_can_be_other_code(compare):
    diff = compare("builds/build-1/compile", "builds/build-2/compile")

    match = triton_match(diff)
    assert match.relation == "recompiled"
    assert {"content", "block", "registers"} <= {one.field for one in match.differences}


def test_two_builds_can_be_the_same_code(compare):
    diff = compare("builds/build-2/compile", "builds/build-3/compile")

    assert diff.verdict.gpu_work == "same"
    assert triton_match(diff).evidence[-1] == "content"


def test_the_spread_of_builds_names_the_kernel_that_makes_it(compare):
    diffs = [compare(f"builds/build-{n}/eager", f"builds/build-{n}/compile") for n in (1, 2, 3)]

    spread = spread_of_builds("compile", diffs)

    assert (spread.work, spread.codes) == ("changed", 2)
    assert [one.name for one in spread.kernels] == ["triton_poi_fused__unsafe_view_gelu_mul_0"]
    assert max(spread.kernels[0].ns) > 1.3 * min(spread.kernels[0].ns)
    assert len(spread.gpu_ns) == len(spread.ratios) == 3
    assert typical_build(diffs) in (1, 2), "two of three builds are alike, and the typical one is among them"


def test_equal_builds_have_one_code_and_no_kernel_to_name(compare):
    diffs = [compare(f"builds/build-{n}/eager", f"builds/build-{n}/compile") for n in (2, 3)]

    spread = spread_of_builds("compile", diffs)

    assert (spread.work, spread.codes, spread.kernels) == ("same", 1, ())


def test_a_hand_written_kernel_carries_its_digest(runs):
    (event,) = [one for one in runs["kernels-mlp/kernels"].events if one.decoded.jit]

    assert event.name == "_geglu_tanh_forward_kernel"
    assert event.content_digest is not None


def test_a_recording_of_the_cpu_shows_its_kernels_and_claims_no_gpu_work(runs, compare):
    diff = compare("cpu-mlp/eager", "cpu-mlp/compile")

    assert diff.verdict.gpu_work == "unknown"
    assert diff.verdict.changes == ("fused",)
    assert [event.name for event in diff.baseline.events] == [
        "aten::mm",
        "aten::gelu",
        "aten::mm",
        "aten::mul",
        "aten::mm",
    ]
    assert {event.kind for run in (diff.baseline, diff.candidate) for event in run.events} == {"cpu_kernel"}
    (fused,) = [match for match in diff.matches if match.relation == "fused"]
    assert fused.fused_operators == ("aten::gelu", "aten::mul")
    assert [match.relation for match in diff.matches if match is not fused] == ["same"] * 3
    assert diff.times.gpu.ratio is None
    assert "CPU" in diff.verdict.summary


def test_a_cpu_against_a_gpu_is_not_compared_kernel_by_kernel(compare):
    diff = compare("cpu-mlp/eager", "mlp/eager")

    assert diff.verdict.gpu_work == "unknown"
    assert diff.matches == ()
    assert not diff.comparable.ok


def test_other_versions_are_said_to_differ(compare):
    fields = {one.field for one in compare("cpu-mlp/eager", "mlp/eager").comparable.differences}

    assert {"torch", "python"} <= fields
