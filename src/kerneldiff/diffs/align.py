"""Alignment of two sequences of work units in launch order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kerneldiff.diffs.units import Unit
from kerneldiff.names import without_number

# Twice the weights of the rule "identity 3, same class of heavy operation 2", so that an equal name with another
# geometry and an equal problem size can stand between them.
IDENTITY = 6
NAME = 5
HEAVY = 4
HEAVY_OF_OTHER_SIZE = 2
SAME_SIZE = 1
_CELLS = 25_000_000  # of the table that is filled at once: 50 MB


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """What units are compared by: equal numbers mean equal, negative ones mean that nothing is known."""

    identity: NDArray[np.int64]
    name: NDArray[np.int64]
    heavy: NDArray[np.int64]
    size: NDArray[np.int64]


def keys_of(baseline: Sequence[Unit], candidate: Sequence[Unit]) -> tuple[Keys, Keys]:
    """Number the identities, names, heavy classes and problem sizes of both sides in common."""
    numbers: dict[object, int] = {}

    def number(value: object) -> int:
        return numbers.setdefault(value, len(numbers))

    def keys(units: Sequence[Unit]) -> Keys:
        return Keys(
            identity=np.array([number(identity_key(unit)) for unit in units], dtype=np.int64),
            name=np.array([number(("name", without_number(unit.event.normalised))) for unit in units], dtype=np.int64),
            heavy=np.array([number(unit.heavy) if unit.heavy else -1 for unit in units], dtype=np.int64),
            size=np.array(
                [number(unit.event.problem_size) if unit.event.problem_size else -1 for unit in units], dtype=np.int64
            ),
        )

    return keys(baseline), keys(candidate)


def identity_key(unit: Unit) -> tuple[object, ...]:
    """Give all that tells the code and its geometry, without what only one side may have recorded."""
    event = unit.event
    return (
        event.kind,
        event.normalised,
        event.grid,
        event.block,
        event.registers,
        event.shared_memory,
        event.size_bytes,
    )


def align(baseline: Sequence[Unit], candidate: Sequence[Unit]) -> list[tuple[int, int]]:
    """Pair units in order so that the sum of the weights is largest; pairs of indices, ascending on both sides.

    Equal ends are trimmed first, so that the usual pair takes linear time; what is too large for one table
    is cut at the longest common subsequence of names.
    """
    keys, others = keys_of(baseline, candidate)
    low = _common(keys.identity, others.identity)
    high = _common(keys.identity[low:][::-1], others.identity[low:][::-1])
    ends = (len(baseline) - high, len(candidate) - high)
    pairs = [(index, index) for index in range(low)]
    pairs += _middle(keys, others, (low, ends[0]), (low, ends[1]))
    pairs += [(ends[0] + index, ends[1] + index) for index in range(high)]
    return pairs


def _common(one: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """Count the equal elements at the start of two sequences."""
    length = min(len(one), len(other))
    unequal = np.flatnonzero(one[:length] != other[:length])
    return int(unequal[0]) if len(unequal) else length


def _middle(keys: Keys, others: Keys, rows: tuple[int, int], columns: tuple[int, int]) -> list[tuple[int, int]]:
    height, width = rows[1] - rows[0], columns[1] - columns[0]
    if not height or not width:
        return []
    if height * width <= _CELLS:
        return _table(keys, others, rows, columns)
    pairs: list[tuple[int, int]] = []
    for kind, part_rows, part_columns in _cut(keys, others, rows, columns):
        if kind == "equal":
            pairs += zip(range(*part_rows), range(*part_columns), strict=True)
        elif (part_rows[1] - part_rows[0]) * (part_columns[1] - part_columns[0]) <= _CELLS:
            pairs += _table(keys, others, part_rows, part_columns)
    return pairs


def _cut(
    keys: Keys, others: Keys, rows: tuple[int, int], columns: tuple[int, int]
) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Cut two long sequences at what they have in common, in order."""
    from rapidfuzz.distance import Indel  # noqa: PLC0415 - 20 ms, and only very long steps need it

    blocks = Indel.opcodes(
        keys.name[rows[0] : rows[1]].tolist(), others.name[columns[0] : columns[1]].tolist()
    ).as_list()
    parts: list[tuple[str, tuple[int, int], tuple[int, int]]] = []
    for block in blocks:
        kind = "equal" if block.tag == "equal" else "other"
        part_rows = (rows[0] + block.src_start, rows[0] + block.src_end)
        part_columns = (columns[0] + block.dest_start, columns[0] + block.dest_end)
        if parts and kind == "other" == parts[-1][0]:
            _, before_rows, before_columns = parts.pop()
            part_rows, part_columns = (before_rows[0], part_rows[1]), (before_columns[0], part_columns[1])
        parts.append((kind, part_rows, part_columns))
    return parts


def _weights(keys: Keys, others: Keys, row: int, columns: slice) -> NDArray[np.int16]:
    """Give the weight of pairing one unit of the baseline with each of the candidate's."""
    same_size = (others.size[columns] == keys.size[row]) & (keys.size[row] >= 0)
    other_size = (others.size[columns] != keys.size[row]) & (keys.size[row] >= 0) & (others.size[columns] >= 0)
    weights = np.zeros(len(same_size), dtype=np.int16)
    if keys.heavy[row] >= 0:
        heavy = others.heavy[columns] == keys.heavy[row]
        weights[heavy] = HEAVY
        weights[heavy & other_size] = HEAVY_OF_OTHER_SIZE
    weights[others.name[columns] == keys.name[row]] = NAME
    weights[others.identity[columns] == keys.identity[row]] = IDENTITY
    weights[same_size & (weights > 0)] += SAME_SIZE
    return weights


def _table(keys: Keys, others: Keys, rows: tuple[int, int], columns: tuple[int, int]) -> list[tuple[int, int]]:
    """Fill the table of best sums row by row, and read the pairs back from its end.

    best[i, j] = max(best[i-1, j], best[i, j-1], best[i-1, j-1] + weight(i, j)), the weighted form of the longest
    common subsequence (Needleman and Wunsch 1970 without gap costs).
    """
    height, width = rows[1] - rows[0], columns[1] - columns[0]
    span = slice(*columns)
    best = np.zeros((height + 1, width + 1), dtype=np.int32)
    for row in range(height):
        weights = _weights(keys, others, rows[0] + row, span)
        diagonal = np.where(weights > 0, best[row, :-1] + weights, 0)
        np.maximum.accumulate(np.maximum(best[row, 1:], diagonal), out=best[row + 1, 1:])
    return _read_back(best, rows, columns)


def _read_back(best: NDArray[np.int32], rows: tuple[int, int], columns: tuple[int, int]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    row, column = rows[1] - rows[0], columns[1] - columns[0]
    while row and column:
        if best[row, column] == best[row - 1, column]:
            row -= 1
        elif best[row, column] == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append((rows[0] + row, columns[0] + column))
    return pairs[::-1]
