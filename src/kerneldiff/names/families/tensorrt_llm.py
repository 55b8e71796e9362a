"""TensorRT-LLM: generated products and attention (``bmm_...``, ``gemm_...``, ``fmhaSm100...``), and its C++ kernels."""

from __future__ import annotations

import re

from kerneldiff.names.cxx import signature
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import Note, from_groups, ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type

_WORD = r"Bfloat16|Fp16|Fp32|E4m3|E5m2|E2m1|MxE4m3|MxE2m1|MxInt4|E3m2|E2m3|Int8|UE8m0|DsFp8"
_PRODUCT = Pattern(
    rf"(?P<kind>bmm|gemm|gemmGatedAct)_(?P<out>{_WORD})_(?P<a>{_WORD})(?P<b>{_WORD})?_(?P<acc>{_WORD})_t(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)(?:u(?P<unroll>\d+))?"
    r"_s(?P<stages>\d+)(?P<tail>(?:_\w+)?)_(?P<arch>sm\d+[af]?)"
)
_ATTENTION = Pattern(
    rf"fmhaSm(?P<arch>\d+)[af]?Kernel_Q(?:kv(?P<qkv>{_WORD})|(?P<q>{_WORD})Kv(?P<kv>{_WORD}))O(?P<out>{_WORD})H(?P<head>\d+(?:Hv\d+)?)(?P<options>[A-Za-z]{{1,80}}?)"
    r"(?:P(?P<page>\d+))?(?P<variant>[A-Za-z]{0,80}?)Q(?P<query>\d+)Kv(?P<key>\d+)(?P<rest>\w*)"
)
_TYPES = {"bfloat16": "bf16", "fp16": "f16", "fp32": "f32", "int8": "i8", "dsfp8": "e4m3"}
_PRODUCT_NOTES: dict[str, Note] = {
    "out": ("output type", "inferred"),
    "a": ("type of A", "inferred"),
    "b": ("type of B", "inferred"),
    "acc": ("accumulator type", "inferred"),
    "m": ("rows of the tile", "inferred"),
    "n": ("columns of the tile", "inferred"),
    "k": ("k per stage", "inferred"),
    "stages": ("pipeline stages", "inferred"),
    "tail": ("options: layout of A and B, bias, activation, dynamic batch, scheduler", "inferred"),
    "arch": ("architecture", "inferred"),
}
_ATTENTION_NOTES: dict[str, Note] = {
    "arch": ("architecture", "inferred"),
    "qkv": ("type of queries, keys and values", "inferred"),
    "out": ("output type", "inferred"),
    "head": ("head dimension", "inferred"),
    "options": ("cache and mask that it can handle", "inferred"),
    "page": ("tokens per page of the cache", "inferred"),
    "query": ("queries per block", "inferred"),
    "key": ("keys per block", "inferred"),
    "rest": ("scheduler", "inferred"),
}
_OPS: tuple[tuple[str, str], ...] = (
    ("quantize", "quantize"), ("routing", "moe_routing"), ("finalize", "moe_finalize"), ("activation", "elementwise"),
    ("permute", "moe_routing"), ("moe", "moe_gemm"), ("allreduce", "all_reduce"), ("rmsnorm", "rms_norm"), ("mha", "attention_fwd"),
)  # fmt: skip


def _parse(text: str) -> KernelName | None:
    found = _PRODUCT.fullmatch(text)
    if found is not None:
        return _product(text, found)
    found = _ATTENTION.fullmatch(text)
    if found is not None:
        return _attention(text, found)
    return _template(text) if "tensorrt_llm::" in text or "moe::dev::" in text else None


def element(word: str | None) -> str | None:
    """``MxE2m1`` as ``mxe2m1``, ``Bfloat16`` as ``bf16``."""
    return None if word is None else _TYPES.get(word.lower(), word.lower())


def _product(text: str, found: re.Match[str]) -> KernelName:
    words = found["tail"].split("_")
    inputs = dict.fromkeys(word for word in (element(found["a"]), element(found["b"])) if word)
    epilogue = [
        name
        for name, said in (
            ("bias", {"biasM", "biasN"}),
            ("swiglu", {"swiGlu"}),
            ("geglu", {"geGlu"}),
            ("relu2", {"relu2"}),
        )
        if not said.isdisjoint(words)
    ]
    return KernelName(
        name=text,
        family="trtllm_gen",
        library="trtllm_gen",
        op="moe_gemm" if "dynBatch" in words else "gemm",
        layout=next((word.lower() for word in words if word in ("TN", "NT", "NN", "TT")), None),
        dtype_in=",".join(inputs),
        dtype_acc=element(found["acc"]),
        dtype_out=element(found["out"]),
        tile=(int(found["m"]), int(found["n"]), int(found["k"])),
        stages=int(found["stages"]),
        split_k=True if any(word.startswith("splitK") for word in words) else None,
        epilogue="+".join(epilogue) or None,
        arch=found["arch"].rstrip("af"),
        parts=from_groups(found, _PRODUCT_NOTES),
    )


def _attention(text: str, found: re.Match[str]) -> KernelName:
    inputs = [element(found[group]) for group in ("qkv", "q", "kv")]
    return KernelName(
        name=text,
        family="trtllm_gen",
        library="trtllm_gen",
        op="attention_fwd",
        dtype_in=",".join(dict.fromkeys(word for word in inputs if word)) or None,
        dtype_out=element(found["out"]),
        tile=(int(found["query"]), int(found["key"])),
        arch=f"sm{found['arch']}",
        parts=from_groups(found, _ATTENTION_NOTES),
    )


def _template(text: str) -> KernelName | None:
    read = signature(text)
    if read is None or not read.scope.startswith(("tensorrt_llm", "moe::dev")):
        return None
    place = f"{read.scope}::{read.function}".lower()
    op = next((op for word, op in _OPS if word in place), None)
    known = [word for word in (cpp_type(argument.text) for argument in read.arguments) if word and word != "bool"]
    return KernelName(
        name=text,
        family="tensorrt_llm" if read.scope.startswith("tensorrt_llm") else "other",
        library="tensorrt_llm",
        op=op,
        dtype_in=known[0] if known else None,
        parts=ordered(
            [Part(start=read.start, end=read.end, meaning=(op or "kernel").replace("_", " "), certainty="inferred")]
        ),
    )


FAMILY = Family(name="trtllm_gen", parse=_parse)
