"""Serving libraries: vLLM, SGLang, FlashInfer and Marlin, which share and copy each other's kernels.

Sources: csrc of vllm-project/vllm, sgl-kernel of sgl-project/sglang, include/flashinfer of
flashinfer-ai/flashinfer, csrc/quantization/gptq_marlin of vLLM (scalar types: csrc/core/scalar_type.hpp).
"""

from __future__ import annotations

import re

from kerneldiff.names.cxx import Signature, signature, without_cast
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type

_PLAIN: dict[str, tuple[str, str, str | None]] = {
    # kernels that stand in a trace without a namespace: family, library, operation
    "fused_moe_kernel": ("vllm", "triton", "moe_gemm"),
    "fused_moe_kernel_gptq_awq": ("vllm", "triton", "moe_gemm"),
    "moe_sum_kernel": ("vllm", "vllm", "moe_finalize"),
    "rotary_embedding_kernel": ("vllm", "vllm", "rope"),
    "paged_attention_ll4mi_QKV_mfma16_kernel": ("vllm", "vllm", "attention_fwd"),
    "paged_attention_ll4mi_QKV_mfma4_kernel": ("vllm", "vllm", "attention_fwd"),
    "paged_attention_ll4mi_reduce_kernel": ("vllm", "vllm", "attention_fwd"),
    "per_token_group_quant_8bit_kernel": ("sglang", "sglang", "quantize"),
    "create_flashinfer_kv_indices_triton": ("flashinfer", "triton", "schedule"),
    "clamp_position_kernel": ("sglang", "sglang", "elementwise"),
    "resolve_future_token_ids_kernel": ("sglang", "sglang", "elementwise"),
    "store_kvcache": ("sglang", "sglang", "kv_cache"),
}
_WORDS: tuple[tuple[str, str], ...] = (
    ("rms_norm", "rms_norm"), ("rmsnorm", "rms_norm"), ("layernorm", "layer_norm"), ("rotary_embedding", "rope"), ("rope", "rope"),
    ("quant", "quantize"), ("act_and_mul", "elementwise"), ("activation_kernel", "elementwise"),
    ("reshape_and_cache", "kv_cache"), ("concat_and_cache", "kv_cache"), ("kvcache", "kv_cache"), ("copy_blocks", "kv_cache"),
    ("appendpagedkv", "kv_cache"), ("paged_attention", "attention_fwd"), ("prefill", "attention_fwd"), ("decodekernel", "attention_fwd"),
    ("batchdecode", "attention_fwd"), ("singledecode", "attention_fwd"), ("mla", "attention_fwd"),
    ("merge_attn_states", "attention_fwd"), ("merge_state", "attention_fwd"), ("moe_align", "moe_routing"), ("topk_softmax", "moe_routing"),
    ("topkgating", "moe_routing"), ("moe_sum", "moe_finalize"), ("all_reduce", "all_reduce"), ("allreduce", "all_reduce"),
    ("cross_device_reduce", "all_reduce"), ("sampling", "random"), ("topk", "topk"), ("gemm", "gemm"), ("silu", "elementwise"), ("gelu", "elementwise"),
    ("softmax", "softmax"),
)  # fmt: skip
_SCOPES = (
    ("vllm", "vllm", "vllm"),
    ("sgl_hip", "sglang", "sglang"),
    ("sglang", "sglang", "sglang"),
    ("sgl", "sglang", "sglang"),
    ("flashinfer", "flashinfer", "flashinfer"),
)
_MARLIN_TYPE = Pattern(r"k([SU]|FE)(\d+)(?:M(\d+))?")


def _parse(text: str) -> KernelName | None:
    read = signature(text)
    if read is None:
        return None
    plain = _PLAIN.get(read.function)
    if plain is not None and not read.scope.startswith(("at::", "vllm", "aiter")):
        return _decoded(text, read, *plain)
    if "marlin" in read.scope.lower() or read.function == "Marlin":
        return _marlin(text, read)
    for scope, family, library in _SCOPES:
        if f"{read.scope}::".startswith(f"{scope}::"):
            return _decoded(text, read, family, library, _operation(read.function))
    return None


def _operation(function: str) -> str | None:
    lowered = function.lower()
    return next((op for word, op in _WORDS if word in lowered), None)


def _decoded(text: str, read: Signature, family: str, library: str, op: str | None) -> KernelName:
    dtype_in, dtype_out = _types(read, op)
    part = Part(start=read.start, end=read.end, meaning=(op or "kernel").replace("_", " "), certainty="inferred")
    return KernelName(
        name=text,
        family=family,
        library=library,
        op=op,
        dtype_in=dtype_in,
        dtype_out=dtype_out,
        epilogue="residual_add" if op == "rms_norm" and "add" in read.function.lower() else None,
        fused_ops=_gate(read, text),
        jit=library == "triton",
        parts=ordered([part]),
    )


def _types(read: Signature, op: str | None) -> tuple[str | None, str | None]:
    """The first element type; the second is what a quantisation or a cache writes, else input and output agree."""
    known = [
        word
        for word in (cpp_type(argument.text) for argument in read.arguments)
        if word and word[0] in "bfe" and word != "bool"
    ]
    if not known:
        return None, None
    if op == "quantize":
        eight_bit = [word for word in known[1:] if word != known[0]]
        return known[0], eight_bit[0] if eight_bit else None
    if op in ("rms_norm", "layer_norm", "rope", "elementwise"):
        return known[0], known[0]
    return known[0], None


def _gate(read: Signature, text: str) -> tuple[str, ...]:
    """``act_and_mul_kernel<T, silu>``: the activation is a template argument."""
    if "act_and_mul" not in read.function:
        return ()
    found = re.search(r"\b(silu|gelu_tanh|gelu|fatrelu)\w*\b", text[read.end :])
    return (found[1], "mul") if found else ("mul",)


def _marlin(text: str, read: Signature) -> KernelName:
    arguments = [argument.text for argument in read.arguments]
    activations = next((word for word in map(cpp_type, arguments) if word), None)
    bits = next((value for value in (_bits(argument) for argument in arguments) if value and value < 16), None)
    part = Part(start=read.start, end=read.end, meaning="product with a weight of few bits", certainty="source")
    return KernelName(
        name=text,
        family="marlin",
        library="marlin",
        op=f"gemm_w{bits}a16" if bits in (4, 8) else "gemm",
        dtype_in=activations,
        dtype_acc="f32" if activations else None,
        dtype_out=activations,
        parts=ordered([part]),
    )


def _bits(text: str) -> int | None:
    """Bits of a scalar type, by name (``vllm::kU4.id()``) or by id.

    An id packs exponent (8 bits), mantissa (8), sign (1) and bias (32), lowest first.
    """
    found = _MARLIN_TYPE.search(text)
    if found:
        return 1 + int(found[2]) + int(found[3]) if found[3] else int(found[2])
    number = re.fullmatch(r"(\d{4,18})[uUlL]*", without_cast(text))
    if number is None:
        return None
    value = int(number[1])
    return (value & 0xFF) + ((value >> 8) & 0xFF) + ((value >> 16) & 1)


FAMILY = Family(name="serving", parse=_parse)
