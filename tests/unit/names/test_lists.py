"""The long lists: hand-checked decodes, and products of known type, layout and epilogue."""

from __future__ import annotations

import pytest

from kerneldiff.names import decode, proved_epilogue

from .corpus import calls, labelled

FIELDS = (
    "library", "op", "layout", "dtype_in", "dtype_acc", "dtype_out", "tile", "stages", "split_k", "epilogue", "arch",
    "fused_ops",
)  # fmt: skip
ELEMENT = {"bf16": "bf16", "fp16": "f16", "fp32": "f32", "tf32": "tf32", "fp64": "f64"}
EIGHT_BITS = {"float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}
OUT = {"bfloat16": "bf16", "float16": "f16", "float32": "f32", "float8_e4m3fn": "e4m3"}


def shown(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ("x" if value and isinstance(value[0], int) else ",").join(map(str, value))
    return str(value)


def test_checked_decodes_are_met():
    wrong = []
    for row in labelled():
        decoded = decode(row["name"])
        for field in FIELDS:
            have, want = shown(getattr(decoded, field)), row[field]
            # TF32 products read f32 tensors; the list calls some of them f32
            same = have == want or (field == "dtype_in" and {have, want} == {"f32", "tf32"})
            if want and not same:
                wrong.append((row["name"][:60], field, want, have))

    assert wrong == []


def products(call):
    names = [decode(event["name"]) for event in call["gpu_events"]]
    return [decoded for decoded in names if decoded.op in ("gemm", "gemv")]


@pytest.mark.parametrize("source", ["gemm_calls.jsonl.gz", "scaled_mm_calls.jsonl.gz"])
def test_every_call_has_one_product(source):
    assert [call for call in calls(source) if len(products(call)) != 1] == []


def test_types_and_layouts_of_calls_are_read():
    for call in calls("gemm_calls.jsonl.gz"):
        (product,) = products(call)
        tf32_by_plain_means = call["dtype"] == "tf32" and product.dtype_in == "f32"
        assert product.dtype_in == ELEMENT[call["dtype"]] or tf32_by_plain_means
        if product.op == "gemm" and min(call["M"], call["N"], call["K"]) > 1:
            # cuBLAS is column-major: its first operand is PyTorch's second
            assert product.layout == call["layout"][::-1]


def test_everything_beside_the_product_is_a_helper():
    for call in calls("gemm_calls.jsonl.gz"):
        for event in call["gpu_events"]:
            decoded = decode(event["name"])
            assert decoded.auxiliary or decoded.op in ("gemm", "gemv", "memcpy_d2d"), event["name"][:80]


def test_nvjet_proves_the_epilogue_that_ran():
    ran = {"bias": "bias", "bias_relu": "bias+relu", "bias_gelu": "bias+gelu", "none": "none", "bmm": "none"}
    for call in calls("gemm_calls.jsonl.gz"):
        (product,) = products(call)
        if product.family != "nvjet":
            assert proved_epilogue(product) is None
        elif call["epilogue"] == "bias2d":
            assert proved_epilogue(product) in ("beta", None)
            assert (proved_epilogue(product) is None) == (product.split_k is True)
        else:
            assert proved_epilogue(product) == ran[call["epilogue"]]


def test_eight_bit_letters_tell_e4m3_from_e5m2():
    for call in calls("scaled_mm_calls.jsonl.gz"):
        (product,) = products(call)
        operands = dict.fromkeys((EIGHT_BITS[call["second"]], EIGHT_BITS[call["first"]]))
        assert product.dtype_in == ",".join(operands)
        assert product.dtype_out == OUT[call["out"]]
        assert proved_epilogue(product) == ("bias" if call["bias"] else "none")
        assert ("algo2" in product.name.split("_")) == (not call["fast_accumulation"])
        assert ("ovscale" in product.name.split("_")) == call["rowwise"]
