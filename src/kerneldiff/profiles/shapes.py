"""Shapes, types and strides from the JSON text that the profiler wrote, and the size of a matrix product."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import msgspec

Dims = tuple[int, ...]


@lru_cache(maxsize=65536)
def parse_dims(text: str) -> tuple[Dims | None, ...] | None:
    """Read ``Input Dims`` or ``Input Strides``: one entry an argument, () for scalars and absent tensors.

    A tensor list (nested once more) becomes None: its members are not arguments of their own.

    >>> parse_dims("[[64, 128], [], [[2, 3], [4]]]")
    ((64, 128), (), None)
    """
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
    if not isinstance(value, list):
        return None
    return tuple(_dims(entry) for entry in value)


def _dims(entry: object) -> Dims | None:
    if isinstance(entry, list) and all(isinstance(size, int) for size in entry):
        return tuple(entry)
    return None


@lru_cache(maxsize=65536)
def parse_types(text: str) -> tuple[str, ...] | None:
    """Read ``Input type``.

    >>> parse_types('["c10::BFloat16", "Scalar"]')
    ('c10::BFloat16', 'Scalar')
    """
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
    return tuple(str(entry) for entry in value) if isinstance(value, list) else None


# Which arguments of an operator are the two factors, and whether the second is a weight [N, K].
# Source: the signatures in PyTorch's native_functions.yaml.
_FACTORS: dict[str, tuple[int, int, bool]] = {
    "aten::mm": (0, 1, False),
    "aten::bmm": (0, 1, False),
    "aten::matmul": (0, 1, False),
    "aten::addmm": (1, 2, False),
    "aten::_addmm_activation": (1, 2, False),
    "aten::baddbmm": (1, 2, False),
    "aten::addbmm": (1, 2, False),
    "aten::_scaled_mm": (0, 1, False),
    "aten::_int_mm": (0, 1, False),
    "aten::mv": (0, 1, False),
    "aten::addmv": (1, 2, False),
    "aten::linear": (0, 1, True),
}


def problem_size(operator: str, shapes: Sequence[Dims | None] | None) -> Dims | None:
    """Give (m, n, k, batch) of a matrix product in PyTorch's frame, None where it cannot be told.

    >>> problem_size("aten::addmm", ((64,), (1024, 32), (32, 64)))
    (1024, 64, 32, 1)
    >>> problem_size("aten::bmm", ((8, 128, 64), (8, 64, 128)))
    (128, 128, 64, 8)
    """
    places = _FACTORS.get(operator)
    if places is None or shapes is None or len(shapes) <= max(places[:2]):
        return None
    first, second = shapes[places[0]], shapes[places[1]]
    if not first or not second:
        return None
    if places[2]:
        return (prod(first[:-1]), second[0], first[-1], 1) if len(second) == 2 else None
    if len(second) == 1:
        return (prod(first[:-1]), 1, first[-1], 1)
    if len(first) < 2 or len(second) < 2 or first[-1] != second[-2]:
        return None
    if len(second) == 2:
        return (prod(first[:-1]), second[-1], first[-1], 1)
    return (first[-2], second[-1], first[-1], prod(second[:-2]))
