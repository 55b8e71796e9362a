"""Traffic of ATen's own kernels: elementwise, copies, reductions, norms, softmax, gathers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod

from kerneldiff.names.model import KernelName
from kerneldiff.profiles.arguments import ITEM_BYTES, NAMED_TYPES, Argument, Call, Shape, broadcast, made, promoted
from kerneldiff.profiles.explained import Tensor, Traffic

_TRUTHS = frozenset(
    """eq ne lt le gt ge logical_and logical_or logical_not logical_xor isnan isinf isfinite isneginf isposinf
    is_close""".split()
)
_POINTERS = re.compile(r"(?:std::array|at::detail::Array)<char ?\*, (\d+)")
_OPAQUE = re.compile(r"OpaqueType<(\d+)u?>")
MAY_BE_ONE = "inputs of equal shape may be one tensor, which is then read once"


def of_aten(calls: Sequence[Call], decoded: KernelName) -> Traffic | None:
    """Work out the traffic of a kernel that ATen launched, by its operator's rule; None where there is no rule."""
    call = calls[0]
    if not call.operator.startswith("aten::"):
        return None
    name = call.operator.removeprefix("aten::")
    rule = RULES.get(name) or RULES.get(name.strip("_"))
    if rule is not None:
        return rule(call, decoded)
    if decoded.op in ("elementwise", "copy", "fill", "pointwise") and decoded.library in ("aten", None):
        return _elementwise(call, decoded)
    return None


def _elementwise(call: Call, decoded: KernelName) -> Traffic | None:
    """All tensors in, their broadcast out; in place when the name ends in an underscore.

    The kernel's name says how many tensors it has: an ``out`` argument beyond its inputs is not read.
    """
    tensors = call.tensors
    pointers = _POINTERS.search(decoded.demangled or decoded.name)
    if pointers and len([one for one in tensors if one.shape]) > int(pointers[1]) - 1:
        tensors = [one for one in tensors if one.shape][: max(1, int(pointers[1]) - 1)]
    if not tensors:
        return None
    name = call.operator.removeprefix("aten::")
    shape = broadcast([one.shape or () for one in tensors])
    if name.endswith("_") and not name.endswith("__"):
        result = tensors[0].tensor()
    elif name.strip("_") in _TRUTHS:
        result = made(shape, "bool")
    else:
        result = made(shape, promoted(tensors))
    sized = [one.shape for one in tensors if one.shape]
    twins = len(sized) != len(set(sized))
    return _traffic(tensors, [result], MAY_BE_ONE if twins else None)


def _traffic(
    reads: Sequence[Argument | Tensor], writes: Sequence[Tensor], *notes: str | None, lower_bound: bool = False
) -> Traffic:
    return Traffic(
        reads=tuple(one if isinstance(one, Tensor) else one.tensor() for one in reads),
        writes=tuple(writes),
        lower_bound=lower_bound,
        assumptions=tuple(note for note in notes if note),
    )


def _copy(call: Call, _decoded: KernelName) -> Traffic | None:
    """``copy_(self, src)``: the first is written, the second read."""
    tensors = call.tensors
    return _traffic([tensors[1]], [tensors[0].tensor()]) if len(tensors) >= 2 else None


def _fill(call: Call, _decoded: KernelName) -> Traffic | None:
    return _traffic([], [call.tensors[0].tensor()]) if call.tensors else None


def _like_first(call: Call, _decoded: KernelName) -> Traffic | None:
    """Softmax and its like: all tensors in, one like the first out; rows may be read again."""
    tensors = call.tensors
    return _traffic(tensors, [made(tensors[0].shape or (), tensors[0].dtype)], lower_bound=True) if tensors else None


def _norm(call: Call, _decoded: KernelName) -> Traffic | None:
    """``native_layer_norm(input, normalized_shape, weight, bias, eps)``: the result, with a mean and a deviation a row."""
    tensors = call.tensors
    if not tensors or not tensors[0].shape:
        return None
    shape = tensors[0].shape
    over = call.numbers(1) or ()
    rows = prod(shape[: len(shape) - len(over)]) if over else 0
    extra = [made((rows,), "float")] * (1 if "rms" in call.operator else 2) if rows else []
    return _traffic(tensors, [made(shape, tensors[0].dtype), *extra], lower_bound=True)


def _batch_norm(call: Call, _decoded: KernelName) -> Traffic | None:
    tensors = call.tensors
    return _traffic(tensors, [made(tensors[0].shape or (), tensors[0].dtype)], lower_bound=True) if tensors else None


def _reduce(call: Call, _decoded: KernelName) -> Traffic | None:
    """``sum(input, dim, keepdim, dtype)``: what is left when the reduced dimensions are gone; all without a list."""
    tensors = call.tensors
    if not tensors or tensors[0].shape is None:
        return None
    shape: Shape = tensors[0].shape
    over = call.numbers(1) if len(call.arguments) > 1 else ()
    gone = {at % len(shape) for at in over} if over and shape else set(range(len(shape)))
    left = tuple(size for at, size in enumerate(shape) if at not in gone)
    return _traffic([tensors[0]], [made(left, tensors[0].dtype)], lower_bound=True)


def _cat(call: Call, decoded: KernelName) -> Traffic | None:
    """``cat(tensors, dim)``: the type of a list is not recorded; the kernel's name says it, or how large an element is."""
    members = next((one.members for one in call.arguments if one.members), ())
    dtype = NAMED_TYPES.get(decoded.dtype_in or "")
    opaque = _OPAQUE.search(decoded.demangled or decoded.name)
    size = ITEM_BYTES[dtype] if dtype else int(opaque[1]) if opaque else None
    if size is None or not members:
        return None
    parts = [_sized(prod(shape), dtype or f"{size} bytes", size) for shape in members]
    return _traffic(parts, [_sized(sum(part.elements for part in parts), dtype or f"{size} bytes", size)])


def _sized(elements: int, dtype: str, size: int) -> Tensor:
    return Tensor(elements=elements, dtype=dtype, size_bytes=elements * size)


def _max_pool(call: Call, _decoded: KernelName) -> Traffic | None:
    """``max_pool2d_with_indices(input, kernel, stride, padding, dilation, ceil_mode)``: the result and an index each."""
    tensors, image = call.tensors, call.tensors[0].shape if call.tensors else None
    kernel, stride, padding, dilation = (_both(call.numbers(at)) for at in (1, 2, 3, 4))
    if not image or len(image) != 4 or not kernel or padding is None or dilation is None or call.value(5) == "True":
        return None
    stride = stride or kernel
    spatial = [
        (image[at + 2] + 2 * padding[at] - dilation[at] * (kernel[at] - 1) - 1) // stride[at] + 1 for at in (0, 1)
    ]
    shape = (*image[:2], *(max(0, size) for size in spatial))
    return _traffic(tensors[:1], [made(shape, tensors[0].dtype), made(shape, "long int")], lower_bound=True)


def _both(numbers: Shape | None) -> Shape | None:
    """Let one number stand for height and width."""
    return numbers * 2 if numbers is not None and len(numbers) == 1 else numbers


def _embedding(call: Call, _decoded: KernelName) -> Traffic | None:
    """``embedding(weight, indices)``: the rows that are asked for are read, one for each index."""
    tensors = call.tensors
    if len(tensors) < 2 or not tensors[0].shape:
        return None
    result = made((*(tensors[1].shape or ()), *tensors[0].shape[1:]), tensors[0].dtype)
    return _traffic([result, tensors[1]], [result])


def _index_select(call: Call, _decoded: KernelName) -> Traffic | None:
    """``index_select(input, dim, index)``."""
    tensors, dim = call.tensors, call.numbers(1)
    if len(tensors) < 2 or not tensors[0].shape or not dim:
        return None
    shape = list(tensors[0].shape)
    shape[dim[0] % len(shape)] = prod(tensors[1].shape or ())
    result = made(tuple(shape), tensors[0].dtype)
    return _traffic([result, tensors[1]], [result])


def _gather(call: Call, _decoded: KernelName) -> Traffic | None:
    """``gather(input, dim, index)``: one element for each index."""
    tensors = call.tensors
    if len(tensors) < 2:
        return None
    result = made(tensors[1].shape or (), tensors[0].dtype)
    return _traffic([result, tensors[1]], [result])


def _dropout(call: Call, _decoded: KernelName) -> Traffic | None:
    """``native_dropout(input, p, train)``: the result and a mask of one byte an element."""
    tensors = call.tensors
    if not tensors or tensors[0].shape is None:
        return None
    return _traffic(tensors[:1], [made(tensors[0].shape, tensors[0].dtype), made(tensors[0].shape, "bool")])


# By the operator's name without aten::, in this order: the whole name first, then without underscores at its ends.
RULES: dict[str, Callable[[Call, KernelName], Traffic | None]] = {
    "copy_": _copy,
    "fill_": _fill,
    "zero_": _fill,
    "softmax": _like_first,
    "log_softmax": _like_first,
    "softmax_backward_data": _like_first,
    "log_softmax_backward_data": _like_first,
    "native_layer_norm": _norm,
    "fused_rms_norm": _norm,
    "native_batch_norm": _batch_norm,
    "cudnn_batch_norm": _batch_norm,
    "native_dropout": _dropout,
    "sum": _reduce,
    "mean": _reduce,
    "amax": _reduce,
    "amin": _reduce,
    "prod": _reduce,
    "cat": _cat,
    "max_pool2d_with_indices": _max_pool,
    "embedding": _embedding,
    "index_select": _index_select,
    "gather": _gather,
}
