"""What one kernel does by itself, and what only looks as if it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders import GELU, GELU_MUL, GEMM, MUL, Kernel, kernel, memcpy, run, triton
from kerneldiff.checks.facts import doing, fused, launched_by
from kerneldiff.pipeline import load

PAIRS = Path(__file__).parents[2] / "data" / "pairs" / "traces"

ADDMM = kernel("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT", operators=("aten::linear", "aten::addmm"))
ADDMM_BIAS = kernel("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT", operators=("aten::linear", "aten::addmm"))
EPILOGUE = kernel(
    "void cublasLt::epilogue::impl::globalKernel<8, 32, float, float, float, true, true, 1>(int)",
    operators=("aten::linear", "aten::addmm"),
    same_call_as_before=True,
)
MATH = ("aten::scaled_dot_product_attention", "aten::_scaled_dot_product_attention_math")
SOFTMAX = kernel(
    "void at::native::(anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 8, false, false>(int)",
    operators=(*MATH, "aten::softmax", "aten::_softmax"),
)
BMM = kernel("nvjet_sm90_tst_128x128_64x4_1x2_h_bz_coopA_NNT", operators=(*MATH, "aten::matmul", "aten::bmm"))
FLASH = kernel(
    "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>, false>(Flash_fwd_params)",
    operators=("aten::scaled_dot_product_attention", "aten::_flash_attention_forward"),
)


@pytest.mark.parametrize(
    ("kernels", "operators", "answer"),
    [
        ([GEMM, GELU_MUL], ("gelu", "mul"), True),
        ([GEMM, GELU, MUL], ("gelu", "mul"), False),
        ([ADDMM_BIAS], ("mm", "add"), True),
        ([ADDMM], ("mm", "add"), True),
        ([ADDMM, EPILOGUE], ("mm", "add"), False),
        ([memcpy(operators=("aten::addmm",)), kernel(ADDMM.name, operators=("aten::addmm",), same_call_as_before=True)], ("mm", "add"), False),
        ([FLASH], ("bmm", "softmax"), True),
        ([BMM, SOFTMAX, BMM], ("bmm", "softmax"), False),
        ([triton("triton_per_fused_add_native_layer_norm_0")], ("add", "layer_norm"), True),
        ([triton("triton_poi_fused_addmm_relu_0")], ("mm", "relu"), False),
    ],
)  # fmt: skip
def test_operators_are_fused_when_one_kernel_does_them_all(
    kernels: list[Kernel], operators: tuple[str, ...], *, answer: bool
) -> None:
    assert bool(fused(run(*kernels), operators)) is answer


def test_a_hand_written_kernel_is_known_by_what_its_name_says() -> None:
    assert fused(load(PAIRS / "seed-mlp_liger_eager.json.gz"), ("gelu", "mul"))


def test_naive_attention_is_not_taken_for_a_fused_one() -> None:
    assert doing(run(BMM, SOFTMAX, BMM), "scaled_dot_product_attention") == []
    assert doing(run(FLASH), "scaled_dot_product_attention") == [0]


def test_launches_of_an_operator_are_those_inside_it_too() -> None:
    assert launched_by(run(GEMM, GELU), "linear") == [0]
    assert launched_by(run(GEMM, GELU), "aten::gelu") == [1]
