"""Every sentence of the summary: said when it holds, silent without its evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

import builders as b
from builders import ADD, GELU, GELU_MUL, GEMM, MUL, kernel, memcpy
from kerneldiff.diffs import diff
from kerneldiff.diffs.facts import Facts, percent
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.diffs.summary import MOST_SENTENCES, SENTENCES, summarise
from kerneldiff.diffs.wording import count, listed, person_name
from kerneldiff.pipeline import compare

REGION = ("Torch-Compiled Region: 0/0",)


def headline(found):
    return found.verdict.summary


def everything(found):
    return " ".join((found.verdict.summary, *found.verdict.details))


@pytest.fixture(scope="session")
def case(data):
    def found(number, one, other):
        (folder,) = (data / "cases").glob(f"{number:02d}-*")
        return compare(folder / one, folder / other)

    return found


@pytest.fixture(scope="session")
def pair(data):
    traces = data / "pairs" / "traces"

    def found(one, other):
        return compare(traces / f"{one}.json.gz", traces / f"{other}.json.gz")

    return found


def call(ratio, what="slower", *, recordings=(1, 1)):
    before, after = 100_000, round(100_000 * ratio)
    return TimeCall(
        baseline_ns=before, candidate_ns=after, ratio=ratio, interval=None, call=what, basis="profiled",
        recordings=recordings, steps=(10, 10), session="same", reason="",
    )  # fmt: skip


def facts_of(found, **changes):
    facts = Facts(
        baseline=found.baseline,
        candidate=found.candidate,
        matches=found.matches,
        times=found.times,
        waterfalls=found.waterfalls,
        work=found.verdict.gpu_work,
        changes=found.verdict.changes,
        reasons=found.verdict.reasons,
    )
    return replace(facts, **changes)


def test_equal_work_is_said_with_the_right_number():
    assert headline(b.compare([GEMM], [GEMM])).startswith(
        "GPU work is the same: the one kernel of a step is proved equal."
    )
    assert "both kernels of a step are proved equal" in headline(b.compare([GEMM, GELU], [GEMM, GELU]))
    assert "all 3 kernels of a step are proved equal" in headline(b.compare([GEMM, GELU, MUL], [GEMM, GELU, MUL]))


def test_compiling_one_linear_is_told_as_it_is(pair):
    found = pair("seed-linear_bf16_eager_active50", "seed-linear_bf16_compile_active50")

    assert headline(found) == (
        "GPU work is the same: the one kernel of a step is proved equal. Compiling removed 4 operators (9.98 us) and added "
        "5 (115.8 us); the run is CPU-bound, so it is slower: step time rose by 170 % (83.3 us to 225.1 us)."
    )


def test_a_lone_short_recording_does_not_settle_step_time(pair):
    found = headline(pair("seed-linear_bf16_eager", "seed-linear_bf16_compile"))

    assert "the run is CPU-bound and the recorded steps are longer" in found
    assert found.endswith("but one recording a side does not settle step time.")


def test_fusion_is_told_with_its_saving(pair):
    found = headline(pair("seed-mlp_eager_shapes", "seed-mlp_compile_shapes"))

    assert found.startswith(
        "GPU work changed, 5 kernels a step became 4: GPU time fell by 12 % (234.9 us to 206.4 us), because gelu and mul "
        "became 1 kernel instead of 2, which saves 100.7 MB of memory traffic."
    )


def test_a_saving_without_shapes_is_not_said(pair):
    assert "memory traffic" not in everything(pair("seed-mlp_eager", "seed-mlp_compile"))


def test_bert_gets_slower_on_the_gpu_and_shorter_on_the_clock(pair):
    found = headline(pair("hf-bert_eager", "hf-bert_compile"))

    assert "GPU time rose by 33 % (415.5 us to 553.9 us), mostly because attention became 7 kernels" in found
    assert "2 of them fp32 GEMMs (4 times)" in found
    assert "The arithmetic changed" in found
    assert "The recorded steps are still shorter because the CPU sets the pace" in found
    assert "one recording a side does not settle step time" in found


def test_other_arithmetic_is_named(pair):
    assert "The arithmetic changed (fp32 to tf32): the two runs do not compute the same numbers." in headline(
        pair("fp_versions-mlp_fp32_highest", "fp_versions-mlp_fp32_high")
    )


def test_equal_arithmetic_is_not_mentioned(pair):
    assert "arithmetic" not in everything(pair("seed-mlp_eager", "seed-mlp_compile"))


def test_other_code_under_one_name_is_the_cause(pair):
    found = headline(pair("twins-twin_mul2_add1_compile", "twins-twin_mul3_add5_compile"))

    assert "the compiled kernel for add and mul has other code" in found


def test_graph_replay_is_told_beside_the_answer(pair):
    found = headline(pair("seed-mlp_eager_shapes", "modes-mlp_cuda_graph_manual"))

    assert "all 5 kernels of a step are proved equal; only the candidate launches by replaying a CUDA graph." in found


def test_guards_of_case_16_are_in_the_headline(case):
    found = headline(case(16, "eager.json", "compiled.json"))

    assert "Dynamo's cache lookup, in which guards are evaluated before anything is launched, takes 101.3 us" in found
    assert "because the CPU sets the pace" in found


def test_guards_that_matter_little_are_not_mentioned(pair):
    assert "guards" not in everything(pair("seed-mlp_eager_shapes", "seed-mlp_compile_shapes"))


def test_allocation_of_case_72_is_named_and_not_generalised(case):
    found = headline(case(72, "a.json", "b.json"))

    assert "Step 2 of the candidate holds one cudaMalloc in aten::max_pool2d_with_indices of 179.2 ms" in found
    assert "One call in one step is no property of the program." in found
    assert "GPU work is the same" in found


def test_data_loader_of_case_73_is_the_cause_and_not_the_kernels(case):
    found = headline(case(73, "workers_0.json", "workers_4.json"))

    assert "because of the data loader (52.5 ms to 907.2 us), not the kernels." in found
    assert "GPU work changed, 8 kernels a step became 16" in found


def test_compilation_of_case_18_is_mentioned(case):
    assert "compiled inside the recorded steps (step 5, 2.86 s)" in everything(
        case(18, "compiled.json", "compiled.json")
    )


def test_layout_conversions_of_case_10_are_called_so(case):
    found = headline(case(10, "contiguous.json", "channels_last.json"))

    assert "because 3 layout conversions were removed" in found


def test_fills_of_case_09_are_called_so(case):
    folder = case(9, "v2_0.json", "v2_1.json")

    assert "because 4 fill kernels were added" in headline(folder)


def test_attention_of_case_08_is_split(case):
    assert "because attention became 5 kernels, 2 of them bf16 GEMMs" in headline(case(8, "a.json", "b.json"))


def test_devices_that_differ_are_said_first():
    found = diff(b.run(GEMM), b.run(GEMM, device="NVIDIA A100-SXM4-80GB"))

    assert headline(found).startswith("The runs come from different devices (NVIDIA H200, NVIDIA A100-SXM4-80GB)")
    assert "different devices" not in everything(b.compare([GEMM], [GEMM]))


def test_a_side_without_gpu_events_is_not_compared(case):
    found = case(37, "with_gpu.json", "cpu_only.json")

    assert headline(found).startswith("GPU work cannot be compared: ")


def test_unproved_work_says_how_many_and_why(pair):
    found = headline(pair("seed-mlp_compile", "seed-mlp_compile_shapes"))

    assert found.startswith(
        "No difference in GPU work is seen, but 1 of 4 matches cannot be proved equal: no code hash"
    )


def test_a_copy_is_counted_as_one():
    found = b.compare([GEMM], [GEMM, memcpy(4096, operators=("aten::copy_",))])

    assert "1 memory copy was added" in everything(found)


def test_resized_work_is_told():
    found = b.compare([GELU], [b.replace(GELU, grid=(2 * 24576, 1, 1), dur_ns=64_000)])

    assert "gelu works on another amount of data" in headline(found)


def test_another_provider_is_told():
    found = b.compare([GEMM, GELU], [GEMM, b.triton("triton_poi_fused_gelu_0", 30.0)])

    assert "gelu comes from Inductor (Triton) instead of ATen" in headline(found)


def test_operators_without_compiling_left_and_came():
    found = everything(
        b.compare([b.replace(GEMM, operators=("aten::mm",))], [b.replace(GEMM, operators=("aten::mm_out",))])
    )

    assert "On the CPU side 1 operator (" in found
    assert "left and 1 (" in found
    assert "Compiling" not in found


def test_compiling_is_said_only_where_the_candidate_alone_is_compiled():
    compiled = b.replace(GEMM, operators=(*REGION, "aten::mm"))

    assert "Compiling " in everything(b.compare([GEMM], [compiled]))
    assert "Compiling " not in everything(b.compare([compiled], [GEMM]))


def test_more_regions_mean_graph_breaks():
    one = b.replace(GEMM, operators=("Torch-Compiled Region: 0/0", "aten::mm"))
    other = b.replace(GEMM, operators=("Torch-Compiled Region: 1/0", "aten::mm"))

    assert "runs 2 compiled regions instead of 1: between them lie graph breaks" in everything(
        b.compare([one, one], [one, other])
    )
    assert "graph breaks" not in everything(b.compare([one, one], [one, one]))


def test_a_region_compiled_again_is_no_graph_break():
    one = b.replace(GEMM, operators=("Torch-Compiled Region: 0/0", "aten::mm"))
    again = b.replace(GEMM, operators=("Torch-Compiled Region: 0/1", "aten::mm"))

    assert "graph breaks" not in everything(b.compare([one, one], [one, again]))


def biased(name):
    types = ["c10::BFloat16"] * 3
    args = {"Input Dims": [[3072], [8192, 768], [768, 3072]], "Input type": types}
    return b.replace(GEMM, name=name, operators=("aten::addmm",), operator_args=args)


def test_a_bias_that_left_the_epilogue_is_said():
    inside = biased("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT")
    plain = biased(GEMM.name)
    separate = kernel(
        "void cublasLt::epilogue::impl::globalKernel<8, 32, float, float, float, true, true, 1, false>(int, int, long, float*)",
        4.0,
        operators=("aten::addmm",),
        same_call_as_before=True,
    )

    assert "The bias of 1 product is done in a kernel of its own instead of in the epilogue of the GEMM." in everything(
        b.compare([inside], [plain, separate])
    )
    assert "product is done" not in everything(b.compare([inside], [inside]))


def test_more_reads_by_the_cpu_are_said():
    item = memcpy(8, name="Memcpy DtoH (Device -> Pageable)", operators=("aten::item", "aten::_local_scalar_dense"))

    assert "by aten::item 1 time a step instead of 0" in everything(b.compare([GEMM], [GEMM, item]))


def test_step_time_that_moves_against_gpu_time_is_said_with_its_reason():
    found = b.compare([GEMM, GELU, MUL], [GEMM, GELU_MUL])
    times = replace(found.times, gpu=call(0.8, "faster"), step=call(1.5, "slower"))
    paced = (replace(found.baseline, bound="cpu"), replace(found.candidate, bound="cpu"))
    text, _ = summarise(facts_of(found, times=times, baseline=paced[0], candidate=paced[1]))

    assert text.endswith("Still, step time rose by 50 % (100.0 us to 150.0 us), because the CPU sets the pace.")


def test_reason_of_an_opposed_step_time_needs_both_runs_to_wait_for_the_cpu():
    found = b.compare([GEMM, GELU, MUL], [GEMM, GELU_MUL])
    times = replace(found.times, gpu=call(0.8, "faster"), step=call(1.5, "slower"))
    text, _ = summarise(facts_of(found, times=times))

    assert "because the CPU sets the pace" not in text


def test_unsettled_times_say_what_would_settle_them():
    found = b.compare([GEMM, GELU, MUL], [GEMM, GELU_MUL])
    times = replace(found.times, gpu=call(0.8, "faster"), step=call(1.5, "inconclusive", recordings=(3, 3)))
    text, _ = summarise(facts_of(found, times=times))

    assert text.endswith(
        "The recorded steps are still longer (100.0 us to 150.0 us); 6 recordings do not settle step time."
    )


def test_without_values_no_time_is_said():
    found = b.compare([GEMM], [GEMM])
    nothing = replace(call(1.0), baseline_ns=None, candidate_ns=None, ratio=None)
    times = replace(found.times, gpu=nothing, step=nothing)
    text, details = summarise(facts_of(found, times=times))

    assert "time" not in " ".join((text, *details)).replace("times", "")


def test_the_cause_must_explain_the_difference():
    found = b.compare([GEMM, GELU, MUL, ADD], [b.with_time(GEMM, 20.0), GELU_MUL, b.with_time(ADD, 19.9)])
    times = replace(found.times, gpu=call(0.5, "faster"))
    facts = facts_of(found, times=times)

    total = sum(match.delta_ns for match in found.matches)
    assert facts.leading is None or facts.leading.delta_ns * 3 <= total


def test_many_small_causes_of_one_kind_are_put_together(pair):
    found = headline(pair("train-train_lm_bf16_eager", "train-train_lm_bf16_compile"))

    assert "GPU time fell by 25 % (3.95 ms to 2.98 ms), mostly because kernels were fused in 27 places." in found


def test_nearly_all_is_not_called_all():
    assert percent(0.0012) == "99.9 %"
    assert percent(0.5) == "50 %"
    assert percent(2.5) == "150 %"


def test_a_multiple_is_said_instead_of_a_large_percentage(case):
    found = case(14, "cublas_12_1_0.json", "cublas_12_1_3.json")

    assert "GPU time rose to 234 times as much (26.2 us to 6.11 ms)" in headline(found)


PAIRS = [
    ("seed-linear_bf16_eager", "seed-linear_bf16_compile"),
    ("hf-bert_eager", "hf-bert_compile"),
    ("train-train_lm_bf16_eager", "train-train_lm_bf16_compile"),
    ("vision-resnet18_nchw_eager", "vision-resnet18_nchw_compile"),
    ("seed-mlp_compile_shapes", "modes-mlp_compile_max-autotune-no-cudagraphs"),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_headline_is_short_and_names_no_generated_kernel(pair, one, other):
    found = pair(one, other)

    assert 1 <= headline(found).count(". ") + 1 <= MOST_SENTENCES + 1
    assert "triton_" not in everything(found)
    assert "  " not in everything(found)
    assert headline(found).endswith(".")


def test_every_row_of_the_table_says_when_it_speaks():
    assert all(sentence.say.__doc__ for sentence in SENTENCES)


def test_names_and_counts_read_as_people_write_them():
    assert person_name("aten::_scaled_dot_product_cudnn_attention") == "attention"
    assert person_name("aten::native_layer_norm") == "layer_norm"
    assert person_name("aten::_unsafe_view") is None
    assert listed(["gelu", "mul"]) == "gelu and mul"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert count(1, "match", "matches") == "1 match"
    assert percent(0.88) == "12 %"


def test_a_hostile_name_passes_through_as_text():
    name = "triton_poi_fused_</script>_0"
    found = b.compare([kernel(name, 3.0)], [kernel(name, 3.0), kernel("x\u202e", 2.0)])

    assert headline(found)
