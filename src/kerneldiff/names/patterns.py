"""Regular expressions that are compiled when they are first used.

The grammars hold some 150 of them; a run meets the names of a few libraries, and importing must stay quick.
"""

from __future__ import annotations

import re

_NUMBER, _SHORT_NUMBER = r"\d+", r"\d{1,9}"


class Pattern:
    r"""Like ``re.Pattern``, compiled at the first match.

    A number, ``\d+``, has at most nine digits here: no tile has more, and Python refuses to read some 4,000.
    """

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The compiled expression."""
        if self._compiled is None:
            self._compiled = re.compile(self.source.replace(_NUMBER, _SHORT_NUMBER))
        return self._compiled

    def match(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """A match at ``start``."""
        return self.compiled.match(text, start, len(text) if end is None else end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """A match of the whole text."""
        return self.compiled.fullmatch(text)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match anywhere."""
        return self.compiled.search(text)

    def findall(self, text: str) -> list[str]:
        """All matches; for an expression without groups or with one."""
        return [found[found.re.groups] for found in self.compiled.finditer(text)]

    def sub(self, replacement: str, text: str) -> str:
        """The text with every match replaced."""
        return self.compiled.sub(replacement, text)
