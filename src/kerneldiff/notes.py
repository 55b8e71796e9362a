"""Notes: what a reader of the answer must know besides the answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One remark, gathered on the way from bytes to verdict and shown by every renderer.

    Attributes:
        code: a stable word for programs, such as ``launches-without-kernels``.
        text: one or two sentences for people.
        where: the place it speaks of (a file, a byte offset, a step), or None.
        count: how many things it speaks of.
    """

    code: str
    text: str
    where: str | None = None
    count: int = 1
