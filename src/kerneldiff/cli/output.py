"""Writing of results: to standard output, or to a file that is whole or not there."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from kerneldiff.errors import KerneldiffError


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
    path = Path(target)
    try:
        descriptor, aside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            umask = os.umask(0)
            os.umask(umask)
            Path(aside).chmod(0o666 & ~umask)
            Path(aside).replace(path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
    except OSError as error:
        msg = f"{target}: cannot be written ({error.strerror or error}); choose another place"
        raise KerneldiffError(msg) from error
