"""Splits the joined operator names of an Inductor kernel.

Inductor joins ``sorted(set(names))`` with ``_`` although the names contain ``_`` themselves
(torch/_inductor/utils.py, get_fused_kernel_name). The sorted order and the list of known names undo it.
data/operators.txt has the operators of PyTorch 2.13: aten/src/ATen/native/native_functions.yaml, torch/_prims and
torch/_inductor/inductor_prims.py, with the higher-order operators that Inductor makes kernels of.
"""

from __future__ import annotations

from functools import lru_cache

LONGEST_UNKNOWN = 6
"""Words that an operator may have that no list knows (custom operators appear by their bare name)."""

MOST_WORDS = 600
UNKNOWN_COST = 20

Token = tuple[int, int]


@lru_cache(maxsize=1)
def known_operators() -> dict[str, tuple[int, ...]]:
    """First word of each known operator -> the word counts that operators with it can have, longest first."""
    lengths: dict[str, set[int]] = {}
    for name in _names():
        words = name.split("_")
        # operators with a leading underscore have an empty first word; the second one tells more
        lengths.setdefault(_key(words, 0), set()).add(len(words))
    return {key: tuple(sorted(counts, reverse=True)) for key, counts in lengths.items()}


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    # imported here: only names of Inductor need it, and it is slow to import
    from importlib.resources import files  # noqa: PLC0415

    text = files("kerneldiff.names").joinpath("data", "operators.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def _key(words: list[str], start: int) -> str:
    """The first word, with the next one when the first is empty."""
    if words[start] or start + 1 >= len(words):
        return words[start]
    return "_" + words[start + 1]


@lru_cache(maxsize=8192)
def split_operators(joined: str) -> tuple[str, ...]:
    """The operators of ``joined``, in ascending order as Inductor wrote them.

    >>> split_operators("_to_copy_add_native_layer_norm")
    ('_to_copy', 'add', 'native_layer_norm')
    >>> split_operators("add_fmha_v3_fwd_mul")  # an operator of an extension, in no list
    ('add', 'fmha_v3_fwd', 'mul')
    """
    words = joined.split("_")
    if not joined:
        return ()
    if len(words) > MOST_WORDS:
        return (joined,)
    return _cheapest(words)


def _candidates(words: list[str], start: int) -> list[tuple[int, int]]:
    """Where an operator that begins at ``start`` may end, with what reading it so costs."""
    names, left = _names(), len(words) - start
    ends = {
        start + count: 1
        for count in known_operators().get(_key(words, start), ())
        if count <= left and "_".join(words[start : start + count]) in names
    }
    for count in range(1, min(LONGEST_UNKNOWN, left) + 1):
        if "_".join(words[start : start + count]).strip("_"):
            ends.setdefault(start + count, 1 + UNKNOWN_COST * count)
    return list(ends.items())


def _cheapest(words: list[str]) -> tuple[str, ...]:
    """The split with the fewest unknown words, then the fewest operators, that is in ascending order."""
    # best[end][start]: cost of the cheapest reading of words[:end] whose last operator begins at start
    best: list[dict[int, tuple[int, int | None]]] = [{} for _ in range(len(words) + 1)]
    for start in range(len(words)):
        if start and not best[start]:
            continue
        for end, cost in _candidates(words, start):
            token = "_".join(words[start:end])
            before = _cheapest_before(words, best[start], start, token) if start else (0, None)
            if before is not None:
                best[end][start] = (before[0] + cost, before[1])
    if not best[-1]:
        return ("_".join(words),)
    return _walk(words, best)


def _cheapest_before(
    words: list[str], readings: dict[int, tuple[int, int | None]], end: int, token: str
) -> tuple[int, int | None] | None:
    ascending = [(cost, start) for start, (cost, _) in readings.items() if "_".join(words[start:end]) < token]
    return min(ascending) if ascending else None


def _walk(words: list[str], best: list[dict[int, tuple[int, int | None]]]) -> tuple[str, ...]:
    end = len(words)
    tokens: list[str] = []
    last = min(best[end], key=lambda key: best[end][key][0])
    start: int | None = last
    while start is not None:
        tokens.append("_".join(words[start:end]))
        before = best[end][start][1]
        end = start
        start = before
    return tuple(reversed(tokens))
