"""What is spelling and what is another kernel."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kerneldiff.names import decode, normalise, without_number

from .corpus import real_names

SAME = [
    ("f<4>(int)", "f<(int)4>(int)"),
    ("f<4096ul>(int)", "f<(unsigned long)4096>(int)"),
    ("f<false, true>(int)", "f<(bool)0, (bool)1>(int)"),
    ("f<-1>(int)", "f<(int)-1>(int)"),
    ("f<g<int> >(int)", "f<g<int>>(int)"),
    ("f((anonymous namespace)::T)", "f(<unnamed>::T)"),
    ("f<g()::{lambda()#1}>(int)", "f<g()::[lambda() (instance 1)]>(int)"),
    ("f<g()::{lambda(float, bool)#2}>(int)", "f<g()::[lambda(float, bool) (instance 2)]>(int)"),
    ("f<at::detail::Array<char*, 2> >(int)", "f<std::array<char*, 2ul> >(int)"),
    ("f(at::TensorIterator&)", "f(at::TensorIteratorBase&)"),
    (
        "f<at::native::(anonymous namespace)::direct_copy_kernel_cuda(int)>()",
        "f<at::native::direct_copy_kernel_cuda(int)>()",
    ),
    ("rocprim::ROCPRIM_400200_NS::detail::f<int>(int)", "rocprim::ROCPRIM_400001_NS::detail::f<int>(int)"),
    ("attn_fwd.kd", "attn_fwd"),
    ("Memset (Device)", "Memset (Unknown)"),
    ("_ZN5aiter24bf16gemm_bf16_tn_256x256E", "aiter::bf16gemm_bf16_tn_256x256"),
    ("f(float *, int)", "f(float*,int)"),
]
DIFFERENT = [
    ("f<g()::{lambda()#1}>(int)", "f<g()::{lambda()#2}>(int)"),
    ("f<4>(int)", "f<8>(int)"),
    ("f<true>(int)", "f<false>(int)"),
    ("f<float>(int)", "f<double>(int)"),
    ("f<(cudnnKernelDataType_t)0>(int)", "f<(cudnnKernelDataType_t)2>(int)"),
    ("f<2u, 128>(int)", "f<4u, 128>(int)"),
    ("at::(anonymous namespace)::f<int>(int)", "at::f<int>(int)"),
    ("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_TNT", "nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT"),
    ("triton_poi_fused_relu_0", "triton_poi_fused_relu_1"),
    ("Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pageable -> Device)"),
    ("a1u", "a1"),
    ("f(int)", "f(int, int)"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_spelling_alone_makes_no_difference(first, second):
    assert normalise(first) == normalise(second)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_another_kernel_stays_another(first, second):
    assert normalise(first) != normalise(second)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("triton_poi_fused_relu_0", "triton_poi_fused_relu"),
        ("triton_red_fused__to_copy_add_12", "triton_red_fused__to_copy_add"),
        ("triton_poi_fused_0", "triton_poi_fused"),
        ("triton_tem_fused_mm_5", "triton_tem_fused_mm"),
        ("triton_poi_fused_relu", "triton_poi_fused_relu"),
        ("my_kernel_0", "my_kernel_0"),
        ("triton__0d1d2d", "triton__0d1d2d"),
        ("triton_mm", "triton_mm"),
        ("", ""),
    ],
)
def test_number_of_an_inductor_kernel_is_taken_off(name, expected):
    assert without_number(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        "void at::native::vectorized_elementwise_kernel<4, at::na...",
        "triton_poi_fused_add_mul_na...",
        "nvjet_sm90_tst_64x8_64x16...",
        "something\u2026",
        "a" * 9000,
    ],
)
def test_cut_names_say_so(name):
    assert decode(name).cut


def test_whole_names_are_not_called_cut():
    assert not decode("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_TNT").cut


def test_mangled_names_keep_their_raw_text():
    decoded = decode("_ZN5aiter24bf16gemm_bf16_tn_256x256E")

    assert decoded.name == "_ZN5aiter24bf16gemm_bf16_tn_256x256E"
    assert decoded.demangled == "aiter::bf16gemm_bf16_tn_256x256"


@pytest.mark.parametrize("name", ["_Z", "_ZN", "_Zoops", "_ZN5aiter", "_Z\x00", "__Z1fv"])
def test_names_that_only_look_mangled_are_kept(name):
    assert decode(name).name == name


def test_descriptor_suffix_does_not_hide_the_kernel():
    assert decode("attn_fwd.kd").op == "attention_fwd"


def test_control_characters_do_not_reach_a_label():
    assert decode("evil\x1b[31mname\n").label.isprintable()


def as_nsight_writes(name):
    """The same kernel as Nsight Systems spells it."""
    text = re.sub(r"(?<=[<, ])(\d+)ul(?=[,>])", r"(unsigned long)\1", name)
    text = re.sub(r"(?<=[<, ])(\d+)u(?=[,>])", r"(unsigned int)\1", text)
    text = re.sub(r"(?<=[<, ])(-?\d+)(?=[,>])", r"(int)\1", text)
    text = re.sub(r"(?<=[<, ])true(?=[,>])", "(bool)1", text)
    text = re.sub(r"(?<=[<, ])false(?=[,>])", "(bool)0", text)
    text = text.replace("(anonymous namespace)", "<unnamed>")
    return re.sub(r"\{lambda\(([^()]*)\)#(\d+)\}", r"[lambda(\1) (instance \2)]", text)


def test_another_spelling_has_the_same_facts_and_the_same_identity():
    for name, _ in real_names():
        respelled = as_nsight_writes(name)
        assert normalise(respelled) == normalise(name)
        facts = replace(decode(name), name="", demangled=None, parts=(), unparsed=None)
        assert replace(decode(respelled), name="", demangled=None, parts=(), unparsed=None) == facts
