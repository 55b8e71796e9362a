"""cuBLAS beside its big products: matrix-vector, dot products, skinny products, split-k reductions, epilogues."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kerneldiff.names.cxx import Signature, boolean, signature
from kerneldiff.names.model import Certainty, Family, KernelName, Part
from kerneldiff.names.parts import ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type

_TENSOR = Pattern(r"cublasGemvTensor\w*<\s*([^<>]*?)( const)?\s*>")
_FAMILY = "cublas_gemv_splitk_dot"
_OPS = {
    "splitKreduce_kernel": "splitk_reduce",
    "globalKernel": "gemm_epilogue",
    "dot_kernel": "dot",
    "reduce_1Block_kernel": "dot_reduce",
    "scal_kernel": "scal",
    "gemmk1_kernel": "gemm",
    "gemmSN_TN_kernel": "gemm",
    "gemmSN_NN_kernel": "gemm",
    "gemmSN_NT_kernel": "gemm",
    "gemmSN_TT_kernel": "gemm",
    "magma_sgemmEx_kernel": "gemm",
    "trsm_batch_left_lower_kernel": "triangular_solve",
    "trsm_batch_left_upper_kernel": "triangular_solve",
}
_HELPERS = frozenset({"splitk_reduce", "gemm_epilogue", "dot_reduce", "scal"})
_MEANINGS = {
    "splitk_reduce": "sums the partial products of a split-k GEMM launched just before",
    "gemm_epilogue": "the epilogue of a GEMM, as a kernel of its own",
    "gemv": "matrix times vector",
    "dot": "first half of a dot product",
    "dot_reduce": "second half of a dot product",
    "scal": "scales a matrix (beta)",
    "gemm": "small or skinny matrix product",
    "triangular_solve": "triangular solve of a batch",
}
Types = tuple[str | None, str | None, str | None]


def _parse(text: str) -> KernelName | None:
    if "kernel" not in text and "Kernel" not in text:
        return None
    read = signature(text)
    if read is None:
        return None
    op = _operation(read, text)
    if op is None:
        return None
    dtype_in, dtype_acc, dtype_out = _types(read, op, text)
    part = Part(start=read.start, end=read.end, meaning=_MEANINGS.get(op, op), certainty="measured")
    return KernelName(
        name=text,
        family=_FAMILY,
        library="cublas",
        op=op,
        layout=_layout(read),
        dtype_in=dtype_in,
        dtype_acc=dtype_acc,
        dtype_out=dtype_out,
        split_k=True if op == "splitk_reduce" else None,
        auxiliary=op in _HELPERS,
        parts=ordered([part, *_flags(read, op)]),
    )


def _flags(read: Signature, op: str) -> list[Part]:
    """The one flag of a reduction or an epilogue whose meaning was measured: docs/kernel-names.md."""
    count = len(read.arguments)
    place = {("splitk_reduce", 15): 12, ("splitk_reduce", 10): 8, ("splitk_reduce", 7): 5, ("gemm_epilogue", 8): 6}.get(
        (op, count)
    )
    value = boolean(read.argument(place)) if place is not None else None
    if place is None or value is None:
        return []
    meaning = (
        "bias, perhaps with relu, is applied here"
        if value
        else "no bias and no relu here, or the general epilogue (gelu)"
    )
    flag = read.arguments[place]
    certainty: Certainty = "measured" if count in (15, 8) else "inferred"
    return [Part(start=flag.start, end=flag.end, meaning=meaning, certainty=certainty)]


def _operation(read: Signature, text: str) -> str | None:
    if read.function == "globalKernel" and "epilogue::impl" not in read.scope:
        return None
    if read.function in _OPS:
        return _OPS[read.function]
    if read.function.startswith(("gemv2", "gemvNSP", "gemv")) or (read.function == "kernel" and "gemvx" in read.scope):
        return "gemv"
    return None if "cublas" not in text or not read.function.startswith("gemm") else "gemm"


def _layout(read: Signature) -> str | None:
    """Letters in the function's own name: ``gemv2T``, ``gemmSN_TN``."""
    found = re.match(r"gemmSN_([NT]{2})_|gemv2([NT])_", read.function)
    return (found[1] or found[2]).lower() if found else None


def _types(read: Signature, op: str, text: str) -> Types:
    if op == "splitk_reduce":
        return _reduce_types(read)
    if op == "dot_reduce":
        return _dot_reduce_types(read, text)
    words = (cpp_type(argument.text) for argument in read.arguments)
    scalars = [word for word in words if word and word not in ("i32", "bool")]
    tensors = _tensors(text)
    if tensors:
        inputs = [cpp_type(inner) for inner, const in tensors if const]
        outputs = [cpp_type(inner) for inner, const in tensors if not const]
        return _at(inputs, 0), _accumulator(read, scalars), _at(outputs, 0)
    return _scalar_types(op, scalars)


def _scalar_types(op: str, scalars: list[str]) -> Types:
    first = _at(scalars, 0)
    if op == "scal":
        return first, None, first
    if op == "gemm_epilogue":
        return first, None, _at(scalars, 1)
    return first, _at(scalars, 3), _at(scalars, 2)


def _tensors(text: str) -> list[tuple[str, str]]:
    """Element type of each tensor argument, and ``const`` behind it when it is only read."""
    return [(found[1], found[2] or "") for found in _TENSOR.compiled.finditer(text)]


def _at(words: Sequence[str | None], index: int) -> str | None:
    return words[index] if index < len(words) else None


def _accumulator(read: Signature, scalars: list[str]) -> str | None:
    """``gemv`` lists A, x, y, then the accumulator; the others list it first."""
    return _at(scalars, 3 if read.function.startswith("gemv") or read.function == "kernel" else 0)


def _reduce_types(read: Signature) -> Types:
    """Partial sums first; output last of the group that the flags end.

    ``<T, T, acc, out, flags>`` and ``<.., int, partial, C, acc, out, flag, more>``: the fourth is the output where
    there are four, the last where there are three.
    """
    words = [cpp_type(argument.text) for argument in read.arguments]
    first = next((index for index, word in enumerate(words) if word not in (None, "i32", "bool")), len(words))
    group = []
    for word in words[first:]:
        if word in (None, "bool"):
            break
        group.append(word)
    if len(group) < 3:
        return _at(group, 0), None, None
    return group[0], group[2], group[3] if len(group) > 3 else group[2]


def _dot_reduce_types(read: Signature, text: str) -> Types:
    first = cpp_type(read.argument(0))
    tensors = _tensors(text[: read.arguments[-1].end] if read.arguments else text)
    outputs = [cpp_type(inner) for inner, const in tensors if not const]
    return first, first, outputs[-1] if outputs else None


FAMILY = Family(name=_FAMILY, parse=_parse)
