"""One module a trace format; the first in the tuple that claims the text reads it."""

from __future__ import annotations

from typing import Final, Protocol

from kerneldiff.traces.formats import kineto
from kerneldiff.traces.model import RawTrace
from kerneldiff.traces.sources import Text


class Format(Protocol):
    """What a module of this folder offers."""

    def claims(self, first: bytes) -> bool:
        """Tell from the first bytes whether this is text of the format."""

    def read(self, text: Text) -> RawTrace:
        """Read a file of the format."""


FORMATS: Final[tuple[Format, ...]] = (kineto,)
