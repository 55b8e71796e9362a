"""Answers that are true or false and say why, so that a bare ``assert`` has a readable failure."""

from __future__ import annotations

from dataclasses import dataclass

from kerneldiff.reports.escape import terminal


@dataclass(frozen=True, slots=True)
class Answer:
    """Yes or no with its reason.

    Attributes:
        yes: the answer. why: its reason, in one line.
        decided: False when the recordings cannot tell; the answer is then no.
    """

    yes: bool
    why: str
    decided: bool = True

    def __bool__(self) -> bool:
        """Give the answer."""
        return self.yes

    def __repr__(self) -> str:
        word = "yes" if self.yes else ("no" if self.decided else "cannot tell")
        return f"<{word}: {terminal(self.why)}>"
