"""Decoded names for the page: each distinct name once, part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from kerneldiff.names import Explanation, explain
from kerneldiff.profiles.model import Profile
from kerneldiff.units import time_text

MOST_NAMES = 200
CERTAINTIES = {
    "source": "read in its source",
    "measured": "measured on launches of known problems",
    "inferred": "inferred from the pattern",
    "unknown": "meaning not known",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of a name; ``number`` counts the explained ones from 1, None for what stands between them."""

    text: str
    number: int | None = None
    meaning: str = ""
    certainty: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """One name with its facts.

    Attributes:
        number: for links. given: as it stands in the trace, where ``segments`` show the demangled text.
        calls: how often it runs in each side's step. time: of both sides together.
    """

    number: int
    label: str
    given: str | None
    segments: tuple[Segment, ...]
    facts: tuple[tuple[str, str], ...]
    calls: tuple[int, ...]
    time: str
    unparsed: str | None

    @property
    def parts(self) -> tuple[Segment, ...]:
        """The explained stretches."""
        return tuple(segment for segment in self.segments if segment.number is not None)


def explained(runs: Iterable[Profile]) -> tuple[list[Name], int]:
    """Explain the names of some runs, those with most GPU time first; and how many are left out."""
    runs = tuple(runs)
    spent: Counter[str] = Counter()
    for run in runs:
        for event in run.events:
            spent[event.name] += event.gpu_ns
    counts = [Counter(event.name for event in run.events) for run in runs]
    ranked = sorted(spent, key=lambda name: (-spent[name], name))
    names = [
        entry(number, explain(text), tuple(count[text] for count in counts), spent[text])
        for number, text in enumerate(ranked[:MOST_NAMES])
    ]
    return names, max(0, len(ranked) - MOST_NAMES)


def numbers(runs: Iterable[Profile]) -> dict[str, int]:
    """Give the number of each name that ``explained`` shows."""
    spent: Counter[str] = Counter()
    for run in runs:
        for event in run.events:
            spent[event.name] += event.gpu_ns
    ranked = sorted(spent, key=lambda name: (-spent[name], name))
    return {name: number for number, name in enumerate(ranked[:MOST_NAMES])}


def entry(number: int, found: Explanation, calls: tuple[int, ...] = (), spent: int = 0) -> Name:
    """Lay out one explained name; calls and GPU time (ns) are how much it runs, where that is known."""
    decoded = found.decoded
    return Name(
        number=number,
        label=decoded.label or decoded.name,
        given=decoded.name if found.text != decoded.name else None,
        segments=segments(found),
        facts=facts(found),
        calls=calls,
        time=time_text(spent),
        unparsed=decoded.unparsed,
    )


def segments(found: Explanation) -> tuple[Segment, ...]:
    """Cut a name into explained stretches and what stands between them."""
    parts: list[Segment] = []
    at = 0
    for number, piece in enumerate(found.pieces, 1):
        if piece.start > at:
            parts.append(Segment(text=found.text[at : piece.start]))
        parts.append(Segment(text=piece.text, number=number, meaning=piece.meaning, certainty=piece.certainty))
        at = piece.end
    if at < len(found.text):
        parts.append(Segment(text=found.text[at:]))
    return tuple(parts)


def facts(found: Explanation) -> tuple[tuple[str, str], ...]:
    """List what is decoded, in words; a product's layout and tile in PyTorch's frame too."""
    decoded = found.decoded
    types = [decoded.dtype_in, decoded.dtype_acc, decoded.dtype_out]
    listed = [
        ("library", decoded.library),
        ("operation", decoded.op),
        ("types", " / ".join(one or "?" for one in types) if any(types) else None),
        ("layout", _framed(decoded.layout, found.frames.pytorch.layout if found.frames else None)),
        ("tile", _framed(_by(decoded.tile), _by(found.frames.pytorch.tile) if found.frames else None)),
        ("stages", str(decoded.stages) if decoded.stages is not None else None),
        ("split-k", {True: "yes", False: "no", None: None}[decoded.split_k]),
        ("epilogue", decoded.epilogue),
        ("architecture", decoded.arch),
        ("operators", ", ".join(decoded.fused_ops) or None),
    ]
    return tuple((key, value) for key, value in listed if value)


def _framed(cublas: str | None, pytorch: str | None) -> str | None:
    if cublas is None or pytorch is None:
        return cublas
    return f"{cublas} (cuBLAS, column-major); {pytorch} (PyTorch, row-major)"


def _by(tile: tuple[int, ...] | None) -> str | None:
    return "x".join(str(size) for size in tile) if tile else None
