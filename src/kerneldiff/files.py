"""Writing of files that are whole or not there: written aside, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_aside(target: Path) -> Iterator[BinaryIO]:
    """Give a file beside the target, which takes the target's name when all was written.

    Raises:
        OSError: when it cannot be written; the target is then as it was.
    """
    descriptor, aside = tempfile.mkstemp(prefix=f".{target.name[:200]}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        Path(aside).chmod(0o666 & ~_umask())
        Path(aside).replace(target)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Read the process's mask of permissions, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
