"""xmma products and convolutions: ``sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x64x64_...``.

Found in cuBLAS and cuDNN. The two types before the first ``_`` are input and output, the next two are the
type multiplied and the accumulator.
"""

from __future__ import annotations

import re
from dataclasses import replace

from kerneldiff.names.model import Family, KernelName
from kerneldiff.names.parts import Note, from_groups, from_words, ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import short_type

_TYPE = r"(?:bf16|tf32|f16|f32|f64|e4m3|e5m2|i8|u8|i32|s8|cf32|cf64|f8|c64)"
_NAME = Pattern(
    r"(?P<arch>sm\d+)_xmma_(?P<operation>gemm|(?:fprop|dgrad|wgrad)_implicit_gemm)(?P<variant>(?:_(?:indexed|wo_smem|planar_complex|small_channel|nd))*)"
    rf"_(?P<input>{_TYPE})(?P<output>{_TYPE})_(?P<math>{_TYPE})(?P<acc>{_TYPE})_(?P<epilogue>{_TYPE})"
    r"_(?P<layout>[ntch]{2}_[nt]|n[a-z]{3,14}_n[a-z]{2,6})"
    r"_tilesize(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)(?P<rest>(?:_\w+)?)"
)
_STAGE = Pattern(r"_stage(\d+)(?=_|$)")
_BIAS = Pattern(r"_(?:(relu|gelu)_)?bias(?:_[a-z]+\d+)?(?=_)")
_OTHER_FORM = Pattern(r"(?P<arch>sm\d+)_xmma_(?P<operation>gemm|fprop|dgrad|wgrad)(?P<rest>\w*)")
_NOTES: dict[str, Note] = {
    "arch": ("architecture the binary was built for", "inferred"),
    "operation": ("what is computed", "inferred"),
    "input": ("input type", "measured"),
    "output": ("output type", "measured"),
    "math": ("type in which operands are multiplied", "measured"),
    "acc": ("accumulator type", "inferred"),
    "epilogue": ("type of the epilogue", "inferred"),
    "m": ("rows of the tile (m, column-major frame)", "measured"),
    "n": ("columns of the tile (n)", "measured"),
    "k": ("k per stage", "measured"),
}
_REST: tuple[tuple[Pattern, Note], ...] = (
    (Pattern(r"stage\d+"), ("pipeline stages", "measured")),
    (Pattern(r"warpsize\d+x\d+x\d+"), ("warps along m, n and k; times 32 they are the block", "measured")),
    (Pattern(r"warpgroupsize\d+x\d+x\d+"), ("warpgroups along m, n and k", "inferred")),
    (Pattern(r"cgasize\d+x\d+x\d+"), ("CTAs of a cluster", "inferred")),
    (Pattern(r"tensor\d+x\d+x\d+"), ("tensor-core instruction m, n, k", "inferred")),
    (Pattern(r"ffma|ff"), ("plain multiply-add, no tensor cores", "measured")),
    (Pattern(r"g\d+"), ("groups that the kernel can handle", "inferred")),
    (Pattern(r"t\d+r\d+s\d+"), ("filter size it was built for", "inferred")),
    (Pattern(r"align[acb]\d+"), ("alignment of an operand, in elements", "inferred")),
    (
        Pattern(r"(?:relu_|gelu_)?bias(?:_[a-z]+\d+)?"),
        ("bias of this type; whether it must be given is not known", "inferred"),
    ),
    (Pattern(r"execute_split_k_kernel"), ("sums the parts of the split-k kernel launched before", "measured")),
    (Pattern(r"execute_segment_k_off_kernel"), ("k is not cut into segments", "inferred")),
    (Pattern(r"execute_segment_k_on_kernel"), ("k is cut into segments that are spread over CTAs", "inferred")),
    (Pattern(r"(?:execute_)?kernel|main_v\d+"), ("the product itself", "inferred")),
    (Pattern(r"5x_(?:cublas|cudnn)|cudnn(?:_infer|_train)?|cublas"), ("library whose build this is", "inferred")),
)


def _parse(text: str) -> KernelName | None:
    if "_xmma_" not in text:
        return None
    found = _NAME.fullmatch(text)
    if found is None:
        return _other_form(text)
    return _gemm(text, found) if found["operation"] == "gemm" else _convolution(text, found)


def _other_form(text: str) -> KernelName | None:
    """Forms that are not taken apart (``..._fprop_image_first_layer_...``): architecture and operation."""
    found = _OTHER_FORM.fullmatch(text)
    if found is None:
        return None
    gemm = found["operation"] == "gemm"
    return KernelName(
        name=text,
        family="xmma_gemm" if gemm else "xmma_conv",
        library="cublas" if gemm else "cudnn",
        op="gemm" if gemm else f"conv_{found['operation']}",
        arch=found["arch"],
        unparsed=found["rest"] or None,
        parts=from_groups(found, _NOTES),
    )


def _math(found: re.Match[str], plain: str | None) -> str | None:
    """What is multiplied: f32 tensors taken as TF32 are ``tf32``."""
    return "tf32" if found["math"] == "tf32" else plain


def _common(text: str, found: re.Match[str]) -> KernelName:
    stage = _STAGE.search(found["rest"])
    return KernelName(
        name=text,
        dtype_in=_math(found, short_type(found["input"])),
        dtype_acc=short_type(found["acc"]),
        dtype_out=short_type(found["output"]),
        tile=(int(found["m"]), int(found["n"]), int(found["k"])),
        stages=int(stage[1]) if stage else None,
        arch=found["arch"],
        parts=ordered([*from_groups(found, _notes(found)), *from_words(text, *found.span("rest"), _REST)]),
    )


def _notes(found: re.Match[str]) -> dict[str, Note]:
    """The notes that fit a product or a convolution."""
    operation = found["operation"].partition("_")[0]
    meaning = {"gemm": "matrix product", "fprop": "convolution, forward", "dgrad": "gradient of a convolution's input"}
    layout = "operands A and B, then D (column-major)" if operation == "gemm" else "input with filter, then output"
    return _NOTES | {
        "operation": (meaning.get(operation, "gradient of a convolution's weight"), "inferred"),
        "layout": (layout, "measured" if operation == "gemm" else "inferred"),
    }


def _split_k(rest: str) -> bool | None:
    if "_split_k_kernel" in rest:
        return True
    return False if "_segment_k_off_" in rest else None


def _gemm(text: str, found: re.Match[str]) -> KernelName:
    reduces = "_split_k_kernel" in found["rest"]
    bias = _BIAS.search(found["rest"])
    return replace(
        _common(text, found),
        family="xmma_gemm",
        library="cublas",
        op="splitk_reduce" if reduces else "gemm",
        layout=found["layout"][:2],
        split_k=_split_k(found["rest"]),
        epilogue=None if bias is None else f"bias+{bias[1]}" if bias[1] else "bias",
        auxiliary=reduces,
    )


def _convolution(text: str, found: re.Match[str]) -> KernelName:
    return replace(
        _common(text, found),
        family="xmma_conv",
        library="cudnn",
        op="conv_" + found["operation"][:5],
        layout=found["layout"].replace("_", "->"),
        split_k=_split_k(found["rest"]),
    )


FAMILY = Family(name="xmma", parse=_parse)
