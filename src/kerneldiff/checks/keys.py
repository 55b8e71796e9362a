"""Errors about settings: the file, the key, and the nearest right one."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from kerneldiff.errors import PolicyError


def unknown(word: str, known: Sequence[str], *, where: str, what: str) -> PolicyError:
    """Make the error for a word that is not known, with the nearest right one.

    >>> str(unknown("slower-gpo", ["slower-gpu", "allow"], where="p.toml", what="key"))
    "p.toml: unknown key 'slower-gpo'; did you mean 'slower-gpu'?"
    """
    near = get_close_matches(word, known, n=1)
    remedy = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
    return PolicyError(f"{where}: unknown {what} {word[:60]!r}; {remedy}")


def refuse(where: str, key: str, what: str, *, like: str | None = None) -> PolicyError:
    r"""Make the error for a value that cannot be used.

    >>> str(refuse("p.toml", "slower-gpu", "'x' is no limit", like='"5%"'))
    'p.toml: slower-gpu: \'x\' is no limit; give "5%"'
    """
    return PolicyError(f"{where}: {key}: {what}" + (f"; give {like}" if like else ""))
