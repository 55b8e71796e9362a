"""PyTorch's own kernels: elementwise drivers with a functor, reductions, and the kernels listed in aten_table.

Sources: aten/src/ATen/native/cuda of pytorch/pytorch (CUDALoops.cuh, Reduce.cuh and the file of each operator).
"""

from __future__ import annotations

import re

from kerneldiff.names.cxx import Signature, boolean, signature, template
from kerneldiff.names.families.aten_functors import Functor, inner_functor, read_functor, snake, without_anonymous
from kerneldiff.names.families.aten_special import Special, read_special
from kerneldiff.names.families.aten_table import KERNELS, PREFIXES, Row
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import ordered, stretch
from kerneldiff.names.types import cpp_type

_ELEMENTWISE = {
    "vectorized_elementwise_kernel": ("elementwise over contiguous memory, several elements per access", 1),
    "vectorized_templated_elementwise_kernel": ("elementwise over contiguous memory, casting", 1),
    "unrolled_elementwise_kernel": ("elementwise, unrolled", 0),
    "unrolled_elementwise_kernel_for_multi_outputs": ("elementwise with several outputs", 1),
    "elementwise_kernel": ("elementwise over any strides", 2),
    "elementwise_kernel_manual_unroll": ("elementwise over any strides, unrolled", 2),
    "elementwise_kernel_with_index": ("elementwise from the index alone", 1),
}
_CASTS = ("LoadWithCast", "StoreWithCast")


def _parse(text: str) -> KernelName | None:
    read = signature(text)
    if read is None:
        return None
    if read.function in _ELEMENTWISE:
        return _elementwise(text, read)
    if read.function == "reduce_kernel" and "ReduceOp" in text:
        return _reduction(text, read)
    if not _ours(read):
        return None
    special = read_special(read, text)
    if special is not None:
        return _inside(text, read, special)
    row = KERNELS.get(read.function) or next((row for head, row in PREFIXES if read.function.startswith(head)), Row())
    return _listed(text, read, row)


def _ours(read: Signature) -> bool:
    """In a namespace of PyTorch, or in none and known: older kernels stand in no namespace."""
    scope = read.scope.removeprefix("(anonymous namespace)").removeprefix("<unnamed>").removeprefix("::")
    return scope.split("::")[0] in ("at", "c10d", "c10") or (not scope and read.function in KERNELS)


def _functor_text(read: Signature) -> str | None:
    index = _ELEMENTWISE[read.function][1]
    if index >= len(read.arguments):
        return None
    text = read.arguments[index].text
    return inner_functor(text) or text


def _elementwise(text: str, read: Signature) -> KernelName:
    piece = _functor_text(read)
    functor = read_functor(piece) if piece else Functor(operator=None)
    arguments = text[read.arguments[0].start : read.arguments[-1].end] if read.arguments else ""
    dtype_in, acc, dtype_out = _tensor_types(read, functor, arguments)
    op = {"copy": "copy", "fill": "fill", "arange": "range"}.get(
        (functor.operator or "").removesuffix("_cuda_out"), "elementwise"
    )
    return KernelName(
        name=text,
        family="aten",
        library="aten",
        op=op,
        dtype_in=dtype_in,
        dtype_acc=acc,
        dtype_out=dtype_out,
        fused_ops=(functor.operator.removesuffix("_cuda_out"),) if functor.operator else (),
        parts=ordered(
            [
                Part(start=read.start, end=read.end, meaning=_ELEMENTWISE[read.function][0], certainty="source"),
                *_driver_parts(read),
                stretch(text, piece or "", f"functor: {functor.operator or 'not known'}", "source"),
            ]
        ),
    )


def _driver_parts(read: Signature) -> list[Part | None]:
    if read.function.startswith("vectorized") and read.arguments:
        first = read.arguments[0]
        return [Part(start=first.start, end=first.end, meaning="elements per access", certainty="source")]
    return []


def _tensor_types(read: Signature, functor: Functor, arguments: str) -> tuple[str | None, str | None, str | None]:
    """Types in memory. A kernel that casts reads types that only the run knows."""
    dtype_in, acc, dtype_out = functor.dtype_in, functor.dtype_acc, functor.dtype_out
    if read.function == "elementwise_kernel_with_index":
        return None, None, None  # the lambda takes the index; what it returns is not said
    if read.function == "vectorized_templated_elementwise_kernel":
        words = [cpp_type(argument.text) for argument in read.arguments[-3:]]
        if len(words) == 3 and all(words):
            return ",".join(dict.fromkeys(word for word in words[1:] if word)), dtype_in, words[0]
    if any(cast in arguments for cast in _CASTS):
        return None if functor.operator != "copy" or functor.is_copy else dtype_in, acc or dtype_in, dtype_out
    if functor.is_copy and dtype_in is None and not re.search(r"gpu_kernel_impl<", arguments):
        dtype_in = dtype_out  # without a cast a copy reads what it writes
    return dtype_in, acc, dtype_out


def _reduction(text: str, read: Signature) -> KernelName:
    parts = template(text, "ReduceOp")
    words = [cpp_type(part.text) for part in parts]
    operation = parts[1].text if len(parts) > 1 else ""
    operator, acc = _reduce_operator(operation)
    return KernelName(
        name=text,
        family="aten",
        library="aten",
        op="reduce",
        dtype_in=words[0] if words else None,
        dtype_acc=acc,
        dtype_out=words[3] if len(words) > 3 else None,
        fused_ops=(operator,) if operator else (),
        parts=ordered(
            [
                Part(start=read.start, end=read.end, meaning="reduction over some dimensions", certainty="source"),
                stretch(text, operation, f"what is reduced: {operator or 'not known'}", "source"),
            ]
        ),
    )


_REDUCTIONS = {
    "max_nan": "amax",
    "min_nan": "amin",
    "norm_two": "norm",
    "norm_one": "norm",
    "welford": "var",
    "arg_max": "argmax",
    "arg_min": "argmin",
    "and": "all",
    "or": "any",
    "abs_max": "norm",
    "abs_min": "norm",
    "norm_zero": "norm",
    "xor_sum": "xor_sum",
    "nan_sum": "nansum",
    "nansum": "nansum",
}


def _reduce_operator(text: str) -> tuple[str | None, str | None]:
    """The reduced operator and its accumulator type: ``MeanOps<in, acc, factor, out>``, ``sum_functor<in, acc, out>``."""
    text = without_anonymous(text)
    head = re.match(r"[\w:]*", text)
    name = (head[0] if head else "").rpartition("::")[2]
    arguments = template(text, name) if name else ()
    if name == "func_wrapper_t" and len(arguments) > 1:
        return _reduce_operator(arguments[1].text)
    if not name:
        return None, None
    bare = snake(
        name.removesuffix("_functor")
        .removesuffix("Functor")
        .removesuffix("Ops")
        .removesuffix("_kernel_cuda")
        .removesuffix("_kernel_impl")
    )
    acc = cpp_type(arguments[1].text) if len(arguments) > 1 else None
    return _REDUCTIONS.get(bare, bare) or None, acc


def _listed(text: str, read: Signature, row: Row) -> KernelName:
    def element(index: int | None) -> str | None:
        return cpp_type(read.arguments[index].text) if index is not None and index < len(read.arguments) else None

    op, operator = _variant(text, read, row)
    meaning = (op or "kernel of PyTorch").replace("_", " ")
    return KernelName(
        name=text,
        family="aten",
        library="aten",
        op=op,
        layout=row.layout,
        dtype_in=element(row.dtype_in),
        dtype_acc=element(row.dtype_acc),
        dtype_out=element(row.dtype_out),
        fused_ops=(operator,) if operator else (),
        auxiliary=row.auxiliary,
        parts=ordered([Part(start=read.start, end=read.end, meaning=meaning, certainty="source")]),
    )


def _variant(text: str, read: Signature, row: Row) -> tuple[str | None, str | None]:
    """Operation and operator: a flag turns a layer norm into an RMS norm, a softmax into a log-softmax."""
    if read.function == "RowwiseMomentsCUDAKernel" and len(read.arguments) == 1:
        return "group_norm", "native_group_norm"  # the layer norm's has an accumulator type too
    if row.rms is not None and boolean(read.argument(row.rms)):
        backward = (row.op or "").endswith("_bwd")
        return ("rms_norm_bwd", "_fused_rms_norm_backward") if backward else ("rms_norm", "_fused_rms_norm")
    logarithm = row.logarithm is not None and boolean(read.argument(row.logarithm))
    if row.operator and (logarithm or "LogSoftMax" in text):
        return row.op, f"_log{row.operator}"
    return row.op, row.operator


def _inside(text: str, read: Signature, special: Special) -> KernelName:
    return KernelName(
        name=text,
        family="aten",
        library="aten",
        op=special.op,
        dtype_in=special.dtype_in,
        dtype_out=special.dtype_out,
        fused_ops=(special.operator,) if special.operator else (),
        parts=ordered([Part(start=read.start, end=read.end, meaning=special.op.replace("_", " "), certainty="source")]),
    )


FAMILY = Family(name="aten", parse=_parse)
