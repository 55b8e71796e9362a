"""SASS matrix products that cuBLAS has shipped since Maxwell: ``ampere_bf16_s16816gemm_bf16_128x64_..._tn``.

Fields are those of CUTLASS 2.x names (python/cutlass_library/gemm_operation.py of NVIDIA/cutlass), by analogy:
a type is left out where it equals the accumulator (output) or f32 (input).
"""

from __future__ import annotations

import re

from kerneldiff.names.cxx import boolean, signature
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import Note, from_groups, from_words, ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import short_type

ACCUMULATORS = {"s": "f32", "h": "f16", "d": "f64", "c": "c64", "z": "c128", "i": "i32"}
ARCHITECTURES = {
    "maxwell": "sm50",
    "pascal": "sm60",
    "volta": "sm70",
    "turing": "sm75",
    "ampere": "sm80",
    "hopper": "sm90",
}
_TYPES = r"bf16|fp16|fp32|fp64|tf32|int8|int32|s8|u8|h|s"
_NAME = Pattern(
    r"(?P<arch>maxwell|pascal|volta|turing|ampere|hopper)"
    rf"(?:_(?P<out>{_TYPES}))?"
    r"_(?P<acc>[shdczi])(?P<mma>\d+)?gemm(?:_(?P<input>bf16|fp16|fp32|tf32|int8))?"
    r"(?P<early>_(?:relu|gelu))?"
    r"_(?P<m>\d+)x(?P<n>\d+)"
    r"(?P<options>(?:_(?!stages_)[A-Za-z]\w*?)??)"
    r"(?:_stages_(?P<k>\d+)x(?P<stages>\d+))?"
    r"_(?P<layout>[ntc]{2})(?:_v(?P<version>\d+))?"
)
_OLD = Pattern(
    r"(?P<acc>[shdcz])gemm_(?P<arch>sm\d+)(?P<options>(?:_[a-z]+\d*)*?)_(?P<layout>[ntc]{2})_(?P<sizes>\d+(?:x\d+)+)"
)
_COMPLEX = Pattern(
    r"(?:(?P<arch>maxwell|pascal|volta|turing|ampere)_)?(?P<acc>gc|gz|c|z)gemm_(?P<m>\d+)x(?P<n>\d+)(?P<options>(?:_\w+?)??)_(?P<layout>[ntc]{2})(?:_v\d+)?"
)
_NOTES: dict[str, Note] = {
    "arch": ("generation of the code, not the GPU it ran on", "inferred"),
    "out": ("output type", "inferred"),
    "acc": ("accumulator type", "inferred"),
    "mma": ("tensor-core instruction m, n, k", "inferred"),
    "input": ("input type", "inferred"),
    "m": ("rows of the tile (m, column-major frame)", "measured"),
    "n": ("columns of the tile (n)", "measured"),
    "k": ("k per stage", "inferred"),
    "sizes": ("sizes whose order is not known", "unknown"),
    "stages": ("pipeline stages", "inferred"),
    "layout": ("operands A and B: n as stored, t transposed (column-major)", "measured"),
}

_OPTIONS: tuple[tuple[Pattern, Note], ...] = (
    (Pattern(r"sliced\d+x\d+"), ("k is split between warps of the CTA", "inferred")),
    (Pattern(r"ldg\d*"), ("elements per load from memory", "inferred")),
    (Pattern(r"relu|gelu"), ("an activation that the kernel can apply, not that it did", "measured")),
    (Pattern(r"splitK"), ("K is split between CTAs", "inferred")),
)


def _parse(text: str) -> KernelName | None:
    found = _NAME.fullmatch(text) or _OLD.fullmatch(text) or _COMPLEX.fullmatch(text)
    return _decoded(text, found) if found else _large_k(text)


def _decoded(text: str, found: re.Match[str]) -> KernelName:
    groups = found.groupdict()
    acc = ACCUMULATORS[groups["acc"][-1]]
    # five numbers of the oldest names are not told apart, so their tile is not read
    sizes = tuple(int(groups[side]) for side in ("m", "n", "k") if groups.get(side))
    said = f"{groups.get('early') or ''}{groups['options'] or ''}".split("_")
    arch = groups["arch"]
    fft = groups["acc"] == "gc"  # the complex products of FFT convolutions
    return KernelName(
        name=text,
        family="cudnn_sass_conv" if fft else "cublas_legacy_gemm",
        library="cudnn" if fft else "cublas",
        op="gemm",
        layout=groups["layout"],
        dtype_in=short_type(groups.get("input")) or acc,
        dtype_acc=acc,
        dtype_out=short_type(groups.get("out")) or acc,
        tile=sizes or None,
        stages=int(groups["stages"]) if groups.get("stages") else None,
        split_k=True if any(word.lower().startswith("splitk") for word in said) else None,
        epilogue=next((f"{word}_capable" for word in said if word in ("relu", "gelu")), None),
        arch=ARCHITECTURES.get(arch, arch) if arch else None,
        parts=ordered(
            [
                *from_groups(found, _NOTES),
                *[
                    part
                    for group in ("early", "options")
                    if groups.get(group)
                    for part in from_words(text, *found.span(group), _OPTIONS)
                ],
            ]
        ),
    )


def _large_k(text: str) -> KernelName | None:
    """``sgemm_largek_lds64<bool, bool, ...>``: splits a long k between blocks; the flags are the transpositions."""
    if "gemm_largek" not in text:
        return None
    read = signature(text)
    if read is None or not read.function.endswith(("gemm_largek_lds64", "gemm_largek_lds32", "gemm_largek")):
        return None
    acc = ACCUMULATORS.get(read.function[0])
    flags = [boolean(read.argument(index)) for index in (0, 1)]
    layout = None if None in flags else "".join("t" if flag else "n" for flag in flags)
    meaning = "product that splits a long k between blocks; two flags first: A transposed, B transposed"
    return KernelName(
        name=text,
        family="cublas_legacy_gemm",
        library="cublas",
        op="gemm",
        layout=layout,
        dtype_in=acc,
        dtype_acc=acc,
        dtype_out=acc,
        parts=(Part(start=read.start, end=read.end, meaning=meaning, certainty="inferred"),),
    )


FAMILY = Family(name="cublas_legacy_gemm", parse=_parse)
