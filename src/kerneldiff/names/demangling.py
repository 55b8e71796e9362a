"""Mangled C++ names (``_ZN...``) made readable, without falling for a name that would fill the memory.

A mangled name refers back to parts of itself, so that a few hundred hostile characters can stand for
gigabytes of text, and the demangler does not stop. The size of the text is estimated first, by the
rules for substitutions of the Itanium C++ ABI (section 5.1.10, "Compression"), simplified.
"""

from __future__ import annotations

from functools import lru_cache

from kerneldiff.names.patterns import Pattern

LONGEST = 8_192
"""Kineto leaves symbols longer than this mangled (libkineto/src/Demangle.cpp, kMaxSymbolSize)."""

LONGEST_READABLE = 4 * LONGEST
MOST_TEXT = 1 << 27
"""Estimated characters. Real names of composable kernel come to 21 million where they are 10,000 in truth."""

_LENGTH = Pattern(r"\d{1,5}")
_REFERENCE = Pattern(r"S([0-9A-Z]{0,4})_")


@lru_cache(maxsize=65_536)
def demangled(name: str) -> str | None:
    """The readable text of a mangled C++ name, None when it is not mangled or cannot be read."""
    if not name.startswith(("_Z", "__Z")) or len(name) > LONGEST:
        return None
    mangled = name.removesuffix(".kd")
    if _Size(mangled).estimate() > MOST_TEXT:
        return None
    # imported here: most traces hold no mangled name, and the import of this package must stay quick
    import pycxxfilt  # noqa: PLC0415

    try:
        text = pycxxfilt.itanium_demangle(mangled)
    except ValueError:
        return None
    return text if isinstance(text, str) and len(text) <= LONGEST_READABLE else None


class _Frame:
    """An open bracket of the mangled name: its kind, its size so far, its last component, qualifiers waiting."""

    __slots__ = ("kind", "last", "qualifiers", "total")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.total = 2
        self.last = 0
        self.qualifiers = 0


class _Size:
    """Estimates how long the text of a mangled name becomes, never by much too little."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.largest: list[int] = []  # the largest of the components so far, one entry for each
        self.frames = [_Frame("")]

    def estimate(self) -> int:
        """The size in characters, or anything above the limit once that is passed."""
        place = 2
        while place < len(self.name) and self.frames[-1].total <= MOST_TEXT:
            place = self._step(place)
        return sum(frame.total for frame in self.frames)

    def _step(self, place: int) -> int:
        character, frame = self.name[place], self.frames[-1]
        length = _LENGTH.match(self.name, place) if frame.kind != "L" else None
        if length is not None:
            size = int(length[0]) + 2
            frame.total += size
            size = frame.total if frame.kind == "N" else size
            self._remember(size)
            self._complete(frame, size)
            return length.end() + int(length[0])
        reference = _REFERENCE.match(self.name, place) if character == "S" else None
        if reference is not None:
            self._refer(frame, reference[1])
            return reference.end()
        if character in "NIJXFLZ":
            self.frames.append(_Frame(character))
        elif character == "E":
            self._close()
        elif character in "PROKV":
            frame.qualifiers += 1
        else:
            frame.total += 8
            if frame.kind != "L":
                self._complete(frame, 8)
        return place + 1

    def _refer(self, frame: _Frame, sequence: str) -> None:
        """``S_`` is the first component, ``S0_`` the second ...; a function's own name shifts the count by one."""
        index = int(sequence, 36) + 2 if sequence else 1
        frame.total += 2 + (self.largest[min(index, len(self.largest) - 1)] if self.largest else 0)
        self._complete(frame, frame.total)

    def _close(self) -> None:
        if len(self.frames) == 1:
            return
        closed = self.frames.pop()
        frame = self.frames[-1]
        frame.total += closed.total
        if closed.kind == "I":
            size = frame.total if frame.kind == "N" else frame.last + closed.total
            self._remember(size)
            self._complete(frame, size)
        elif closed.kind == "F":
            self._remember(closed.total)
            self._complete(frame, closed.total)
        elif closed.kind in "NZ":
            self._complete(frame, closed.total)

    def _complete(self, frame: _Frame, size: int) -> None:
        """A component ended; each pointer or qualifier before it makes one more."""
        frame.last = size
        if frame.kind != "N":
            for _ in range(frame.qualifiers):
                self._remember(size + 6)
            frame.qualifiers = 0

    def _remember(self, size: int) -> None:
        self.largest.append(max(size, self.largest[-1]) if self.largest else size)
