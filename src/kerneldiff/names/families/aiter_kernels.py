"""AITER, AMD's inference kernels: assembly whose fields are in the name, and C++ templates in ``aiter::``."""

from __future__ import annotations

import re

from kerneldiff.names.cxx import signature
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import Note, from_groups, ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type, short_type

_GEMM = Pattern(
    r"(?:aiter::)?(?P<input>bf16|fp16|f16|fp8|i8|I8|f4|fp4)gemm_(?P<out>fp32|bf16|fp16|f16)(?P<second>bf16|fp16|fp8)?"
    r"(?P<quantised>_(?:per\w+?|blockscale))?(?P<options>(?:_BpreShuffle)?)(?:_(?P<layout>[tn]{2}))?_(?P<m>\d+)x(?P<n>\d+)(?P<rest>\w*)"
)
_MOE = Pattern(
    r"(?:aiter::)?fmoe(?:_stage(?P<stage>\d))?_(?P<out>bf16|fp16)(?P<options>(?:_a\d+)?)_(?P<scale>pertoken|blockscale|per1x32|noquant)"
    r"(?P<weight>Fp8|Bf16|Int8|MXfp4|Fp4|Int4)?(?P<rest>\w*?)_(?P<m>\d+)x(?P<n>\d+)(?P<tail>(?:_\w+)?)"
)
_ATTENTION = Pattern(
    r"(?:aiter::)?fmha_(?P<direction>fwd|bwd)(?:_v\d+)?_hd(?P<head>\d+)(?:x\d+)?(?P<middle>(?:_\w+?)??)_(?P<type>bf16|fp16|fp8)(?P<rest>\w*)"
)
_WEIGHTS = {"Fp8": "fp8", "Bf16": "bf16", "Int8": "i8", "MXfp4": "mxfp4", "Fp4": "fp4", "Int4": "i4"}
_GEMM_NOTES: dict[str, Note] = {
    "input": ("type of the operands", "inferred"),
    "out": ("type of the output", "inferred"),
    "quantised": ("what one scale covers", "inferred"),
    "layout": ("operands A and B", "inferred"),
    "m": ("rows of the tile", "inferred"),
    "n": ("columns of the tile", "inferred"),
    "rest": ("splitk: K is split; pf: prefetch depth; clean: zeroes its output first", "inferred"),
}
_MOE_NOTES: dict[str, Note] = {
    "stage": ("which of the two products", "inferred"),
    "out": ("type of activations", "inferred"),
    "scale": ("what one scale covers", "inferred"),
    "weight": ("type that is multiplied", "inferred"),
    "rest": ("g1u1: gate and up projection; the activation; scheduling", "inferred"),
    "m": ("rows of the tile", "inferred"),
    "n": ("columns of the tile", "inferred"),
}
_OPS: tuple[tuple[str, str], ...] = (
    ("rmsnorm", "rms_norm"), ("rms_norm", "rms_norm"), ("layernorm", "layer_norm"), ("fmha_bwd", "attention_bwd"),
    ("fmha_fwd", "attention_fwd"), ("mla", "attention_fwd"), ("pa_", "attention_fwd"), ("paged_attention", "attention_fwd"),
    ("moe_sorting", "moe_routing"), ("topk", "topk"), ("fmoe", "moe_gemm"), ("gemm", "gemm"), ("quant", "quantize"),
    ("rope", "rope"), ("rotary", "rope"), ("reduce", "all_reduce"), ("act_and_mul", "elementwise"), ("cache", "kv_cache"),
)  # fmt: skip


def _parse(text: str) -> KernelName | None:
    for pattern, build in ((_GEMM, _gemm), (_MOE, _moe), (_ATTENTION, _attention)):
        found = pattern.fullmatch(text)
        if found is not None:
            return build(text, found)
    return _template(text) if "aiter::" in text else None


def _gemm(text: str, found: re.Match[str]) -> KernelName:
    word = found["input"].lower()
    element = "fp4" if word == "f4" else short_type(word) or word
    return KernelName(
        name=text,
        family="aiter",
        library="aiter",
        op="gemm",
        layout=found["layout"],
        dtype_in=element,
        dtype_acc="f32" if element in ("bf16", "f16") else None,
        dtype_out=short_type(found["out"]),
        tile=(int(found["m"]), int(found["n"])),
        split_k=True if "splitk" in found["rest"].lower() else None,
        parts=from_groups(found, _GEMM_NOTES),
    )


def _moe(text: str, found: re.Match[str]) -> KernelName:
    words = f"{found['rest']}{found['tail']}".split("_")
    return KernelName(
        name=text,
        family="aiter",
        library="aiter",
        op="moe_gemm",
        dtype_in=_WEIGHTS.get(found["weight"] or ""),
        dtype_out=short_type(found["out"]),
        tile=(int(found["m"]), int(found["n"])),
        epilogue=next((word for word in words if word in ("silu", "gelu")), None),
        parts=from_groups(found, _MOE_NOTES),
    )


def _attention(text: str, found: re.Match[str]) -> KernelName:
    element = short_type(found["type"])
    return KernelName(
        name=text,
        family="aiter",
        library="aiter",
        op=f"attention_{found['direction']}",
        dtype_in=element,
        dtype_out=element,
        epilogue="causal" if "causal" in f"{found['middle']}{found['rest']}".split("_") else None,
        parts=from_groups(
            found,
            {
                "direction": ("forward or backward", "inferred"),
                "head": ("head dimension", "inferred"),
                "type": ("element type", "inferred"),
                "rest": ("options, such as the rounding mode", "inferred"),
            },
        ),
    )


def _template(text: str) -> KernelName | None:
    read = signature(text)
    if read is None or not f"{read.scope}::".startswith("aiter::"):
        return None
    lowered = read.function.lower()
    op = next((op for word, op in _OPS if word in lowered), None)
    types = [cpp_type(argument.text) for argument in read.arguments[:2]]
    meaning = (op or "kernel of AITER").replace("_", " ")
    return KernelName(
        name=text,
        family="aiter",
        library="aiter",
        op=op,
        dtype_in=types[0] if types else None,
        epilogue="residual_add" if op == "rms_norm" and "add" in lowered else None,
        parts=ordered([Part(start=read.start, end=read.end, meaning=meaning, certainty="inferred")]),
    )


FAMILY = Family(name="aiter", parse=_parse)
