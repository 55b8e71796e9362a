"""What holds for any text: decoding never raises, is deterministic, and stays inside the name."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kerneldiff.names import as_json, decode, explain, normalise, without_number
from kerneldiff.names.contract import KEYS
from kerneldiff.names.labels import LONGEST

from .corpus import real_names

HEADS = [
    "nvjet_", "nvjet_sm90_tst_64x8_", "triton_poi_fused_", "triton_", "Cijk_Alik_Bljk_", "sm90_xmma_gemm_",
    "void at::native::vectorized_elementwise_kernel<4, ", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<",
    "cutlass_80_tensorop_", "cutlass3x_sm90_tensorop_", "ampere_bf16_s16816gemm_", "void cublasLt::splitKreduce_kernel<",
    "ncclDevKernel_", "_ZN5aiter", "_Z", "_ZN2ck", "fmha_cutlassF_", "bmm_", "fmhaSm100aKernel_Q", "igemm_fwd_gtcx2_nhwc_",
    "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<", "void deep_gemm::", "void cub::Device", "_matmul_ogs_NNT_",
    "cudnn_generated_oss_sdpa_", "volta_scudnn_", "Memcpy ", "void marlin::Marlin<", "at::native::", "aiter::fmoe_", "",
]  # fmt: skip
SYNTAX = st.text(alphabet="<>(){}[]:,_ x0123456789abNT&*-#.", max_size=60)
NAMES = st.one_of(
    st.text(max_size=80),
    st.builds(str.__add__, st.sampled_from(HEADS), st.one_of(st.text(max_size=40), SYNTAX)),
    st.builds(
        lambda pair, cut, tail: pair[0][: cut % (len(pair[0]) + 1)] + tail,
        st.sampled_from(real_names()),
        st.integers(0, 400),
        st.one_of(st.just("..."), SYNTAX),
    ),
)


@given(NAMES)
@settings(max_examples=600, deadline=None)
def test_decode_never_raises_and_answers_in_bounds(name):
    decoded = decode(name)
    text = decoded.demangled or name
    ends = [0]
    for part in decoded.parts:
        assert ends[-1] <= part.start < part.end <= len(text)
        ends.append(part.end)

    assert decoded.name == name
    assert decoded == decode.__wrapped__(name)
    assert decoded.label.isprintable()
    assert 0 < len(decoded.label) <= LONGEST
    assert tuple(as_json(decoded)) == KEYS


@given(NAMES)
@settings(max_examples=300, deadline=None)
def test_normalise_is_idempotent(name):
    once = normalise(name)

    assert normalise(once) == once


@given(NAMES)
@settings(max_examples=200, deadline=None)
def test_explanations_quote_the_name(name):
    explained = explain(name)

    assert all(explained.text[piece.start : piece.end] == piece.text for piece in explained.pieces)


@given(st.text(max_size=30))
def test_a_number_is_taken_off_inductor_names_only(name):
    shortened = without_number(name)

    assert name.startswith(shortened)
    assert shortened == name or name.startswith("triton_")


HOSTILE = [
    "<" * 8192, "(" * 8192, "a<" * 4096, "{lambda(" * 1000, "[lambda(" * 900, "nvjet_" + "_" * 8000,
    "nvjet_sm90_tst_64x8_64x16_1x2" + "_a" * 4000, "triton_poi_fused_" + "add_" * 2000 + "0",
    "triton_poi_fused_" + "zz_" * 2600 + "0", "triton_poi_fused_" + "_to_copy_" * 900, "triton__" + "0d" * 4000,
    "volta_sgemm_" + "a_" * 4000 + "nn", "ampere_bf16_s16816gemm_bf16_128x64" + "_a" * 4000,
    "cutlass_80_tensorop_" + "f16_" * 2000, "sm80_xmma_gemm_" + "bf16" * 2000, "Cijk_Alik_Bljk_" + "B_" * 4000,
    "cutlass3x_sm90_tensorop_" + "gemm_" * 1600, "cutlass3x_sm90_tensorop_" + "a1_" * 2700, "bmm_" + "Fp16_" * 1600,
    "fmhaSm100fKernel_QkvFp16OFp16H64" + "P1" * 4000, "ncclDevKernel_AllReduce_Sum_" + "a_" * 4000,
    "ncclSymkDevKernel_A_" + "sum_" * 2000, "igemm_fwd_gtcx2_nhwc_bf16_" + "bx1_" * 2000,
    "_matmul_ogs_NNT_" + "bf16x" * 1600, "aiter::fmoe_bf16_pertoken" + "_a" * 4000,
    "cudnn_generated_oss_sdpa_sm90_flash_fprop_" + "f16_" * 2000, "volta_scudnn_1x1" + "_a" * 4000,
    "fmha_cutlassF_bf16_aligned_1x1_rf" + "_a" * 4000, "at::native::elementwise_kernel<" + "{lambda(" * 1000,
    "at::native::reduce_kernel<1,ReduceOp<" * 200, "x" * 8192, "_" * 8192, "a_" * 4096, "(int)" * 1600 + "4", "> " * 4000,
    " ," * 4000, "f<" + "1u," * 2700 + ">", "flash::x<" + "Flash_fwd_kernel_traits<" * 300, "x" * 100_000,
    "dgemm_sm35" + "_a1" * 2700, "_Z" + "N" * 8000, "_ZN" + "1a" * 4000,
    "f(int" + "," * 8000 + ")", "f(int" + " " * 8000 + ")", "volta_sgemm_" + "1" * 8000 + "x64_nn", "Memcpy HtoD (" + "a" * 8000,
    "fmhaSm100aKernel_QkvE4m3OBfloat16H64" + "PagedKv" * 1000, "sm90_xmma_gemm_" + "1" * 8000, "triton_poi_fused_" + "1" * 8000,
    "_Z1f1AIiiE" + "".join(f"S_IS{k}_S{k}_E" for k in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: f"{name[:30]}-{len(name)}")
def test_hostile_names_are_read_quickly(name):
    start = time.process_time()
    decode.__wrapped__(name)
    normalise.__wrapped__(name)
    explain(name)

    assert time.process_time() - start < 1.0
