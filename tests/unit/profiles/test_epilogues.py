"""Where bias and activation of products were done, with the proof."""

from __future__ import annotations

import builders as b
from builders import GEMM, kernel, memcpy
from kerneldiff.pipeline import load

BF16 = "c10::BFloat16"
ADDMM = {"Input Dims": [[3072], [8192, 768], [768, 3072], [], []], "Input type": [BF16, BF16, BF16, "Scalar", "Scalar"]}
MATRIX = {"Input Dims": [[8192, 3072], [8192, 768], [768, 3072], [], []], "Input type": ADDMM["Input type"]}
OUT_BYTES = 8192 * 3072 * 2
RELU = kernel(
    "void at::native::vectorized_elementwise_kernel<8, at::native::(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, "
    "c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)::{lambda()#1}::operator()() const::{lambda()#9}::operator()() const::"
    "{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int)",
    20.0,
    operators=("aten::relu", "aten::clamp_min"),
    operator_args={"Input Dims": [[8192, 3072], []], "Input type": [BF16, "Scalar"]},
)


def gemm(name=GEMM.name, args=ADDMM, **more):
    return b.replace(GEMM, name=name, operators=("aten::linear", "aten::addmm"), operator_args=args, **more)


def found(*kernels):
    return b.run(*kernels).explained.epilogues


BIASED = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT"


def test_a_bias_in_the_kernels_name_is_in_the_epilogue():
    (one,) = found(gemm(BIASED))

    assert (one.what, one.place, one.by, one.bytes_to_save) == ("bias", "gemm-epilogue", None, 0)
    assert "name" in one.proof


def test_a_silent_name_alone_in_its_call_did_it_all_the_same():
    (one,) = found(gemm())

    assert (one.what, one.place) == ("bias", "one-kernel")
    assert "name does not tell" in one.proof


def test_a_matrix_is_copied_and_accumulated_on():
    copy = memcpy(OUT_BYTES, operators=("aten::addmm",), operator_args=MATRIX)
    (one,) = found(copy, gemm(args=MATRIX, same_call_as_before=True))

    assert (one.what, one.place, one.by) == ("addend", "copied-and-accumulated", 0)
    assert one.bytes_to_save == 2 * OUT_BYTES


def test_a_bias_may_be_in_the_split_k_reduction():
    reduction = kernel(
        "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16, true, true, false>(cublasLt::cublasSplitKParams<float>, "
        "float const*, __nv_bfloat16 const*, __nv_bfloat16*, float const*, float const*, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, "
        "void*, long, float*, int*, float*, float*)",
        4.0,
        operators=("aten::addmm",),
        same_call_as_before=True,
    )
    (one,) = found(gemm(), reduction)

    assert (one.place, one.by, one.bytes_to_save) == ("split-k-reduction", 1, 0)


def test_cublas_epilogue_as_a_kernel_of_its_own():
    separate = kernel(
        "void cublasLt::epilogue::impl::globalKernel<8, 32, float, float, float, true, true, 1, false>(int, int, long, float*)",
        4.0,
        operators=("aten::addmm",),
        same_call_as_before=True,
    )
    (one,) = found(gemm(), separate)

    assert (one.place, one.by, one.bytes_to_save) == ("separate-kernel", 1, 2 * OUT_BYTES)


def test_an_activation_behind_the_product_is_a_kernel_of_its_own():
    bias, activation = found(gemm(BIASED), RELU)

    assert (activation.what, activation.place, activation.by) == ("relu", "separate-kernel", 1)
    assert activation.bytes_to_save == 2 * OUT_BYTES
    assert bias.place == "gemm-epilogue"


def test_an_activation_of_something_else_is_none_of_the_products_business():
    other = b.replace(RELU, operator_args={"Input Dims": [[8192, 512], []], "Input type": [BF16, "Scalar"]})

    assert [one.what for one in found(gemm(BIASED), other)] == ["bias"]


def test_without_shapes_the_saving_is_not_known():
    bias, activation = found(gemm(BIASED, args={}), b.replace(RELU, operator_args={}))

    assert bias.bytes_to_save == 0
    assert activation.bytes_to_save is None
    assert "shapes were not recorded" in activation.proof


def test_a_product_without_bias_has_no_epilogue_to_speak_of():
    assert found(GEMM, GEMM) == ()


def test_the_bias_of_a_convolution_is_an_add_of_its_own():
    outer = ("aten::conv2d", "aten::convolution", "aten::_convolution")
    conv = kernel(
        "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3_kernel_cudnn",
        60.0,
        operators=(*outer, "aten::cudnn_convolution"),
    )
    add = b.replace(b.ADD, operators=(*outer, "aten::add_"))
    other_add = b.replace(b.ADD, operators=("aten::add_",))

    (one,) = found(conv, add)
    assert (one.what, one.place, one.by) == ("bias", "separate-kernel", 1)
    assert found(conv, other_add) == ()


def test_a_scaled_product_has_a_bias_only_where_it_is_given():
    def scaled(bias):
        types = ["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "float", bias, "", "Scalar", "Scalar"]
        args = {"Input Dims": [[64, 32], [32, 16], [], [], [16] if bias else [], [], [], []], "Input type": types}
        return b.replace(GEMM, operators=("aten::_scaled_mm",), operator_args=args)

    assert [one.what for one in found(scaled(BF16))] == ["bias"]
    assert found(scaled("")) == ()


def test_every_linear_of_bert_has_its_bias_in_the_epilogue(data):
    run = load(data / "pairs" / "traces" / "hf-bert_eager.json.gz")
    biases = [one for one in run.explained.epilogues if one.what == "bias"]

    assert len(biases) == 25
    assert {one.place for one in biases} == {"gemm-epilogue"}


def test_matmul_and_add_of_case_02_became_a_copy_and_an_accumulation(data):
    run = load(data / "cases" / "02-matmul-add-hidden-copy" / "compiled.json")

    (one,) = run.explained.epilogues
    assert (one.place, run.events[one.by].kind) == ("copied-and-accumulated", "memcpy")
