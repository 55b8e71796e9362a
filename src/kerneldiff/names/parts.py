"""Explained stretches of a name: built from the groups of a match, kept in order and apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kerneldiff.names.model import Certainty, Part

Note = tuple[str, Certainty]


def from_groups(found: re.Match[str], notes: Mapping[str, Note]) -> tuple[Part, ...]:
    """One part for each named group that took part in the match and has a note."""
    return ordered(
        Part(start=found.start(group), end=found.end(group), meaning=meaning, certainty=certainty)
        for group, (meaning, certainty) in notes.items()
        if found.start(group) >= 0
    )


def ordered(parts: Iterable[Part | None]) -> tuple[Part, ...]:
    """The parts by position; empty ones and those that overlap an earlier one are left out."""
    kept: list[Part] = []
    known = (part for part in parts if part is not None and part.start < part.end)
    for part in sorted(known, key=lambda part: (part.start, -part.end)):
        if not kept or part.start >= kept[-1].end:
            kept.append(part)
    return tuple(kept)


def stretch(text: str, piece: str, meaning: str, certainty: Certainty) -> Part | None:
    """The first occurrence of ``piece``, None when the text does not have it."""
    start = text.find(piece) if piece else -1
    return None if start < 0 else Part(start=start, end=start + len(piece), meaning=meaning, certainty=certainty)
