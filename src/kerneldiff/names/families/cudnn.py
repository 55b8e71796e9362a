"""cuDNN: SASS convolutions, generated attention, layout conversions, batch norm, and the older engines."""

from __future__ import annotations

import re

from kerneldiff.names.cxx import Signature, integer, signature, template
from kerneldiff.names.families.cublas_legacy import ARCHITECTURES
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import Note, from_groups, ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type

_SASS = Pattern(
    r"(?:cudnn_(?:(?P<build>infer|train)_)?)?(?P<arch>maxwell|pascal|volta|turing|ampere|hopper)"
    r"_(?P<kind>scudnn|fp16_s?\w*cudnn|hcudnn|dcudnn)(?P<winograd>_winograd)?_(?P<m>\d+)x(?P<n>\d+)"
    r"(?P<options>(?:_[A-Za-z0-9]+)*?)(?:_(?P<size>small|medium|large|interior))?(?:_(?P<format>nhwc|nchw))?_(?P<layout>[nt]{2})(?:_v\d+)?"
)
_SDPA = Pattern(
    r"cudnn_generated_(?P<engine>fort_native|oss)_sdpa_(?P<arch>sm\d+)_flash_(?P<direction>fprop|bprop)"
    r"(?:_(?P<mma>wgmma|wmma|umma|tcgen05))?_(?P<kind>[a-z]+\d+\w*?)_knob_(?P<knob>\d+)_(?P<tile>\d+x\d+x\d+)_(?P<warps>\d+x\d+x\d+)(?:_cga(?P<cluster>\d+x\d+x\d+))?(?P<rest>\w*)"
)
_SASS_NOTES: dict[str, Note] = {
    "build": ("part of cuDNN 8 that the kernel is in, not the phase it runs in", "inferred"),
    "arch": ("generation of the code", "inferred"),
    "kind": ("convolution in f32 without tensor cores", "inferred"),
    "winograd": ("Winograd algorithm", "inferred"),
    "m": ("rows of the tile", "inferred"),
    "n": ("columns of the tile", "inferred"),
    "options": ("stridedB, splitK, ldg, xregs: variants; relu: it can apply one", "inferred"),
    "size": ("class of problem sizes", "unknown"),
    "format": ("order of the tensor's dimensions", "inferred"),
    "layout": ("operands of the implicit product", "inferred"),
}
_SDPA_NOTES: dict[str, Note] = {
    "engine": ("engine that generated the kernel", "unknown"),
    "arch": ("architecture", "inferred"),
    "direction": ("forward or backward", "inferred"),
    "mma": ("matrix instruction", "inferred"),
    "kind": ("16-bit class: used for bf16 too", "inferred"),
    "knob": ("option of the engine", "unknown"),
    "tile": ("query block, key block, head dimension", "inferred"),
    "warps": ("meaning not known", "unknown"),
    "cluster": ("CTAs of a cluster", "inferred"),
}
_CUTLASS = Pattern(r"\bcutlass_(?:\d+_)?(?:wmma_)?(?:tensorop|simt)_")
_OFFSETS = Pattern(r"compute\w*Offsets\w*Kernel(?:3D)?")
_OPS: tuple[tuple[str, str, bool], ...] = (
    ("nchwToNhwcKernel", "layout_transform", True),
    ("nhwcToNchwKernel", "layout_transform", True),
    ("bn_fw", "batch_norm_fwd", False),
    ("bn_bw", "batch_norm_bwd", False),
    ("im2col4d_kernel", "im2col", True),
    ("reduce_wgrad_nchw_helper", "splitk_reduce", True),
    ("wgrad", "conv_wgrad", False),
    ("dgrad", "conv_dgrad", False),
    ("generateWinogradTilesKernel", "layout_transform", True),
    ("winogradForwardFilter", "layout_transform", True),
    ("winogradForwardData", "layout_transform", True),
    ("winogradForwardOutput", "layout_transform", True),
    ("winogradWgrad", "layout_transform", True),
    ("scalePackedTensor_kernel", "scal", True),
    ("explicit_convolve_sgemm", "conv", False),
    ("implicit_convolve_sgemm", "conv", False),
    ("fft2d_", "fft", True),
    ("fft1d_", "fft", True),
    ("tensorTransformGeneric", "layout_transform", True),
    ("nhwcAddPaddingKernel", "pad", True),
    ("nchwAddPaddingKernel", "pad", True),
    ("kern_precompute_indices", "schedule", True),
    ("precomputed_convolve_sgemm", "conv", False),
    ("spatial_convolution", "conv", False),
    ("flip_filter", "layout_transform", True),
    ("pointwise_mult_and_sum_complex", "conv", False),
    ("transpose_readWrite_alignment_kernel", "transpose", True),
    ("compute_dot_do_o", "attention_bwd", True),
    ("convert_dq", "attention_bwd", True),
)


def _parse(text: str) -> KernelName | None:
    if "cudnn" in text and "cutlass" not in text:
        found = _SDPA.match(text)
        if found is not None:
            return _attention(text, found)
    found = _SASS.fullmatch(text)
    if found is not None:
        return _convolution(text, found)
    if "_xmma_" in text or _CUTLASS.search(text):
        return None  # those grammars read them
    read = signature(text)
    return _engine(text, read) if read is not None else None


def _attention(text: str, found: re.Match[str]) -> KernelName:
    sizes = tuple(int(number) for number in found["tile"].split("x"))
    return KernelName(
        name=text,
        family="cudnn_sdpa",
        library="cudnn",
        op="attention_fwd" if found["direction"] == "fprop" else "attention_bwd",
        tile=sizes,
        arch=found["arch"],
        parts=from_groups(found, _SDPA_NOTES),
    )


def _convolution(text: str, found: re.Match[str]) -> KernelName:
    options = found["options"].split("_")
    arch = found["arch"]
    element = {"scudnn": "f32", "dcudnn": "f64", "hcudnn": "f16"}.get(found["kind"], "f16")
    return KernelName(
        name=text,
        family="cudnn_sass_conv",
        library="cudnn",
        op="conv_fprop" if "fprop" in options else "conv",
        layout=found["layout"],
        dtype_in=element,
        dtype_acc=element,
        dtype_out=element,
        tile=(int(found["m"]), int(found["n"])),
        split_k=True if "splitK" in options else None,
        epilogue="relu_capable" if "relu" in options else None,
        arch=ARCHITECTURES.get(arch),
        parts=from_groups(found, _SASS_NOTES),
    )


def _engine(text: str, read: Signature) -> KernelName | None:
    if _OFFSETS.fullmatch(read.function) and ("cask" in read.scope or "cudnn" in read.scope):
        return _helper(text, read, "schedule", auxiliary=True)
    for head, op, auxiliary in _OPS:
        if read.function.startswith(head) or (head in ("wgrad", "dgrad") and head in read.function):
            return _helper(text, read, op, auxiliary=auxiliary)
    if "ImplicitGemmConvolution" in text and "cudnn" in read.scope:
        return _templated(text, read)
    if "ReduceSplitK" in text and "cudnn" in read.scope:
        return _helper(text, read, "splitk_reduce", auxiliary=True)
    if "cudnn" in read.scope:
        return _helper(text, read, None, auxiliary=False)
    return None


def _templated(text: str, read: Signature) -> KernelName:
    """``ImplicitGemmConvolution<ImplicitGemmMultistage<GemmShape<M, N, K>, Conv2dWgrad...>>`` of CUTLASS 2.x."""
    direction = re.search(r"Conv[23]d(Fprop|Dgrad|Wgrad)", text)
    shape = [integer(argument.text) for argument in template(text, "GemmShape")]
    tile = tuple(size for size in shape if size is not None)
    part = Part(start=read.start, end=read.end, meaning="convolution as an implicit product", certainty="source")
    return KernelName(
        name=text,
        family="cudnn",
        library="cudnn",
        op=f"conv_{direction[1].lower()}" if direction else "conv",
        dtype_in="tf32" if "tfloat32_t" in text else None,
        tile=tile if len(tile) == 3 else None,
        parts=ordered([part]),
    )


def _layout(function: str) -> str | None:
    conversion = re.match(r"(nchw|nhwc)To(Nchw|Nhwc)Kernel", function)
    if conversion:
        return f"{conversion[1]}->{conversion[2].lower()}"
    found = re.search(r"_(NCHW|NHWC)$", function)
    return found[1].lower() if found else None


def _helper(text: str, read: Signature, op: str | None, *, auxiliary: bool) -> KernelName:
    types = [cpp_type(argument.text) for argument in read.arguments]
    known = [word for word in types[:3] if word and not word.startswith(("bool", "i"))]
    dtype_in, dtype_acc, dtype_out = (known[0] if known else None), None, None
    if (op == "pad" or (op == "layout_transform" and "To" in read.function)) and len(types) > 1:
        dtype_out = types[1]
    elif op in ("batch_norm_fwd", "batch_norm_bwd") and len(known) > 1:
        dtype_acc = known[1]
    part = Part(start=read.start, end=read.end, meaning=(op or "cuDNN kernel").replace("_", " "), certainty="inferred")
    return KernelName(
        name=text,
        family="cudnn",
        library="cudnn",
        op=op,
        layout=_layout(read.function),
        dtype_in=dtype_in,
        dtype_acc=dtype_acc,
        dtype_out=dtype_out,
        split_k=True if op == "splitk_reduce" else None,
        auxiliary=auxiliary,
        parts=ordered([part]),
    )


FAMILY = Family(name="cudnn", parse=_parse)
