"""Transformer Engine and Apex: layer norms, casts, fused softmax and their helpers.

Source: transformer_engine/common/normalization and common/util of NVIDIA/TransformerEngine;
``Kernel_traits<weight, input, output, compute, ...>``.
"""

from __future__ import annotations

from kerneldiff.names.cxx import signature, template
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import ordered
from kerneldiff.names.types import cpp_type

_OPS: tuple[tuple[str, str, bool], ...] = (
    ("ln_fwd", "layer_norm", False),
    ("ln_bwd_finalize", "layer_norm_bwd", True),
    ("ln_bwd", "layer_norm_bwd", False),
    ("rmsnorm_fwd", "rms_norm", False),
    ("rmsnorm_bwd_finalize", "rms_norm_bwd", True),
    ("rmsnorm_bwd", "rms_norm_bwd", False),
    ("softmax_warp_forward", "softmax", False),
    ("softmax_warp_backward", "softmax_bwd", False),
    ("fused_rope_forward", "rope", False),
    ("fused_rope_backward", "rope_bwd", False),
    ("transpose", "transpose", False),
    ("cast", "quantize", False),
    ("quantize", "quantize", False),
    ("amax", "reduce", False),
    ("gated", "elementwise", False),
    ("unary", "elementwise", False),
    ("multi_tensor", "multi_tensor", False),
)
_SCOPES = ("layer_norm", "rmsnorm", "transformer_engine", "te::")


def _parse(text: str) -> KernelName | None:
    if "layer_norm::" not in text and "transformer_engine" not in text and "rmsnorm::" not in text:
        return None
    read = signature(text)
    if read is None or not read.scope.startswith(_SCOPES):
        return None
    match = next(((op, helper) for word, op, helper in _OPS if word in read.function), (None, False))
    traits = template(text, "Kernel_traits") or template(text, "Kernel_traits_finalize")
    types = [word for word in (cpp_type(argument.text) for argument in traits) if word]
    weight, given, out, acc = (*types[:4], None, None, None, None)[:4]
    del weight  # the norm's weight has a type of its own
    if "_finalize" in read.function or "_bwd" in read.function:
        out = None
    part = Part(start=read.start, end=read.end, meaning=(match[0] or "kernel").replace("_", " "), certainty="inferred")
    return KernelName(
        name=text,
        family="transformer_engine_ln",
        library="transformer_engine",
        op=match[0],
        dtype_in=given or (cpp_type(read.argument(0)) if not traits else None),
        dtype_acc="f32" if traits and "f32" in types else acc,
        dtype_out=out,
        auxiliary=match[1],
        parts=ordered([part]),
    )


FAMILY = Family(name="transformer_engine_ln", parse=_parse)
