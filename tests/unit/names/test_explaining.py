"""What a person and what a program is told of a name."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

import kerneldiff.names as package
from kerneldiff.names import as_json, decode, explain, frames, heavy, proved_epilogue
from kerneldiff.names.contract import KEYS
from kerneldiff.names.labels import LONGEST

from .corpus import calls, real_names

NVJET = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT"
GELU = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
    "at::native::GeluType)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() const::"
    "{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int)"
)
FACTS = (
    "family", "library", "op", "layout", "dtype_in", "dtype_acc", "dtype_out", "tile", "stages", "split_k", "epilogue",
    "arch", "fused_ops", "auxiliary", "jit",
)  # fmt: skip


def test_public_names_are_sorted_and_there():
    assert package.__all__ == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)


@pytest.mark.parametrize(
    "module", ["spelling", "decoding", "operations", "operators", "explaining", "epilogues", "contract"]
)
def test_examples_in_docstrings_hold(module):
    assert doctest.testmod(import_module(f"kerneldiff.names.{module}")).failed == 0


def test_explanation_has_parts_frames_and_the_proved_epilogue():
    explained = explain(NVJET)

    assert [piece.text for piece in explained.pieces] == [
        "sm90", "tst", "256", "128", "64", "4", "1x2", "h", "bz", "coopA", "bias", "TN", "T",
    ]  # fmt: skip
    assert explained.frames.cublas.layout == "tn"
    assert explained.frames.cublas.tile == (256, 128, 64)
    assert explained.frames.pytorch.layout == "nt"
    assert explained.frames.pytorch.tile == (128, 256, 64)
    assert explained.proved == "bias"


def test_a_linear_is_plain_times_transposed_for_pytorch():
    # F.linear multiplies by the transpose of its weight: x as stored, w transposed
    for call in calls("gemm_calls.jsonl.gz"):
        for event in call["gpu_events"]:
            decoded = decode(event["name"])
            both = frames(decoded)
            if decoded.op == "gemm" and both and both.pytorch.layout and min(call["M"], call["N"], call["K"]) > 1:
                assert both.pytorch.layout == call["layout"]


@pytest.mark.parametrize(
    "name", ["triton_poi_fused_relu_0", "attn_fwd", "Memset (Device)", "fmha_cutlassF_bf16_aligned_64x128_rf_sm80"]
)
def test_only_products_have_frames(name):
    assert frames(decode(name)) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT", "bias"),
        ("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_relubias_TNT", "bias+relu"),
        ("nvjet_sm90_tst_64x16_64x16_2x1_v_bz_splitK_gelubias_NNT", "bias+gelu"),
        ("nvjet_sm90_tst_64x8_64x16_1x2_h_badd_TNT", "beta"),
        ("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_TNT", "none"),
        ("nvjet_sm90_tst_64x16_64x16_2x1_v_bx_splitK_NNT", None),
        ("nvjet_sm90_qqtst_128x128_128x6_1x2_h_bz_ovscale_bias_TNT", "bias"),
        ("nvjet_sm90_qqtst_128x128_128x6_1x2_h_bz_ovscale_TNT", "none"),
        ("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x64_32x4_nn_align8", None),
        ("cutlass3x_sm100_simt_sgemm_f32_f32_f32_f32_f32_32x32x16_1x1x1_3_nnn_align1_bias_f32_relu", None),
        ("ampere_fp16_s16816gemm_fp16_128x128_ldg8_relu_f2f_stages_64x4_tn", None),
        ("triton_poi_fused_addmm_relu_0", None),
    ],
)
def test_a_capability_proves_no_epilogue(name, expected):
    assert proved_epilogue(decode(name)) == expected


def test_json_has_the_keys_of_the_contract():
    value = as_json(decode(NVJET))

    assert tuple(value) == KEYS
    assert value["tile"] == [256, 128, 64]
    assert value["fused_ops"] is None
    assert as_json(decode("triton_poi_fused_gelu_mul_0"))["fused_ops"] == ["gelu", "mul"]


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("gemm", True), ("gemv", True), ("conv_wgrad", True), ("attention_bwd", True), ("moe_gemm", True),
        ("softmax", False), ("splitk_reduce", False), (None, False), ("nonsense", False),
    ],
)  # fmt: skip
def test_heavy_operations_multiply_matrices(op, expected):
    assert heavy(op) is expected


def test_names_that_differ_in_facts_never_share_a_label():
    facts_of: dict[str, tuple[object, ...]] = {}
    names = [name for name, _ in real_names()]
    for source in ("gemm_calls.jsonl.gz", "scaled_mm_calls.jsonl.gz"):
        names += [event["name"] for call in calls(source) for event in call["gpu_events"]]
    for name in names:
        decoded = decode(name)
        facts = tuple(getattr(decoded, field) for field in FACTS)
        assert facts_of.setdefault(decoded.label, facts) == facts, decoded.label
        assert len(decoded.label) <= LONGEST


@pytest.mark.parametrize(
    ("name", "label"),
    [
        (NVJET, "nvjet gemm bf16 tn 256x128x64 s4 +bias"),
        ("nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT", "nvjet gemm bf16 tn 64x8x64 s16 splitk sm?"),
        ("triton_poi_fused_gelu_mul_0", "inductor pointwise gelu,mul"),
        ("_rms_norm_forward_kernel", "triton _rms_norm_forward_kernel"),
        ("Memset (Device)", "cuda memset"),
        (
            GELU,
            "aten gelu_tanh bf16",
        ),
        (
            "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x64_32x4_nn_align8",
            "cublas/cutlass2 gemm bf16 nn 256x64x32 s4 (relu) sm80",
        ),
    ],
)
def test_labels_are_short_and_speak(name, label):
    assert decode(name).label == label


@pytest.mark.parametrize(
    "name", ["triton_poi_fused_add_0", "my_kernel", "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1"]
)
def test_kernels_compiled_at_run_time_are_marked(name):
    assert decode(name).jit


@pytest.mark.parametrize(
    "name",
    [
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4_execute_split_k_kernel__5x_cublas",
        "void cublasLt::epilogue::impl::globalKernel<8, 32, float, float, float, true, false, 1>(int)",
        "void splitKreduce_kernel<float, float, float>(cublasSplitKParams<float>)",
        "void nchwToNhwcKernel<float, float, float, true, false, (cudnnKernelDataType_t)0>(int)",
        "cask_cudnn::computeBOffsetsKernel(cask_cudnn::ComputeBOffsetsParams)",
        "Memset (Unknown)",
        "void scal_kernel<float, float, 1, true, 6, 5, 5, 3>(cublasTransposeParams<float>)",
    ],
)
def test_helpers_of_other_kernels_are_marked(name):
    assert decode(name).auxiliary


def test_flag_of_reductions_and_epilogues_marks_bias_and_relu():
    # the flag is true for bias and bias + relu, false for all else, gelu included
    for call in calls("gemm_calls.jsonl.gz"):
        for event in call["gpu_events"]:
            pieces = explain(event["name"]).pieces
            if decode(event["name"]).op == "gemm_epilogue" or "splitKreduce" in event["name"]:
                assert pieces[1].text == ("true" if call["epilogue"] in ("bias", "bias_relu") else "false")
                assert pieces[1].certainty == "measured"
