"""Writing of results: to standard output, or to a file that is whole or not there."""

from __future__ import annotations

import sys
from pathlib import Path

from kerneldiff.errors import KerneldiffError
from kerneldiff.files import written_aside


def write(target: str, text: str) -> None:
    """Write a result to a file, or to standard output for ``-``.

    A file is written aside and renamed, so that nobody ever finds half of it.

    Raises:
        KerneldiffError: when it cannot be written.
    """
    if target == "-":
        sys.stdout.write(text)
        return
    write_bytes(target, text.encode("utf-8"))


def write_bytes(target: str, content: bytes) -> None:
    """Write bytes to a file, aside first.

    Raises:
        KerneldiffError: when it cannot be written.
    """
    try:
        with written_aside(Path(target)) as file:
            file.write(content)
    except OSError as error:
        msg = f"{target}: cannot be written ({error.strerror or error}); choose another place"
        raise KerneldiffError(msg) from error
