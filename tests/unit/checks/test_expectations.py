"""Expectations: what is met passes, what is not is shown beside what was expected, what is not known is open."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import GELU, GELU_MUL, GEMM, MUL, kernel, memcpy, run
from kerneldiff.checks.expectations import expectations_of, first_file, judge
from kerneldiff.checks.expectations.model import Count, count_of
from kerneldiff.checks.expectations.writing import toml_text
from kerneldiff.checks.model import Finding, Outcome
from kerneldiff.errors import PolicyError
from kerneldiff.pipeline import load
from kerneldiff.profiles.model import Profile

PAIRS = Path(__file__).parents[2] / "data" / "pairs" / "traces"
TRACES = sorted(PAIRS.glob("*.json.gz"))


def expect(profile: Profile, region: str | None = None, **wanted: Any) -> Outcome:
    scope = {key.replace("_", "-"): value for key, value in wanted.items()}
    table = {"step": scope} if region is None else {"region": {region: scope}}
    return judge(profile, expectations_of(table, where="e.toml"))


def finding(outcome: Outcome) -> Finding:
    (result,) = outcome.of("failed")
    (found,) = result.findings
    return found


@pytest.mark.parametrize(
    ("written", "count"),
    [
        (5, Count(low=5, high=5)),
        ("5", Count(low=5, high=5)),
        ("<= 5", Count(high=5)),
        ("<5", Count(high=4)),
        (">= 1", Count(low=1)),
        ("> 0", Count(low=1)),
        ("2..4", Count(low=2, high=4)),
    ],
)
def test_counts_are_numbers_limits_or_ranges(written: object, count: Count) -> None:
    assert count_of(written) == count


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_a_trace_meets_the_first_file_that_was_written_from_it(path: Path) -> None:
    profile = load(path)

    outcome = judge(profile, expectations_of(tomllib.loads(first_file(profile)), where="e.toml"))

    assert outcome.status == "passed"
    assert len(outcome.results) > 4


@given(text=st.text(max_size=30).filter(lambda text: not any(0xD800 <= ord(char) <= 0xDFFF for char in text)))
@settings(max_examples=100, deadline=None)
def test_any_text_stands_in_toml_as_it_is(text: str) -> None:
    assert tomllib.loads(f"[region.{toml_text(text)}]\nname = {toml_text(text)}\n") == {
        "region": {text: {"name": text}}
    }


def test_a_wrong_count_is_shown_with_what_was_counted() -> None:
    found = finding(expect(run(GEMM, GELU, MUL), kernels=2))

    assert (found.expected, found.found) == (("kernels: 2",), ("kernels: 3",))
    assert found.evidence[0].startswith("nvjet gemm bf16 tn")


@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [
        ("launches", 3, 2),
        ("kernels", "2..3", ">= 3"),
        ("copies", 1, 0),
        ("sets", 0, 1),
        ("gemms", 1, 0),
        ("convolutions", 0, 1),
        ("attention", 0, "> 0"),
        ("fp32-gemms", 0, 1),
        ("synchronisations", 0, 1),
        ("compiled-regions", 0, 1),
        ("recompilations", 0, 1),
        ("allocations", 0, 1),
    ],
)
def test_each_count_passes_when_right_and_fails_when_wrong(key: str, right: object, wrong: object) -> None:
    profile = run(GEMM, GELU, memcpy())

    assert expect(profile, **{key: right}).status == "passed"
    assert expect(profile, **{key: wrong}).status == "failed"


def test_groups_that_must_be_fused_are_looked_for_in_one_kernel() -> None:
    assert expect(run(GEMM, GELU_MUL), fused=[["gelu", "mul"], ["aten::gelu", "aten::mul"]]).status == "passed"
    found = finding(expect(run(GEMM, GELU, MUL), fused=[["gelu", "mul"]]))
    assert found.found == ("gelu: aten gelu_tanh bf16 · gelu", "mul: aten mul bf16(f32) · mul")


def test_an_operator_that_must_be_a_view_is_called_and_launches_nothing() -> None:
    copying = run(kernel("copy", operators=("aten::reshape", "aten::copy_")), GEMM)

    assert finding(expect(copying, views=["aten::reshape"])).found == ("1 GPU events in 1 calls",)
    assert finding(expect(copying, views=["aten::t"])).found == ("no call",)
    assert expect(load(PAIRS / "seed-linear_bf16_eager.json.gz"), views=["aten::t", "transpose"]).status == "passed"


def test_an_operator_that_must_not_launch_need_not_be_called() -> None:
    assert expect(run(GEMM), no_launch=["aten::copy_"]).status == "passed"
    assert expect(run(GEMM), no_launch=["aten::mm"]).status == "failed"


@pytest.mark.parametrize(
    ("gemm", "status"),
    [
        ({"type": "bf16", "layout": "tn", "tile": "256x128x64", "count": 1}, "passed"),
        ({"type": "f32", "count": 0}, "passed"),
        ({"type": "f16"}, "failed"),
        ({"layout": "nn"}, "failed"),
        ({"tile": "128x128x64"}, "failed"),
        ({"library": "cublas", "operator": "linear"}, "passed"),
        ({"operator": "aten::bmm"}, "failed"),
        ({"type": "bf16", "count": "> 1"}, "failed"),
        ({"epilogue": "bias"}, "failed"),
    ],
)
def test_gemms_are_held_against_type_layout_tile_and_more(gemm: dict[str, Any], status: str) -> None:
    assert expect(run(GEMM, GELU), gemm=[gemm]).status == status


def test_a_bias_in_the_epilogue_is_seen_in_a_real_linear() -> None:
    linear = load(PAIRS / "seed-linear_bf16_eager.json.gz")

    assert expect(linear, gemm=[{"type": "bf16", "layout": "tn", "epilogue": "bias", "count": 1}]).status == "passed"
    assert expect(linear, gemm=[{"epilogue": "none"}]).status == "failed"


def test_what_a_name_does_not_say_is_open_and_not_guessed() -> None:
    silent = replace(GEMM, name="some_gemm_kernel_of_nobody", operators=("aten::mm",))
    profile = run(silent)
    known = replace(profile, events=tuple(replace(e, decoded=replace(e.decoded, op="gemm")) for e in profile.events))

    assert expect(known, gemm=[{"type": "bf16"}]).status == "inconclusive"
    assert expect(known, fp32_gemms=0).status == "inconclusive"
    assert expect(known, fp32_gemms="<= 1").status == "passed"


def test_a_recording_without_gpu_events_is_open_and_not_zero() -> None:
    lost = replace(run(GEMM), events=(), missing=("gpu",))

    for wanted in ({"copies": 0}, {"gemm": [{"type": "bf16"}]}, {"fused": [["gelu", "mul"]]}):
        assert expect(lost, **wanted).status == "inconclusive"


def test_a_recording_without_cpu_side_is_open_and_not_zero() -> None:
    blind = replace(run(GEMM), explained=None)

    for wanted in ({"synchronisations": 0}, {"views": ["aten::t"]}, {"no_launch": ["aten::t"]}):
        assert expect(blind, **wanted).status == "inconclusive"


def test_a_region_is_looked_at_alone_and_must_occur() -> None:
    mlp = load(PAIRS / "seed-mlp_compile_shapes.json.gz")

    assert expect(mlp, region="mlp_fwd", kernels=4, gemms=3).status == "passed"
    missing = expect(mlp, region="mlp_bwd", kernels=4)
    assert [result.name for result in missing.of("failed")] == ["region"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "e.toml: nothing is expected; write a first file with kerneldiff expect TRACE"),
        ({"step": {}}, "e.toml: nothing is expected"),
        ({"steps": {}}, "e.toml: unknown key 'steps'; did you mean 'step'?"),
        ({"step": 3}, "e.toml: step: is no table; give [step] with keys below it"),
        ({"step": {"kernel": 3}}, "e.toml: step: unknown key 'kernel'; did you mean 'kernels'?"),
        ({"step": {"kernels": "few"}}, "e.toml: step.kernels: 'few' is no count"),
        ({"step": {"kernels": -1}}, "e.toml: step.kernels: '-1' is no count"),
        ({"step": {"kernels": True}}, "e.toml: step.kernels: 'True' is no count"),
        ({"step": {"kernels": "4..2"}}, "e.toml: step.kernels: '4..2' is no count"),
        ({"step": {"kernels": "< 0"}}, "e.toml: step.kernels: '< 0' is no count"),
        ({"step": {"views": "aten::t"}}, "e.toml: step.views: should be a list of operators"),
        ({"step": {"fused": ["gelu"]}}, "e.toml: step.fused: should be a list of groups"),
        ({"step": {"fused": [["gelu"]]}}, "e.toml: step.fused: a group has fewer than two operators"),
        ({"step": {"gemm": {"type": "bf16"}}}, "e.toml: step.gemm: should be a list of tables"),
        ({"step": {"gemm": [{"typ": "bf16"}]}}, "e.toml: step.gemm: unknown key 'typ'; did you mean 'type'?"),
        ({"step": {"gemm": [{"tile": 128}]}}, "e.toml: step.gemm.tile: should be a text"),
        (
            {"region": {"fwd": {"synchronisations": 0}}},
            "e.toml: region.fwd.synchronisations: is known of a whole step only",
        ),
        ({"step": {"launches": 1, "kernels": 2}}, "e.toml: step.kernels: 2 kernels are more than 1 launches"),
        (
            {"step": {"gemms": 1, "gemm": [{"count": 2}]}},
            "e.toml: step.gemm: 2 GEMMs of one kind are more than 1 in all",
        ),
        ({"step": {"fp32-gemms": 0, "gemm": [{"type": "f32"}]}}, "e.toml: step.gemm: a GEMM of type f32 is expected"),
    ],
)
def test_wrong_expectations_are_refused_with_file_key_and_remedy(table: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        expectations_of(table, where="e.toml")

    assert str(caught.value).startswith(said)
