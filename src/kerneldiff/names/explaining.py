"""A name explained to a person: its parts in order, and a product's layout and tile in both frames."""

from __future__ import annotations

from dataclasses import dataclass

from kerneldiff.names.decoding import decode
from kerneldiff.names.epilogues import proved_epilogue
from kerneldiff.names.model import Certainty, KernelName

_COLUMN_MAJOR = frozenset({"cublas", "hipblaslt", "rocblas"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Layout and tile of a product as one side sees it.

    Attributes:
        layout: one letter for each operand: n as stored, t transposed.
        tile: rows, columns and, where known, the k of one step.
    """

    layout: str | None
    tile: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """One product in two frames.

    Attributes:
        cublas: column-major, D(m,n) = op(A)(m,k) op(B)(k,n), as names are written.
        pytorch: row-major, out(M,N) = op(x)(M,K) op(w)(K,N). cuBLAS's A is w, so operands and tile are swapped.
    """

    cublas: Frame
    pytorch: Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One explained stretch: its place in ``Explanation.text``, the characters, the meaning and how sure it is."""

    start: int
    end: int
    text: str
    meaning: str
    certainty: Certainty


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What is known of a name, ready to be drawn.

    Attributes:
        decoded: the facts.
        text: what the pieces' offsets count in: the demangled text of a mangled name, else the name.
        pieces: in order, not overlapping.
        frames: both frames of a product, None for anything else.
        proved: what the name proves of a product's epilogue.
    """

    decoded: KernelName
    text: str
    pieces: tuple[Piece, ...]
    frames: Frames | None
    proved: str | None


def frames(decoded: KernelName) -> Frames | None:
    """Layout and tile in cuBLAS's and in PyTorch's frame; None unless a column-major library made the product.

    >>> frames(decode("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_TNT")).pytorch
    Frame(layout='nt', tile=(8, 64, 64))
    """
    if decoded.op not in ("gemm", "grouped_gemm") or decoded.library not in _COLUMN_MAJOR:
        return None
    layout = decoded.layout if decoded.layout and len(decoded.layout) == 2 else None
    if layout is None and decoded.tile is None:
        return None
    tile = decoded.tile
    swapped = (tile[1], tile[0], *tile[2:]) if tile and len(tile) > 1 else tile
    return Frames(
        cublas=Frame(layout=layout, tile=tile), pytorch=Frame(layout=layout[::-1] if layout else None, tile=swapped)
    )


def explain(name: str) -> Explanation:
    """Everything that a person can be told about a name."""
    decoded = decode(name)
    text = decoded.demangled or decoded.name
    pieces = tuple(
        Piece(
            start=part.start,
            end=part.end,
            text=text[part.start : part.end],
            meaning=part.meaning,
            certainty=part.certainty,
        )
        for part in decoded.parts
    )
    return Explanation(
        decoded=decoded, text=text, pieces=pieces, frames=frames(decoded), proved=proved_epilogue(decoded)
    )
