"""FBGEMM's GPU kernels: table-batched embeddings, sparse-feature permutations, casts to FP8.

Source: fbgemm_gpu/codegen and fbgemm_gpu/src of pytorch/FBGEMM.
"""

from __future__ import annotations

import re

from kerneldiff.names.cxx import signature
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type

_CODEGEN = Pattern(
    r"(?:split|dense)_embedding(?:_nobag)?_(?:backward_)?codegen_\w+|(?:split|dense)_embedding_\w*codegen\w*"
)
_OPS: tuple[tuple[Pattern, str], ...] = (
    (Pattern(r"embedding_(?:nobag_)?backward|embedding\w*_backward|_grad_indice"), "embedding_bwd"),
    (Pattern(r"embedding\w*_forward"), "embedding"),
    (Pattern(r"permute|recat_copy"), "index"),
    (Pattern(r"(?:FP8|fp8|hfp8|float_to|to_float|fused\w*bit|quantize)"), "quantize"),
    (Pattern(r"offsets_range|asynchronous_cumsum|cumsum"), "scan"),
    (Pattern(r"bucketize"), "sort"),
    (Pattern(r"bounds_check"), "index"),
    (Pattern(r"jagged"), "elementwise"),
)
_BARE = (
    "bounds_check_indices_kernel",
    "permute_pooled_embs_kernel",
    "recat_copy_async_kernel",
    "linearize_index_kernel",
)


def _parse(text: str) -> KernelName | None:
    read = signature(text)
    if read is None:
        return None
    ours = read.scope.startswith("fbgemm_gpu") or _CODEGEN.fullmatch(read.function) or read.function in _BARE[:3]
    if read.function == "multi_tensor_apply_kernel" and not read.scope:
        return _optimizer(text, read.start, read.end)
    if not ours:
        return None
    op = next((op for pattern, op in _OPS if pattern.search(read.function)), None)
    element = next(
        (
            word
            for word in (cpp_type(argument.text) for argument in read.arguments)
            if word and word[0] in "fb" and word != "bool"
        ),
        None,
    )
    helper = "find_long_segments" in read.function
    part = Part(start=read.start, end=read.end, meaning=(op or "kernel").replace("_", " "), certainty="source")
    return KernelName(
        name=text,
        family="fbgemm",
        library="fbgemm",
        op=op,
        dtype_in=element if op in ("embedding", "embedding_bwd") else None,
        auxiliary=helper,
        parts=ordered([part]),
    )


def _optimizer(text: str, start: int, end: int) -> KernelName:
    """Apex's ``multi_tensor_apply_kernel``, outside ATen's namespace: it came with FBGEMM's training stack."""
    part = Part(start=start, end=end, meaning="optimizer step over many tensors", certainty="inferred")
    op = "optimizer" if re.search(r"(?:Adam|SGD|Lamb|LAMB|Adagrad)\w*Functor", text) else "multi_tensor"
    return KernelName(name=text, family="fbgemm", library="apex", op=op, parts=ordered([part]))


FAMILY = Family(name="fbgemm", parse=_parse)
