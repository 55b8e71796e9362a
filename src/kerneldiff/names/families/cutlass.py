"""CUTLASS products: the 2.x names inside cuBLAS, cuDNN and Inductor, the 3.x names, and bare 3.x templates.

Format: ``procedural_name`` and ``extended_name`` in python/cutlass_library/gemm_operation.py of NVIDIA/cutlass.
"""

from __future__ import annotations

import re

from kerneldiff.names.cxx import integer, template
from kerneldiff.names.families.cublas_legacy import ACCUMULATORS
from kerneldiff.names.model import Family, KernelName
from kerneldiff.names.parts import Note, from_groups
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type, short_type

_TYPES = r"bf16|f16|fp16|f32|tf32|f64|e4m3|e5m2|s8|u8|s4|u4|i8|s32|cf32|cf64"
_V2 = Pattern(
    r"cutlass(?P<arch>_\d+)?_(?P<core>wmma_tensorop|tensorop|simt)"
    rf"(?:_(?P<out>{_TYPES}))?_(?P<acc>g?[shdczi])(?P<mma>\d+)?(?P<kind>gemm(?:_planar_complex(?:_array)?)?|gemm_grouped|fprop|dgrad|wgrad)"
    r"(?P<iterator>(?:_(?:optimized|analytic|few_channels|fixed_channels|strided|unity_stride))*)"
    r"(?:_(?P<epilogue>relu|gelu|silu|sigmoid))?"
    rf"(?:_(?P<input>(?:{_TYPES})(?:_(?:{_TYPES}))?))?"
    r"_(?P<m>\d+)x(?P<n>\d+)(?:_(?P<k>\d+)x(?P<stages>\d+))?"
    r"_(?P<layout>n[cdhw]{3,4}|[ntch]{2})(?:_unity_stride)?(?:_align(?P<align>\d+))?(?P<rest>\w*)"
)
_ELEMENT = r"[a-z]{1,3}\d{1,2}(?:[a-z]\d)?[a-z]{0,4}"
_V3 = Pattern(
    r"cutlass3x_(?P<arch>sm\d+[af]?)_(?P<core>tensorop|simt|bstensorop|sptensorop)"
    r"_(?P<gemm>[a-z0-9]{0,24}gemm(?:_(?:planar_complex|grouped|group|array))?)"
    rf"_(?P<a>{_ELEMENT})_(?P<b>{_ELEMENT})_(?P<acc>{_ELEMENT})_(?P<c>void|{_ELEMENT})_(?P<out>{_ELEMENT})"
    r"(?:_(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+))?_(?P<cluster>\d+x\d+x\d+)(?:_(?P<stages>\d+))?"
    r"_(?P<layout>[ntch]{2})(?P<third>[ntch])_align(?P<align>\d+)(?P<rest>\w*)"
)
_V2_NOTES: dict[str, Note] = {
    "arch": ("generation of the code", "source"),
    "core": ("tensor cores, tensor cores through WMMA, or plain FMA (simt)", "source"),
    "out": ("output type, where it is not the accumulator's", "source"),
    "acc": ("accumulator type", "source"),
    "mma": ("tensor-core instruction m, n, k", "source"),
    "epilogue": ("an activation that the kernel can apply, not that it did", "measured"),
    "input": ("input type, where it is not the accumulator's", "source"),
    "m": ("rows of the tile (m, column-major frame)", "source"),
    "n": ("columns of the tile (n)", "source"),
    "k": ("k per stage", "source"),
    "stages": ("pipeline stages", "source"),
    "layout": ("operands A and B: n as stored, t transposed (column-major)", "measured"),
    "align": ("elements that each operand is aligned to", "source"),
}
_V3_NOTES: dict[str, Note] = {
    "arch": ("architecture", "source"),
    "core": ("tensor cores, plain FMA (simt), block-scaled or sparse tensor cores", "source"),
    "a": ("type of A", "source"),
    "b": ("type of B", "source"),
    "acc": ("accumulator type", "source"),
    "c": ("type of C; void: C is not read", "source"),
    "out": ("type of D", "source"),
    "m": ("rows of the tile (m, column-major frame)", "source"),
    "n": ("columns of the tile (n)", "source"),
    "k": ("k per stage", "source"),
    "cluster": ("CTAs of a cluster along m, n and k", "source"),
    "stages": ("pipeline stages; 0 is automatic", "source"),
    "layout": ("operands A and B: n as stored, t transposed (column-major)", "measured"),
    "third": ("layout of C and D", "source"),
    "align": ("elements that each operand is aligned to", "source"),
}


def _parse(text: str) -> KernelName | None:
    if "cutlass" not in text:
        return None
    found = _V3.search(text)
    if found is not None:
        return _version_3(text, found)
    found = _V2.search(text)
    if found is not None:
        return _version_2(text, found)
    if "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal" in text or "enable_3x_kernel_for_sm" in text:
        return _device_kernel(text)
    return _anonymous(text)


def _version_2(text: str, found: re.Match[str]) -> KernelName:
    acc = ACCUMULATORS[found["acc"][-1]]
    inputs = found["input"].split("_") if found["input"] else []
    dtype_in = ",".join(dict.fromkeys(short_type(word) or word for word in inputs)) or acc
    if not inputs and found["mma"] == "1688" and acc == "f32":
        dtype_in = "tf32"  # f32 data on tensor cores: an s1688gemm without an input type
    is_gemm = found["kind"].startswith("gemm")
    family, library = _owner(text, is_gemm=is_gemm, has_arch=bool(found["arch"]))
    return KernelName(
        name=text,
        family=family,
        library=library,
        op=("grouped_gemm" if "grouped" in found["kind"] else "gemm") if is_gemm else "conv_" + found["kind"],
        layout=found["layout"],
        dtype_in=dtype_in,
        dtype_acc=acc,
        dtype_out=short_type(found["out"]) or acc,
        tile=(int(found["m"]), int(found["n"])) + ((int(found["k"]),) if found["k"] else ()),
        stages=int(found["stages"]) if found["stages"] else None,
        epilogue=f"{found['epilogue']}_capable" if found["epilogue"] else None,
        split_k=True if "_splitK" in found["rest"] or "_split_k" in found["rest"] else None,
        arch=found["arch"].replace("_", "sm") if found["arch"] else None,
        jit=library == "inductor_cutlass",
        parts=from_groups(found, _V2_NOTES),
    )


def _owner(text: str, *, is_gemm: bool, has_arch: bool) -> tuple[str, str]:
    """Family and library: cuDNN names its namespace, and only cuBLAS writes the ``80`` of ``cutlass_80_``."""
    if not is_gemm or "cutlass_cudnn" in text:
        return "cudnn", "cudnn"
    return "cutlass2x", "cublas" if has_arch else "cutlass"


def _version_3(text: str, found: re.Match[str]) -> KernelName:
    inputs = dict.fromkeys(short_type(found[side]) or found[side] for side in ("a", "b"))
    dtype_in = ",".join(inputs)
    if "tf32gemm" in found["gemm"] or (found["core"] == "tensorop" and dtype_in == "f32"):
        dtype_in = "tf32"
    owned = "_sgemm" in found[0] or "_bias_" in found["rest"]
    stages = int(found["stages"] or 0)
    return KernelName(
        name=text,
        family="cutlass3x",
        library="cublas" if owned else "cutlass",
        op="grouped_gemm" if "group" in found["gemm"] else "gemm",
        layout=found["layout"],
        dtype_in=dtype_in,
        dtype_acc=short_type(found["acc"]),
        dtype_out=short_type(found["out"]) or found["out"],
        tile=(int(found["m"]), int(found["n"]), int(found["k"])) if found["m"] else None,
        stages=stages or None,
        split_k=True if "_stream_k" in found["rest"] else None,
        epilogue="bias+relu_capable" if "_bias_" in found["rest"] and found["rest"].endswith("_relu") else None,
        arch=found["arch"],
        parts=from_groups(found, _V3_NOTES),
    )


def _sizes(text: str, head: str) -> tuple[int, ...] | None:
    """The first ``tuple<C<64>, C<128>, ...>`` behind ``head``."""
    place = text.find(head)
    if place < 0:
        return None
    values = [
        integer(argument.text.partition("C<")[2].rstrip("> ")) for argument in template(text, "cute::tuple", place)
    ]
    sizes = tuple(value for value in values if value is not None)
    return sizes if len(sizes) == len(values) and sizes else None


def _device_kernel(text: str) -> KernelName:
    """``cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<...>>``: the facts are template arguments."""
    main = next(
        (arguments for arguments in (template(text, "cutlass::gemm::collective::CollectiveMma"),) if arguments), ()
    )
    dispatch = re.search(r"MainloopSm(\d+)\w*<\s*(?:\([^()]*\))?(\d+)", text)
    tile, dtype_in = None, None
    if len(main) > 4:
        tile = _sizes(main[1].text, "cute::tuple")
        types = [cpp_type(main[index].text) for index in (2, 4)]
        dtype_in = ",".join(dict.fromkeys(word for word in types if word)) or None
    return KernelName(
        name=text,
        family="cutlass3x",
        library="cutlass",
        op="grouped_gemm" if "GroupProblemShape" in text else "gemm",
        dtype_in=dtype_in,
        tile=tile if tile and len(tile) == 3 else None,
        stages=int(dispatch[2]) if dispatch else None,
        arch=f"sm{dispatch[1]}" if dispatch else None,
    )


def _anonymous(text: str) -> KernelName | None:
    """Kernels of CUTLASS whose name hides what they do."""
    if re.fullmatch(r"cutlass_[0-9a-f]{8,}(?:_\w+)?", text):
        return KernelName(name=text, family="cutlass2x", library="inductor_cutlass", jit=True)
    return None


FAMILY = Family(name="cutlass", parse=_parse)
