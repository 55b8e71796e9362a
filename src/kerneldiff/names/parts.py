"""Explained stretches of a name: built from the groups of a match, kept in order and apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from kerneldiff.names.model import Certainty, Part
from kerneldiff.names.patterns import Pattern

Note = tuple[str, Certainty]
NOT_KNOWN: Note = ("meaning not known", "unknown")


def from_groups(found: re.Match[str], notes: Mapping[str, Note]) -> tuple[Part, ...]:
    """One part for each named group that took part in the match and has a note."""
    known = found.re.groupindex
    return ordered(
        Part(start=found.start(group), end=found.end(group), meaning=meaning, certainty=certainty)
        for group, (meaning, certainty) in notes.items()
        if group in known and found.start(group) >= 0
    )


def from_words(text: str, start: int, end: int, notes: Sequence[tuple[Pattern, Note]]) -> list[Part]:
    """One part for each word between underscores; a pattern may take several words, the first that fits wins."""
    parts: list[Part] = []
    place = start
    while place < end:
        if text[place] == "_":
            place += 1
            continue
        stop, (meaning, certainty) = _word(text, place, end, notes)
        parts.append(Part(start=place, end=stop, meaning=meaning, certainty=certainty))
        place = stop
    return parts


def _word(text: str, place: int, end: int, notes: Sequence[tuple[Pattern, Note]]) -> tuple[int, Note]:
    for pattern, note in notes:
        found = pattern.match(text, place, end)
        if found is not None and found.end() > place and (found.end() == end or text[found.end()] == "_"):
            return found.end(), note
    stop = text.find("_", place, end)
    return (end if stop < 0 else stop), NOT_KNOWN


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
