"""Hand-written Triton: the name of a ``@triton.jit`` function and nothing else.

No type, tile or stage is in such a name; every specialisation of a function shares it. What the function's
own name says (``_rms_norm_forward_kernel``) is read word by word.
"""

from __future__ import annotations

import re

from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import ordered
from kerneldiff.names.patterns import Pattern

_NAME = Pattern(r"(?P<function>[A-Za-z_]\w*?)(?P<specialised>(?:_(?:\d+[dce]*)+)?)")
_SPECIALISED = Pattern(r"_0d?1[dce]?(?:\d+[dce]*)*$")


def _parse(text: str) -> KernelName | None:
    if not re.fullmatch(r"[a-z_]\w{2,255}", text):
        return None
    specialised = _SPECIALISED.search(text)
    function = text[: specialised.start()] if specialised else text
    if not _looks_like_a_function(function):
        return None
    words = [word for word in function.lower().split("_") if word]
    part = Part(
        start=0,
        end=len(function),
        meaning="function written in Triton; its arguments are not in the name",
        certainty="inferred",
    )
    return KernelName(
        name=text,
        family="user_triton",
        library="triton",
        op=operation(words),
        fused_ops=fused(words),
        jit=True,
        parts=ordered([part]),
    )


def _looks_like_a_function(function: str) -> bool:
    """Plain C symbols look alike: only lower-case names with a word that says kernel, forward, backward or the like."""
    return "__" not in function.strip("_") or "kernel" in function


_BACKWARD = frozenset({"backward", "bwd", "grad"})
_PRODUCTS = frozenset({"proj", "matmul", "gemm", "mm"})


def _has(words: list[str], *sequence: str) -> bool:
    joined = "_" + "_".join(words) + "_"
    return "_" + "_".join(sequence) + "_" in joined


def operation(words: list[str]) -> str | None:
    """The operation that the words of a function's name tell, None when they tell none."""
    backward = not _BACKWARD.isdisjoint(words)
    for sequences, forward, reverse in _OPERATIONS:
        if any(_has(words, *sequence) for sequence in sequences):
            # an activation beside a product is that product's epilogue, and the whole is neither
            return (
                None
                if forward == "elementwise" and not _PRODUCTS.isdisjoint(words)
                else reverse
                if backward
                else forward
            )
    return None


_OPERATIONS: tuple[tuple[tuple[tuple[str, ...], ...], str, str], ...] = (
    ((("rms", "norm"), ("rmsnorm",)), "rms_norm", "rms_norm_bwd"),
    ((("layer", "norm"), ("layernorm",)), "layer_norm", "layer_norm_bwd"),
    ((("group", "norm"),), "group_norm", "group_norm_bwd"),
    ((("cross", "entropy"), ("parallel", "ce")), "cross_entropy", "cross_entropy_bwd"),
    ((("softmax",),), "softmax", "softmax_bwd"),
    (
        (("attn", "fwd"), ("attn", "bwd"), ("attn", "forward"), ("attn", "backward"), ("attention",)),
        "attention_fwd",
        "attention_bwd",
    ),
    ((("rope",), ("rotary",)), "rope", "rope_bwd"),
    ((("matmul",),), "gemm", "gemm"),
    ((("geglu",), ("swiglu",), ("silu", "mul"), ("relu", "squared")), "elementwise", "elementwise"),
    ((("embedding",),), "embedding", "embedding_bwd"),
    ((("loss",), ("jsd",), ("kldiv",), ("kl", "div")), "loss", "loss_bwd"),
    ((("cumsum",),), "scan", "scan"),
)
_GATES = {"geglu": "gelu", "swiglu": "silu", "silu": "silu"}


def fused(words: list[str]) -> tuple[str, ...]:
    """The operators of a gated activation: ``geglu_tanh`` is ``gelu_tanh, mul``. Only forward kernels say so."""
    if not _BACKWARD.isdisjoint(words) or any("bwd" in word for word in words):
        return ()
    gate = next((_GATES[word] for word in words if word in _GATES), None)
    if gate is None or (gate == "silu" and "silu" in words and "mul" not in words):
        return ()
    return (f"{gate}_tanh" if "tanh" in words and gate == "gelu" else gate, "mul")


FAMILY = Family(name="user_triton", parse=_parse)
