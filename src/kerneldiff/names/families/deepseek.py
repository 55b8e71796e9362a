"""DeepGEMM (``deep_gemm::``) and the in-house kernels of the traces that DeepSeek published.

DeepGEMM: deep_gemm/include of deepseek-ai/DeepGEMM. The order of its template arguments changed between
releases, so sizes are read only from lists of a known length. Problem sizes are baked into the name.
"""

from __future__ import annotations

import re

from kerneldiff.names.cxx import Signature, integer, signature
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type

_OLD_LENGTH = 14
"""``fp8_gemm_kernel<N, K, BM, BN, BK, padding, swizzle D, groups, stages, threads, threads, multicast, on A, type>``."""

_NEW_LENGTH = 27
"""``sm100_fp8_fp4_gemm_1d1d_impl<majors (2), granularities (2), M, N, K, BM, BN, BK, groups, swizzles (3), stages, ...>``."""

_GROUPED = Pattern(r"GemmType\)?(?:::)?(\d+|Normal)")


def _parse(text: str) -> KernelName | None:
    if "deep_gemm::" not in text and "dpsk::" not in text and "cuda::" not in text:
        return None
    read = signature(text)
    if read is None:
        return None
    if read.scope.startswith("deep_gemm"):
        return _deep_gemm(text, read)
    if read.function == "device_kernel" and "dpsk::" in text:
        return _hidden(text, read)
    if read.scope == "cuda" or read.scope.startswith("dpsk::"):
        return _in_house(text, read)
    return None


def _deep_gemm(text: str, read: Signature) -> KernelName:
    arch = re.match(r"sm\d+", read.function)
    old = read.function == "fp8_gemm_kernel"
    tile, stages, places = _sizes(read, old=old)
    is_product = "gemm" in read.function
    dtype_in, dtype_out = _types(read, old=old)
    return KernelName(
        name=text,
        family="deepgemm",
        library="deepgemm",
        op=_operation(text) if is_product else None,
        layout=_layout(read, old=old),
        dtype_in=dtype_in,
        dtype_acc="f32" if is_product else None,
        dtype_out=dtype_out,
        tile=tile,
        stages=stages,
        arch="sm90" if old else arch[0] if arch else None,
        jit=True,
        parts=ordered([Part(start=read.start, end=read.end, meaning="matrix product", certainty="source"), *places]),
    )


def _operation(text: str) -> str:
    kind = _GROUPED.search(text)
    return "gemm" if kind is None or kind[1] in ("0", "Normal") else "grouped_gemm"


def _layout(read: Signature, *, old: bool) -> str | None:
    """Row-major A times the transpose of row-major B, as both majors say (0 is along k)."""
    if old:
        return "tn"
    majors = [argument.text for argument in read.arguments[:2]]
    if len(majors) == 2 and all("Major" in major for major in majors):
        letters = ["t" if integer(major) == 0 else "n" for major in majors]
        # the column-major frame swaps the operands: PyTorch's second is cuBLAS's first
        return letters[1] + {"t": "n", "n": "t"}[letters[0]]
    return None


def _types(read: Signature, *, old: bool) -> tuple[str | None, str | None]:
    words = [word for word in (cpp_type(argument.text) for argument in read.arguments) if word and word != "bool"]
    if len(words) >= 3:
        return ",".join(dict.fromkeys(words[:2])), words[2]
    if old:
        return "e4m3", cpp_type(read.parameter(0))
    if "_tf32_" in read.function:
        return "tf32", None
    if "bf16" in read.function:
        return "bf16", None
    return ("e4m3" if re.search(r"_fp8_(?!fp4)", read.function) else None), words[-1] if words else None


def _sizes(read: Signature, *, old: bool) -> tuple[tuple[int, ...] | None, int | None, list[Part]]:
    start, stage = (2, 8) if old else (7, 14)
    if len(read.arguments) != (_OLD_LENGTH if old else _NEW_LENGTH):
        return None, None, []
    tile = [integer(argument.text) for argument in read.arguments[start : start + 3]]
    stages = integer(read.arguments[stage].text)
    if stages is None or any(size is None for size in tile):
        return None, None, []
    notes = {
        start: "rows of the tile",
        start + 1: "columns of the tile",
        start + 2: "k per stage",
        stage: "pipeline stages",
    }
    places = [
        Part(start=read.arguments[place].start, end=read.arguments[place].end, meaning=note, certainty="source")
        for place, note in notes.items()
    ]
    return tuple(size for size in tile if size is not None), stages, places


def _hidden(text: str, read: Signature) -> KernelName:
    """``cutlass::device_kernel<dpsk::grouped_gemm::...::GemmKernel>``: only the wrapper's name is left."""
    part = (
        Part(start=read.arguments[0].start, end=read.arguments[0].end, meaning="grouped product", certainty="inferred")
        if read.arguments
        else None
    )
    return KernelName(
        name=text,
        family="cutlass3x",
        library="cutlass",
        op="grouped_gemm" if "grouped_gemm" in text else None,
        dtype_in="fp8" if "fp8" in text else None,
        parts=ordered([part]),
    )


_WORDS: tuple[tuple[str, str], ...] = (
    ("batched_transpose", "transpose"), ("swiglu", "elementwise"), ("cast_and_transpose", "quantize"), ("cast_to_fp8", "quantize"),
    ("cast_back", "quantize"), ("transpose", "transpose"), ("topk", "topk"), ("dispatch", "all_to_all"), ("combine", "all_to_all"),
    ("notify", "all_to_all"), ("expand_to_fused", "moe_routing"), ("reduce_fused", "moe_finalize"), ("expert", "moe_routing"),
    ("mapping", "moe_routing"), ("group_indices", "moe_routing"), ("aux_fi", "moe_routing"), ("fill_tensormaps", "schedule"),
)  # fmt: skip


def _in_house(text: str, read: Signature) -> KernelName:
    op = next((op for word, op in _WORDS if word in read.function), None)
    element = cpp_type(read.argument(0))
    part = Part(start=read.start, end=read.end, meaning=(op or "kernel").replace("_", " "), certainty="inferred")
    return KernelName(
        name=text,
        family="deepseek_inhouse",
        library="deepseek",
        op=op,
        dtype_in=element if element != "bool" else None,
        parts=ordered([part]),
    )


FAMILY = Family(name="deepseek", parse=_parse)
