"""Arguments of an operator call as tensors: sizes, strides and types from the text that the profiler wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, Final

import msgspec

from kerneldiff.links.cpu import ancestors
from kerneldiff.links.model import Trace
from kerneldiff.profiles.explained import Tensor
from kerneldiff.profiles.shapes import parse_types
from kerneldiff.traces.model import Kind

# Bytes of an element, by the type's name in a trace (c10/util/typeid.h prints C++ names).
ITEM_BYTES: Final = {
    "c10::BFloat16": 2,
    "c10::Half": 2,
    "float": 4,
    "double": 8,
    "long int": 8,
    "long": 8,
    "int": 4,
    "short": 2,
    "short int": 2,
    "signed char": 1,
    "unsigned char": 1,
    "char": 1,
    "bool": 1,
    "c10::Float8_e4m3fn": 1,
    "c10::Float8_e5m2": 1,
    "c10::Float8_e4m3fnuz": 1,
    "c10::Float8_e5m2fnuz": 1,
    "c10::complex<float>": 8,
    "c10::complex<double>": 16,
}
# The same for types that a kernel's name says.
NAMED_TYPES: Final = {
    "bf16": "c10::BFloat16",
    "f16": "c10::Half",
    "f32": "float",
    "tf32": "float",
    "f64": "double",
    "i64": "long int",
    "i32": "int",
    "i8": "signed char",
    "u8": "unsigned char",
    "bool": "bool",
    "e4m3": "c10::Float8_e4m3fn",
    "e5m2": "c10::Float8_e5m2",
}
_FLOATING: Final = ("double", "float", "c10::Half", "c10::BFloat16")
_INTEGERS: Final = ("long int", "long", "int", "short", "short int", "signed char", "unsigned char", "bool")
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument: a tensor with its shape, or anything else (shape None).

    Attributes:
        shape: of a tensor, () for one without dimensions.
        strides: in elements, where recorded.
        dtype: as in the trace.
        members: shapes of the tensors in a list of tensors.
        value: a scalar's or list's text.
    """

    shape: Shape | None
    strides: Shape | None
    dtype: str
    members: tuple[Shape, ...] = ()
    value: str = ""

    def tensor(self) -> Tensor:
        """Give the tensor as stored: a dimension of stride 0 is stored once."""
        shape = self.shape or ()
        strides = self.strides if self.strides is not None and len(self.strides) == len(shape) else None
        elements = prod(size for at, size in enumerate(shape) if strides is None or strides[at] != 0 or size == 0)
        return Tensor(elements=elements, dtype=self.dtype, size_bytes=elements * ITEM_BYTES[self.dtype])


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One operator call."""

    operator: str
    arguments: tuple[Argument, ...]

    @property
    def tensors(self) -> list[Argument]:
        """List the tensor arguments, in order."""
        return [one for one in self.arguments if one.shape is not None]

    def value(self, at: int) -> str:
        """Give an argument's text, empty where there is no such argument."""
        return self.arguments[at].value if at < len(self.arguments) else ""

    def numbers(self, at: int) -> Shape | None:
        """Read a list of integers from an argument's text, None when it is none."""
        found = _json(self.value(at))
        if isinstance(found, int):
            return (found,)
        return tuple(found) if isinstance(found, list) and all(isinstance(one, int) for one in found) else None


def made(shape: Shape, dtype: str) -> Tensor:
    """Make a dense tensor."""
    elements = prod(shape)
    return Tensor(elements=elements, dtype=dtype, size_bytes=elements * ITEM_BYTES[dtype])


_OPERATOR: Final = int(Kind.OPERATOR)


def calls_around(trace: Trace, operator: int) -> list[Call]:
    """List an operator call and those around it, innermost first, each with its arguments where recorded."""
    kinds = trace.cpu.kind
    return [call_of(trace, index) for index in ancestors(trace.cpu, operator) if int(kinds[index]) == _OPERATOR]


def call_of(trace: Trace, operator: int) -> Call:
    """Read one operator call; ``operator`` is an index into ``trace.cpu``."""
    raw, row = trace.raw, int(trace.cpu.operator_row[operator])
    name = raw.strings[int(trace.cpu.name[operator])]
    if row < 0:
        return Call(operator=name, arguments=())
    texts = [raw.text(string_id) for string_id in argument_ids(trace, row)]
    return Call(operator=name, arguments=_arguments(texts[0], texts[1], texts[2], texts[3]))


def argument_ids(trace: Trace, row: int) -> tuple[int, int, int, int]:
    """Give the string ids of sizes, strides, types and values; ``row`` is an index into ``RawTrace.operators``."""
    operators = trace.raw.operators
    return (
        int(operators.input_dims[row]),
        int(operators.input_strides[row]),
        int(operators.input_types[row]),
        int(operators.concrete_inputs[row]),
    )


@lru_cache(maxsize=65536)
def _arguments(dims: str | None, strides: str | None, types: str | None, concrete: str | None) -> tuple[Argument, ...]:
    """Put the four texts of a call together; empty where shapes or types were not recorded."""
    shapes, kinds = _json(dims), parse_types(types) if types else None
    if not isinstance(shapes, list) or kinds is None or len(kinds) != len(shapes):
        return ()
    steps, values = _json(strides), _json(concrete)
    steps = steps if isinstance(steps, list) and len(steps) == len(shapes) else [None] * len(shapes)
    values = values if isinstance(values, list) and len(values) == len(shapes) else [""] * len(shapes)
    return tuple(_argument(*entry) for entry in zip(shapes, steps, kinds, values, strict=True))


def _argument(shape: Any, step: Any, dtype: str, value: Any) -> Argument:  # noqa: ANN401 - decoded JSON
    text = value if isinstance(value, str) else ""
    if dtype == "TensorList" and isinstance(shape, list):
        members = tuple(tuple(one) for one in shape if _is_shape(one))
        return Argument(shape=None, strides=None, dtype=dtype, members=members, value=text)
    if dtype not in ITEM_BYTES or not _is_shape(shape):
        return Argument(shape=None, strides=None, dtype=dtype, value=text)
    return Argument(shape=tuple(shape), strides=tuple(step) if _is_shape(step) else None, dtype=dtype, value=text)


def _is_shape(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(size, int) and size >= 0 for size in value)


def _json(text: str | None) -> Any:  # noqa: ANN401 - decoded JSON
    if not text:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """Give the shape that elementwise operators make of several.

    >>> broadcast([(8, 1, 4), (3, 1)])
    (8, 3, 4)
    """
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(0 if 0 in sizes else max(sizes) for sizes in zip(*padded, strict=True)) if padded else ()


def promoted(arguments: Sequence[Argument]) -> str:
    """Give the type that PyTorch computes in: the widest among tensors with dimensions, of the highest kind.

    Tensors without dimensions count only when there are no others, or when theirs is a higher kind.
    """
    sized = [one.dtype for one in arguments if one.shape] or [one.dtype for one in arguments]
    for kinds in (("c10::complex<double>", "c10::complex<float>"), _FLOATING):
        found = [dtype for dtype in kinds if dtype in sized]
        if found:
            both_halves = {"c10::Half", "c10::BFloat16"} <= set(found)
            return "float" if both_halves and found[0] not in ("double", "float") else found[0]
    if any(one.dtype in _FLOATING for one in arguments) and all(dtype in _INTEGERS for dtype in sized):
        return "float"
    return next((dtype for dtype in _INTEGERS if dtype in sized), sized[0])
