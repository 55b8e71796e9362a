"""Reading of the small text files that a user writes: policies, expectations, lock files."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from kerneldiff.errors import PolicyError


def read_text(path: str) -> str:
    """Read a text file.

    Raises:
        PolicyError: when it cannot be read or is no UTF-8 text.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        msg = f"{path}: not a text in UTF-8 (byte {error.start}); is this the right file?"
        raise PolicyError(msg) from error
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror or error})"
        raise PolicyError(msg) from error


def read_toml(path: str) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        PolicyError: when it cannot be read or is no TOML; the message has line and column.
    """
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        msg = f"{path}: no TOML: {error}"
        raise PolicyError(msg) from error
