"""The rules of the gate: each finds what it is for, and nothing in a run held against itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from builders import ADD, GELU, GELU_MUL, GEMM, MUL, Kernel, compare, kernel, memcpy, run, triton
from kerneldiff.checks.gate import check_diff, check_lock
from kerneldiff.checks.locks import compare_with_lock, lock_of
from kerneldiff.checks.model import Outcome
from kerneldiff.checks.pages import HEADINGS, as_markdown, as_text, page_of
from kerneldiff.checks.policy import Limit, Policy
from kerneldiff.checks.rules import CODES, RULES
from kerneldiff.diffs import diff
from kerneldiff.diffs.model import Diff
from kerneldiff.errors import PolicyError
from kerneldiff.pipeline import compare as compare_files
from kerneldiff.profiles.explained import Occurrence
from kerneldiff.profiles.model import Profile

PAIRS = Path(__file__).parents[2] / "data" / "pairs" / "traces"
DOCS = Path(__file__).parents[3] / "docs" / "checks"


def failed(outcome: Outcome) -> list[str]:
    return [result.code for result in outcome.of("failed")]


def only(code: str, found: Diff, **policy: Any) -> Outcome:
    return check_diff(found, Policy(select=(code,), **policy))


F32 = kernel(
    "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas",
    operators=("aten::bmm",),
)
FLASH = kernel(
    "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t>, false>(Flash_fwd_params)",
    operators=(
        "aten::scaled_dot_product_attention",
        "aten::_scaled_dot_product_flash_attention",
        "aten::_flash_attention_forward",
    ),
)
NHWC = kernel(
    "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true, (cudnnKernelDataType_t)0>(int)",
    operators=("aten::conv2d", "aten::cudnn_convolution"),
)


def test_a_run_against_itself_has_no_finding() -> None:
    outcome = check_diff(compare([GEMM, GELU_MUL], [GEMM, GELU_MUL]), Policy(allow=()))

    assert outcome.status == "passed"
    assert [result.code for result in outcome.results] == [rule.code for rule in RULES]


@pytest.mark.parametrize(
    ("code", "baseline", "candidate"),
    [
        ("KD102", [GEMM], [replace(GEMM, dur_ns=90_000)]),
        ("KD103", [GEMM], [GEMM, ADD]),
        ("KD104", [GEMM, GELU_MUL], [GEMM, GELU, MUL]),
        ("KD105", [replace(GEMM, operators=("aten::bmm",))], [F32]),
        ("KD106", [FLASH], [replace(F32, operators=("aten::scaled_dot_product_attention", "aten::bmm"))] * 2),
        ("KD107", [GEMM], [memcpy(operators=("aten::mm",)), GEMM]),
        ("KD111", [GEMM], [NHWC, GEMM]),
    ],
)
def test_a_rule_finds_what_it_is_for_and_not_the_reverse(
    code: str, baseline: list[Kernel], candidate: list[Kernel]
) -> None:
    steps = {"steps": 12}  # enough for a time to be settled

    assert failed(only(code, compare(baseline, candidate, **steps))) == [code]
    assert failed(only(code, compare(candidate, baseline, **steps))) == []


def with_compiled(profile: Profile, **changes: Any) -> Profile:
    assert profile.explained is not None
    compiled = replace(profile.explained.compiled, **changes)
    return replace(profile, explained=replace(profile.explained, compiled=compiled))


COMPILED = Occurrence(name="_compile.compile_inner", step=2, ns=2_000_000_000, chain=())
MALLOC = Occurrence(name="cudaMalloc", step=2, ns=1_900_000, chain=("aten::empty",))


@pytest.mark.parametrize(
    ("code", "before", "after", "said"),
    [
        ("KD108", {}, {"item_calls": 2}, "aten::item: 2 a step"),
        ("KD109", {"regions": ("0/0",)}, {"regions": ("0/0", "1/0")}, "2 compiled regions a step (0, 1)"),
        ("KD110", {}, {"recompilations": (COMPILED,)}, "step 2: _compile.compile_inner (2.00 s)"),
        ("KD113", {}, {"allocations": (MALLOC,)}, "1 allocation in 3 steps"),
    ],
)
def test_a_rule_on_the_cpu_side_says_what_it_found(
    code: str, before: dict[str, Any], after: dict[str, Any], said: str
) -> None:
    one, other = (with_compiled(run(GEMM), **facts) for facts in (before, after))

    outcome = only(code, diff(one, other))

    assert failed(outcome) == [code]
    assert outcome.results[0].findings[0].found == (said,)
    assert failed(only(code, diff(other, one))) == []


def test_the_wait_with_which_the_profiler_stops_is_none_of_the_program() -> None:
    cases = Path(__file__).parents[2] / "data" / "cases" / "02-matmul-add-hidden-copy"

    assert only("KD108", compare_files(cases / "compiled.json", cases / "eager.json")).status == "passed"


def test_code_that_was_compiled_again_for_other_shapes_is_no_graph_break() -> None:
    one, other = (with_compiled(run(GEMM), regions=regions) for regions in (("0/0",), ("0/0", "0/1")))

    assert only("KD109", diff(one, other)).status == "passed"


def test_without_a_cpu_side_the_rules_on_it_are_open() -> None:
    blind = replace(run(GEMM), explained=None)

    for code in ("KD108", "KD109", "KD110", "KD113"):
        assert only(code, diff(blind, blind)).status == "inconclusive"


def test_without_gpu_events_nothing_on_the_gpu_passes() -> None:
    lost = replace(run(GEMM), events=(), missing=("gpu",))

    outcome = check_diff(diff(lost, lost), Policy(allow=()))

    open_ = {result.code for result in outcome.of("inconclusive")}
    assert {"KD100", "KD102", "KD103", "KD104", "KD105", "KD106", "KD107", "KD111", "KD112", "KD114"} <= open_
    assert failed(outcome) == []


def test_the_pace_moving_to_the_cpu_is_found() -> None:
    gpu_bound, cpu_bound = replace(run(GEMM), bound="gpu"), replace(run(GEMM), bound="cpu")

    assert failed(only("KD112", diff(gpu_bound, cpu_bound))) == ["KD112"]
    assert only("KD112", diff(cpu_bound, cpu_bound)).status == "passed"


def test_a_time_that_looks_longer_and_is_not_settled_is_open() -> None:
    outcome = only("KD102", compare([GEMM], [replace(GEMM, dur_ns=61_000)], steps=2))

    assert outcome.status == "inconclusive"
    assert outcome.results[0].open[0].startswith("GPU time looks longer and that is not settled")


def test_times_of_two_devices_are_not_held_against_each_other() -> None:
    other = run(replace(GEMM, dur_ns=90_000), steps=12, device="NVIDIA A100")

    for code in ("KD101", "KD102"):
        outcome = only(code, diff(run(GEMM, steps=12), other))
        assert outcome.status == "inconclusive"
        assert "device differs (NVIDIA H200 against NVIDIA A100)" in outcome.results[0].open[0]


def test_a_policy_that_turns_every_rule_off_is_refused_and_does_not_pass() -> None:
    with pytest.raises(PolicyError, match="nothing would be checked"):
        check_diff(compare([GEMM], [GEMM]), Policy(ignore=tuple(rule.code for rule in RULES)))


def test_limits_move_the_border() -> None:
    longer = compare([GEMM], [GEMM, ADD], steps=12)

    assert only("KD103", longer, more_launches=Limit(count=1)).status == "passed"
    assert only("KD103", longer, more_launches=Limit(share=0.5)).status == "failed"
    assert only("KD102", longer, slower_gpu=Limit(share=0.5)).status == "passed"


def test_code_that_is_not_proved_equal_is_inconclusive_with_its_remedy() -> None:
    one = run(triton("triton_poi_fused_mul_0", code=None))
    outcome = only("KD114", diff(one, replace(run(triton("triton_poi_fused_mul_0", code=None)), digest="other")))

    assert outcome.status == "inconclusive"
    assert "record_shapes=True" in outcome.results[0].open[0]


def test_equal_findings_of_many_layers_are_one_with_a_count() -> None:
    outcome = only("KD107", compare([GEMM] * 4, [memcpy(operators=("aten::mm",)), GEMM] * 4))

    assert [finding.count for finding in outcome.results[0].findings] == [4]


def test_allowed_kinds_of_change_pass_and_others_do_not() -> None:
    fusion = compare([GEMM, GELU, MUL], [GEMM, GELU_MUL])

    assert check_diff(fusion, Policy(allow=("fused",))).status == "passed"
    assert failed(check_diff(fusion, Policy(allow=("split",)))) == ["KD100"]
    assert "KD100" not in [result.code for result in check_diff(fusion, Policy()).results]


def test_a_lock_allows_no_change_unless_the_policy_does() -> None:
    locked = compare_with_lock(lock_of(run(GEMM, GELU, MUL)), run(GEMM, GELU_MUL), where="x.lock")

    assert failed(check_lock(locked, Policy())) == ["KD100"]
    assert check_lock(locked, Policy(allow=("fused",))).status == "passed"


def on_cpu(*kernels: Kernel) -> Profile:
    profile = run(*kernels)
    events = tuple(replace(event, kind="cpu_kernel") for event in profile.events)
    return replace(profile, events=events, missing=("gpu",), coverage=replace(profile.coverage, gpu_events=0))


def test_of_a_program_on_the_cpu_its_kernels_are_the_work() -> None:
    lock = lock_of(on_cpu(ADD))

    assert check_lock(compare_with_lock(lock, on_cpu(ADD), where="x.lock"), Policy()).status == "passed"
    assert failed(check_lock(compare_with_lock(lock, on_cpu(ADD, ADD), where="x.lock"), Policy())) == ["KD100"]


def test_compiled_bert_loses_its_fused_fp16_attention() -> None:
    outcome = check_diff(compare_files(PAIRS / "hf-bert_eager.json.gz", PAIRS / "hf-bert_compile.json.gz"), Policy())

    assert {"KD102", "KD103", "KD104", "KD105", "KD106"} <= set(failed(outcome))
    (attention,) = next(result for result in outcome.results if result.code == "KD106").findings
    assert attention.count == 4
    (wider,) = next(result for result in outcome.results if result.code == "KD105").findings
    assert wider.evidence == ("operand type: f16 -> f32",)


def test_rules_have_distinct_codes_in_order() -> None:
    codes = [rule.code for rule in RULES]

    assert codes == sorted(set(codes))
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert set(CODES.values()) == set(codes)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_explains_itself_in_four_parts(rule: Any) -> None:
    page = page_of(rule)

    assert [heading for heading, text in page.parts if text] == list(HEADINGS)
    assert as_text(page).startswith(f"{rule.code} {rule.name}\n")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_page_of_a_rule_in_the_documentation_is_up_to_date(rule: Any) -> None:
    path = DOCS / f"{rule.code}-{rule.name}.md"

    assert path.read_text(encoding="utf-8") == as_markdown(page_of(rule)), (
        f"{path} is not what the docstring says; write it with: python tests/write_check_pages.py"
    )


def test_the_documentation_has_no_page_of_a_rule_that_is_gone() -> None:
    assert sorted(path.name for path in DOCS.glob("KD*.md")) == sorted(f"{rule.code}-{rule.name}.md" for rule in RULES)
