"""What was repaired or lost while reading: counted by code, with the place of the first."""

from __future__ import annotations

from typing import Final

from kerneldiff.notes import Note

# The codes are stable words for programs; docs/reading-traces.md lists them.
TEXTS: Final[dict[str, str]] = {
    "bare-word": "Words where JSON wants a value (inf, nan, N/A) were read as missing.",
    "empty-value": "Keys without any value were read as missing.",
    "trailing-comma": "Commas behind the last element of a list or object were ignored.",
    "raw-backslashes": "Backslashes are not escaped in this file (written on Windows?); each was read as itself.",
    "control-characters": "Control characters inside text were kept, although JSON wants them escaped.",
    "invalid-utf8": "Bytes that are not UTF-8 were read as the replacement character.",
    "lone-surrogates": "Halves of surrogate pairs were read as the replacement character.",
    "number-out-of-range": "Numbers too large for their column were read as missing.",
    "odd-value": "Values of an unexpected type were read as missing.",
    "event-left-out": "Events whose text is broken beyond a known repair were left out.",
    "record-not-an-event": "Entries of the event list that are no events were left out.",
    "bad-time": "Events whose time is not a number were left out.",
    "unmatched-begin": "Begin records without an end were left out.",
    "unmatched-end": "End records without a begin were left out.",
    "unclosed-list": "The list of events has no closing bracket, which the format permits; all events were read.",
    "header-unreadable": "Part of the file's header could not be read; the fields that could be found were used.",
    "trailing-text": "Text after the end of the trace was ignored.",
    "cut-off": "The file is cut off: all counts and totals are lower bounds.",
}


class Findings:
    """Counts by code, and the first offset of each."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._first: dict[str, int] = {}

    def add(self, code: str, offset: int, count: int = 1) -> None:
        """Count a finding at a byte offset of the uncompressed text."""
        if count:
            self._counts[code] = self._counts.get(code, 0) + count
            self._first.setdefault(code, offset)

    def merge(self, other: Findings) -> None:
        """Add all of another's."""
        for code, count in other._counts.items():
            self.add(code, other._first[code], count)

    def count(self, code: str) -> int:
        """Return how often a code was found."""
        return self._counts.get(code, 0)

    def first(self, code: str) -> int:
        """Return the first offset of a code that was found."""
        return self._first[code]

    def notes(self) -> tuple[Note, ...]:
        """Return one note a code, in the order of first appearance."""
        return tuple(
            Note(code=code, text=TEXTS[code], where=f"byte {self._first[code]}", count=count)
            for code, count in self._counts.items()
        )
