"""MIOpen: implicit-GEMM convolutions in assembly (``igemm_fwd_gtcx2_...``) and its helper kernels."""

from __future__ import annotations

import re

from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import Note, from_groups
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import short_type

_IGEMM = Pattern(
    r"igemm_(?P<direction>fwd|bwd|wrw)_gtcx?(?P<generation>\d?)_(?P<layout>n[a-z]+)_(?P<type>bf16|fp16|fp32|int8)"
    r"(?:_bx(?P<b>\d+))?(?:_ex(?P<e>\d+))?_bt(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)_wt(?P<wave>\w+?)_ws(?P<rest>\w+)"
)
_DIRECTIONS = {"fwd": "conv_fprop", "bwd": "conv_dgrad", "wrw": "conv_wgrad"}
_GENERATIONS = {"": "gfx908", "2": "gfx90a", "3": "gfx942"}
_NOTES: dict[str, Note] = {
    "direction": ("forward, to the input (bwd) or to the weight (wrw)", "source"),
    "generation": ("matrix cores of gfx908 (none), gfx90a (2) or gfx94x (3)", "inferred"),
    "layout": ("order of the tensors' dimensions", "source"),
    "type": ("element type", "source"),
    "m": ("rows of the block's tile", "source"),
    "n": ("columns of the block's tile", "source"),
    "k": ("k per loop", "source"),
    "wave": ("tile of one wave", "source"),
    "rest": ("wave steps and copies; gkgs splits k between blocks", "source"),
}
_KERNELS: tuple[tuple[Pattern, str | None, str | None, bool], ...] = (
    (Pattern(r"MIOpenBatchNormFwd\w*"), "batch_norm_fwd", None, False),
    (Pattern(r"MIOpenBatchNormBwd\w*"), "batch_norm_bwd", None, False),
    (Pattern(r"Im[23]d2Col\w*"), "im2col", None, True),
    (Pattern(r"Col2Im[23]d\w*"), "im2col", None, True),
    (Pattern(r"(?:gpu_)?batched_transpose_\w+"), "transpose", None, True),
    (Pattern(r"transpose_NCHW2CNHW\w*"), "layout_transform", "nchw->cnhw", True),
    (Pattern(r"transpose_CNHW2NCHW\w*"), "layout_transform", "cnhw->nchw", True),
    (Pattern(r"transpose_packed_MN2NM\w*"), "transpose", None, True),
    (Pattern(r"SubTensorOpWith\w*"), "elementwise", None, True),
    (Pattern(r"naive_conv_(?:\w*_)?fwd_\w+"), "conv_fprop", None, False),
    (Pattern(r"naive_conv_(?:\w*_)?bwd_\w+"), "conv_dgrad", None, False),
    (Pattern(r"naive_conv_(?:\w*_)?wrw_\w+"), "conv_wgrad", None, False),
    (Pattern(r"miopenSp3AsmConv\w*|miopenGcnAsm(?:Conv|Wino)\w*|MIOpenConv\w*|gcnAsmConv\w*"), "conv", None, False),
    (Pattern(r"mloPooling(?:Forward|ForwardNaive)\w*"), "pool", None, False),
    (Pattern(r"mloPooling(?:Backward|Bwd)\w*"), "pool_bwd", None, False),
    (Pattern(r"[Ss]oftmaxForward\w*"), "softmax", None, False),
    (Pattern(r"MIOpen\w+|miopen\w+"), None, None, False),
)


def _parse(text: str) -> KernelName | None:
    found = _IGEMM.fullmatch(text)
    if found is not None:
        return _convolution(text, found)
    for pattern, op, layout, auxiliary in _KERNELS:
        if pattern.fullmatch(text):
            part = Part(
                start=0, end=len(text), meaning=(op or "kernel of MIOpen").replace("_", " "), certainty="inferred"
            )
            return KernelName(
                name=text, family="miopen", library="miopen", op=op, layout=layout, auxiliary=auxiliary, parts=(part,)
            )
    return None


def _convolution(text: str, found: re.Match[str]) -> KernelName:
    element = short_type(found["type"])
    split = "gkgs" in found["rest"].split("_")
    return KernelName(
        name=text,
        family="miopen",
        library="miopen",
        op=_DIRECTIONS[found["direction"]],
        layout=found["layout"],
        dtype_in=element,
        dtype_acc="i32" if element == "i8" else "f32",
        # a split k or a weight gradient is summed in memory, perhaps in f32
        dtype_out=None if split or found["direction"] == "wrw" else element,
        tile=(int(found["m"]), int(found["n"]), int(found["k"])),
        split_k=True if split else None,
        arch=_GENERATIONS.get(found["generation"]),
        parts=from_groups(found, _NOTES),
    )


FAMILY = Family(name="miopen", parse=_parse)
