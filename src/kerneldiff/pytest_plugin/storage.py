"""Places of lock files, and their writing: whole or not at all."""

from __future__ import annotations

import re
import tomllib
from hashlib import blake2s
from pathlib import Path
from typing import Any

import pytest

from kerneldiff.errors import PolicyError
from kerneldiff.files import written_aside

_UNSAFE = re.compile(r"[^A-Za-z0-9._\[\]=,+-]+")
_LONGEST = 120


def lock_path(node: pytest.Item, folder: str, device: str | None, number: int) -> Path:
    """Give the lock file of a test: ``__kerneldiff__/<test file>/<test>[<device>].lock``.

    Args:
        node: the test.
        folder: name of the folder beside the test file.
        device: name of the device, None when it is not known.
        number: the how-manieth lock of the test it is, from 1.
    """
    inside = node.nodeid.partition("::")[2].replace("::", ".") or node.name
    name = safe(inside) + (f".{number}" if number > 1 else "")
    return node.path.parent / folder / node.path.stem / f"{name}[{safe(device or 'unknown device')}].lock"


def safe(text: str) -> str:
    """Make text fit for a file name; what had to change is told apart by a digest.

    >>> safe("test_mlp[bf16]"), safe("a/b") != safe("a:b")
    ('test_mlp[bf16]', True)
    """
    spaced = text.replace(" ", "-")
    cleaned = _UNSAFE.sub("_", spaced)[:_LONGEST].lstrip(".") or "_"
    if cleaned == spaced:
        return cleaned
    return f"{cleaned}~{blake2s(text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


def read(path: Path) -> str | None:
    """Read a lock file, None when there is none.

    Raises:
        PolicyError: when it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: cannot be read ({error}); restore it from version control"
        raise PolicyError(msg) from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        PolicyError: when it cannot be read or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        msg = f"{path}: cannot be read as TOML ({error})"
        raise PolicyError(msg) from error


def write(path: Path, text: str) -> None:
    """Write a lock file aside and rename it, so that nobody finds half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_aside(path) as file:
        file.write(text.encode("utf-8"))
