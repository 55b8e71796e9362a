"""A lock file as text (``checks.locks`` says what it holds)."""

from __future__ import annotations

from kerneldiff.checks.locks import lock_of, write
from kerneldiff.profiles.model import Profile


def render(run: Profile) -> str:
    """Write the lock file of a run."""
    return write(lock_of(run))
