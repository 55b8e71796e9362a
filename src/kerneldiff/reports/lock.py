"""A lock file as text (``checks.locks`` says what it holds)."""

from __future__ import annotations

from kerneldiff.checks.locks import Lock, lock_of, write
from kerneldiff.profiles.model import Profile

_OPEN = {
    "deviating": "some of its steps launch other GPU work than the one that is locked: a check against it stays open",
    "incomplete": "no step of it is complete: a check against the lock stays open; record more steps",
}


def render(run: Profile) -> tuple[str, tuple[str, ...]]:
    """Write the lock file of a run, and say what a check against it will leave open."""
    lock = lock_of(run)
    return write(lock), tuple(_remarks(lock))


def _remarks(lock: Lock) -> list[str]:
    said = [_OPEN[lock.steps]] if lock.steps in _OPEN else []
    if "code_hashes" in lock.missing:
        said.append("recorded without code hashes: its compiled kernels stay unproven; record with record_shapes=True")
    return said
