"""ATen kernels whose operator is inside their template arguments: foreach, scatter and gather, index, random, padding."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kerneldiff.names.cxx import Signature, integer, template
from kerneldiff.names.families.aten_functors import snake, without_anonymous
from kerneldiff.names.types import cpp_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Special:
    """What such a kernel does."""

    op: str
    operator: str | None = None
    dtype_in: str | None = None
    dtype_out: str | None = None


_FOREACH = {
    "plus": "add",
    "minus": "sub",
    "multiplies": "mul",
    "divides": "div",
    "minimum": "clamp_max",
    "maximum": "clamp_min",
    "power_functor": "pow",
    "reverse_power_functor": "pow",
}
_FUNCTORS = (
    ("LpNorm", "_foreach_norm"),
    ("LpMax", "_foreach_max"),
    ("Zero", "_foreach_zero"),
    ("Copy", "_foreach_copy"),
    ("Lerp", "_foreach_lerp"),
    ("TernaryOp", "_foreach_lerp"),
)


def read_special(read: Signature, text: str) -> Special | None:
    """None when the function is none of these."""
    reader = _READERS.get(read.function)
    if reader is not None:
        return reader(read, text)
    found = re.match(
        r"(replication|reflection|constant)_pad_?(forward|backward)?\w*?(\d)d|(reflection|replication)_pad(\d)d_(out|backward)",
        read.function,
    )
    if found:
        return Special(
            op="pad",
            operator=f"{found[1] or found[4]}_pad{found[3] or found[5]}d",
            dtype_in=_first(read),
            dtype_out=_first(read),
        )
    found = re.match(r"(upsample_[a-z]+\dd)(?:_nhwc)?_?(out|backward|grad)?", read.function)
    if found:
        operator = found[1] + ("_backward" if found[2] in ("backward", "grad") else "")
        return Special(op="interpolate", operator=operator, dtype_in=_first(read), dtype_out=_first(read))
    return None


def _first(read: Signature) -> str | None:
    return cpp_type(read.arguments[0].text) if read.arguments else None


def _bare(text: str) -> str:
    return re.sub(r"<.*", "", text, count=1, flags=re.DOTALL).rpartition("::")[2]


def _multi_tensor(read: Signature, text: str) -> Special:
    """``multi_tensor_apply_kernel<metadata, Functor<T, ...>, operation, ...>``: MultiTensorApply.cuh."""
    functor = read.arguments[1].text if len(read.arguments) > 1 else ""
    name = _bare(without_anonymous(functor))
    inner = template(text, name) if name else ()
    element = cpp_type(inner[0].text) if inner else None
    fused = re.match(r"Fused(\w+?)MathFunctor", name)
    if fused:
        return Special(op="optimizer", operator=f"_fused_{snake(fused[1])}", dtype_in=element, dtype_out=element)
    operator = next((known for word, known in _FUNCTORS if name.startswith(word)), None)
    if operator is None and len(read.arguments) > 2:
        operation = _bare(without_anonymous(read.arguments[2].text))
        word = _FOREACH.get(operation, snake(operation.removesuffix("Functor")))
        if name.startswith("PointwiseOp"):
            word = f"addc{word}"
        operator = f"_foreach_{word}" if word else None
    return Special(op="foreach", operator=operator, dtype_in=element, dtype_out=element)


def _scatter_gather(_: Signature, text: str) -> Special:
    """``_cuda_scatter_gather_internal_kernel<is_scatter_like, T>::operator()<reduction>``: ScatterGatherKernel.cu."""
    reduction = re.search(r"operator\(\)<[\w:]*?(\w+)>", text)
    suffix = {
        "ReduceAdd": "_add",
        "ReduceMultiply": "_reduce",
        "ReduceMaximum": "_reduce",
        "ReduceMinimum": "_reduce",
        "ReduceMean": "_reduce",
    }
    kind = suffix.get(reduction[1], "") if reduction else ""
    arguments = template(text, "_cuda_scatter_gather_internal_kernel")
    if len(arguments) < 2:
        return Special(op="scatter", operator=f"scatter{kind}")
    op = "scatter" if arguments[0].text in ("true", "(bool)1") else "gather"
    element = cpp_type(arguments[1].text)
    return Special(op=op, operator=f"{op}{kind}", dtype_in=element, dtype_out=element)


def _index(_: Signature, text: str) -> Special:
    """``index_elementwise_kernel<..., gpu_index_kernel<index_put_kernel_impl<T>(...)>``: IndexKernel.cu."""
    found = re.search(r"\b(index(?:_put|_copy|_fill)?|take|put|masked_scatter|flip)_kernel(?:_impl)?\b", text)
    element = None
    if found:
        inner = template(text, found[0])
        element = cpp_type(inner[0].text) if inner else None
    return Special(op="index", operator=found[1] if found else None, dtype_in=element, dtype_out=element)


def _random(_: Signature, text: str) -> Special:
    """``distribution_elementwise_grid_stride_kernel<acc, unroll, normal_and_transform<T, ...>>``: DistributionTemplates.h."""
    found = re.search(
        r"\b(normal|uniform|bernoulli|exponential|random_from_to|random_full_64_bits_range|random|cauchy|geometric|log_normal)(?:_tensor)?_(?:and_transform|kernel)",
        text,
    )
    if found is None:
        return Special(op="random")
    inner = template(text, f"{found[1]}_and_transform")
    return Special(
        op="random",
        operator=found[1].partition("_f")[0],
        dtype_out=cpp_type(inner[0].text) if inner and integer(inner[0].text) is None else None,
    )


_READERS = {
    "multi_tensor_apply_kernel": _multi_tensor,
    "_scatter_gather_elementwise_kernel": _scatter_gather,
    "index_elementwise_kernel": _index,
    "distribution_elementwise_grid_stride_kernel": _random,
    "distribution_nullary_kernel": _random,
}
