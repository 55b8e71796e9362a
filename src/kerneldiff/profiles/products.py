"""Matrix products, convolutions and attention: their operands, their result, and the arithmetic that they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from kerneldiff.profiles.arguments import Argument, Call, Shape, made
from kerneldiff.profiles.explained import Tensor
from kerneldiff.profiles.shapes import problem_size


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Operands, result and floating-point operations (a multiply-add is two)."""

    reads: tuple[Tensor, ...]
    writes: tuple[Tensor, ...]
    flops: int
    assumptions: tuple[str, ...] = ()


_GROUPS_BEHIND_TRANSPOSED = 8  # aten::convolution and aten::_convolution have their groups there
# Operators whose first arguments are the operands; what follows may be an out argument. Source: native_functions.yaml.
_OPERANDS = {
    "aten::mm": 2,
    "aten::bmm": 2,
    "aten::mv": 2,
    "aten::_int_mm": 2,
    "aten::addmm": 3,
    "aten::_addmm_activation": 3,
    "aten::baddbmm": 3,
    "aten::addmv": 3,
    "aten::addbmm": 3,
}


def matrix_product(call: Call) -> Product | None:
    """Read a matrix product from its operator call, None for another operator or without shapes."""
    number = _OPERANDS.get(call.operator)
    if call.operator == "aten::_scaled_mm":
        return _scaled(call)
    size = problem_size(call.operator, [one.shape for one in call.arguments])
    operands = call.arguments[: number or 0]
    if number is None or size is None or any(one.shape is None for one in operands):
        return None
    rows, columns, inner, batch = size
    dtype = "int" if call.operator == "aten::_int_mm" else operands[-1].dtype
    result = made((batch, rows, columns) if call.operator != "aten::addbmm" else (rows, columns), dtype)
    reads = tuple(one.tensor() for one in operands)
    return Product(reads=reads, writes=(result,), flops=2 * rows * columns * inner * batch)


def _scaled(call: Call) -> Product | None:
    """``_scaled_mm(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum)``."""
    size = problem_size(call.operator, [one.shape for one in call.arguments])
    if size is None:
        return None
    rows, columns, inner, _ = size
    reads = tuple(one.tensor() for one in call.tensors)
    return Product(
        reads=reads,
        writes=(made((rows, columns), "c10::BFloat16"),),
        flops=2 * rows * columns * inner,
        assumptions=("the result of _scaled_mm is taken to have two bytes an element",),
    )


def convolution(calls: Sequence[Call]) -> Product | None:
    """Read a forward convolution; strides and padding come from the ``aten::convolution`` around the library's call.

    ``convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)`` and
    ``cudnn_convolution(input, weight, padding, stride, dilation, groups, ...)``, miopen_convolution with a bias third.
    """
    places = {
        "aten::convolution": (3, 4, 5, 8),
        "aten::_convolution": (3, 4, 5, 8),
        "aten::cudnn_convolution": (3, 2, 4, 5),
        "aten::cudnn_convolution_relu": (3, 4, 5, 6),
        "aten::miopen_convolution": (4, 3, 5, 6),
        "aten::_conv_depthwise2d": (4, 5, 6, None),
    }
    for call in calls:
        where = places.get(call.operator)
        if where is None or len(call.arguments) < 2:
            continue
        given, weight = call.arguments[0], call.arguments[1]
        stride, padding, dilation = (call.numbers(at) for at in where[:3])
        transposed = where[3] == _GROUPS_BEHIND_TRANSPOSED and call.value(6) == "True"
        if not given.shape or not weight.shape or not stride or padding is None or not dilation or transposed:
            return None
        return _convolved(given, weight, (stride, padding, dilation))
    return None


def _convolved(given: Argument, weight: Argument, how: tuple[Shape, Shape, Shape]) -> Product | None:
    image, kernel = given.shape or (), weight.shape or ()
    dims = len(image) - 2
    stride, padding, dilation = (one * dims if len(one) == 1 else one for one in how)
    if dims < 1 or len(kernel) != dims + 2 or not len(stride) == len(padding) == len(dilation) == dims:
        return None
    spatial = tuple(
        (image[at + 2] + 2 * padding[at] - dilation[at] * (kernel[at + 2] - 1) - 1) // stride[at] + 1
        for at in range(dims)
    )
    if min(spatial) < 1:
        return None
    result = made((image[0], kernel[0], *spatial), given.dtype)
    # A weight is [out, in / groups, ...]: groups are counted in its second size.
    flops = 2 * result.elements * prod(kernel[1:])
    return Product(reads=(given.tensor(), weight.tensor()), writes=(result,), flops=flops)


def attention(calls: Sequence[Call]) -> Product | None:
    """Read scaled dot-product attention from the outermost call that has its operands as [batch, heads, length, size]."""
    found = [call for call in calls if "scaled_dot_product" in call.operator and len(call.tensors) >= 3]
    if not found:
        return None
    if any(call.operator.endswith("_backward") for call in found):
        return _attention_backward(found[0])
    call = found[-1]
    query, key, value = call.arguments[:3]
    if not (query.shape and key.shape and value.shape) or len(query.shape) != 4 or len(key.shape) != 4:
        return None
    batch, heads, length, size = query.shape
    flops = 2 * batch * heads * length * key.shape[2] * (size + value.shape[-1])
    causal = call.operator == "aten::scaled_dot_product_attention" and call.value(5) == "True"
    result = made((batch, heads, length, value.shape[-1]), query.dtype)
    reads = tuple(one.tensor() for one in (query, key, value))
    note = "the causal half of attention is counted" if causal else "attention is counted as if nothing were masked"
    return Product(reads=reads, writes=(result,), flops=flops // 2 if causal else flops, assumptions=(note,))


def _attention_backward(call: Call) -> Product | None:
    """``(grad_out, query, key, value, out, logsumexp, ...)``; five products where the forward pass has two."""
    operands = call.arguments[:6]
    if len(operands) < 5 or any(not one.shape or len(one.shape) != 4 for one in operands[:5]):
        return None
    _, query, key, value, _ = operands[:5]
    batch, heads, length, size = query.shape or (0, 0, 0, 0)
    flops = 2 * batch * heads * length * (key.shape or (0, 0, 0))[2] * (3 * size + 2 * (value.shape or (0,))[-1])
    return Product(
        reads=tuple(one.tensor() for one in operands if one.shape is not None),
        writes=tuple(one.tensor() for one in (query, key, value)),
        flops=flops,
        assumptions=("attention is counted as if nothing were masked",),
    )
