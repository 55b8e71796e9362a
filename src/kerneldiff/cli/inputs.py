"""Reading of the small text files that a user writes: policies, expectations, lock files."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from kerneldiff.errors import PolicyError
from kerneldiff.traces.remote import is_remote, read_remote


def read_text(path: str) -> str:
    """Read a text file.

    Raises:
        PolicyError: when it cannot be read or is no UTF-8 text.
        TraceError: when it is on the Hugging Face Hub (``hf://...``) and cannot be read there.
    """
    try:
        return read_remote(path).decode() if is_remote(path) else Path(path).read_text(encoding="utf-8")
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


def find_settings(path: str | None) -> tuple[str, dict[str, Any]]:
    """Find the settings of ``check``: in the given file, else in the nearest ``pyproject.toml``.

    Args:
        path: a file with the keys at its top, or a ``pyproject.toml``; None looks for the latter here and above.

    Returns:
        The name of the file for messages, and the table, empty where there is none.

    Raises:
        PolicyError: when the file cannot be read, or ``[tool.kerneldiff]`` is no table.
    """
    if path is not None and Path(path).name != "pyproject.toml":
        return path, read_toml(path)
    if path is None:
        here = Path.cwd()
        near = [folder / "pyproject.toml" for folder in (here, *here.parents)]
        path = next((str(one) for one in near if one.is_file()), None)
    if path is None:
        return "no policy", {}
    tool = read_toml(path).get("tool", {})
    table = tool.get("kerneldiff", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        msg = f"{path}: tool.kerneldiff is no table; write [tool.kerneldiff] with keys below it"
        raise PolicyError(msg)
    return f"{path} [tool.kerneldiff]", table
