"""Files on the Hugging Face Hub, read where they are: ``hf://datasets/owner/name[@revision]/path``.

fsspec finds the file system by its scheme; the one for ``hf`` belongs to huggingface_hub (extra ``hub``). It sends
the saved token along, so private datasets are read as well.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, BinaryIO, Final, cast

from kerneldiff.errors import TraceError

# pathlib makes one slash of two.
_SCHEME: Final = re.compile(r"hf:/+")


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path names something on the Hub."""
    return _SCHEME.match(os.fspath(path)) is not None


def open_remote(path: str) -> tuple[BinaryIO, int | None]:
    """Open a file for reading from its beginning to its end; also give its size in bytes where it is known.

    Raises:
        TraceError: when it cannot be opened.
    """
    system, name = _find(path)
    with _reading(path):
        facts = system.info(name)
        if facts["type"] != "file":
            raise IsADirectoryError
        # Block size 0 streams the file; others ask for one part of it after the other.
        opened = system.open(name, "rb", block_size=0)
    return cast("BinaryIO", _Stream(opened, path)), facts.get("size")


def read_remote(path: str) -> bytes:
    """Read a whole file.

    Raises:
        TraceError: when it cannot be read.
    """
    file, _ = open_remote(path)
    with closing(file):
        return file.read()


def list_remote(path: str) -> tuple[list[str], list[str]] | None:
    """List the files and the folders directly in a folder, as paths to open; None when the path is a file.

    Raises:
        TraceError: when there is neither.
    """
    system, name = _find(path)
    with _reading(path):
        if system.info(name)["type"] == "file":
            return None
        entries = system.ls(name, detail=True)
    found = sorted((f"hf://{one['name']}", one["type"]) for one in entries)
    return [one for one, kind in found if kind == "file"], [one for one, kind in found if kind != "file"]


def _find(path: str) -> tuple[Any, str]:
    try:
        import fsspec  # noqa: PLC0415 - an extra

        system = fsspec.filesystem("hf")
    except ImportError as error:
        msg = f"{path}: reading from the Hub needs huggingface_hub ({error}); pip install 'kerneldiff[hub]'"
        raise TraceError(msg) from error
    return system, _SCHEME.sub("hf://", path, count=1)


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Say what went wrong with a path, whatever kind of error a network brings."""
    try:
        yield
    except IsADirectoryError as error:
        msg = f"{path}: is a folder; give the file itself"
        raise TraceError(msg) from error
    except FileNotFoundError as error:
        msg = (
            f"{path}: not on the Hub, or not to be seen with the token in use; "
            "check the name, and log in with 'hf auth login' if the dataset is private"
        )
        raise TraceError(msg) from error
    except Exception as error:  # each layer below raises errors of its own
        msg = f"{path}: cannot be read from the Hub: {_reason(error)}"
        raise TraceError(msg) from error


def _reason(error: Exception) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status == 401:
        return "it does not accept the token in use; log in again with 'hf auth login', or correct HF_TOKEN"
    if status == 403:
        return "the token in use has no right to read it"
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return first if status is None else f"{first} ({status})"


class _Stream:
    """A file that is read once, from the beginning."""

    def __init__(self, file: Any, path: str) -> None:  # noqa: ANN401 - a file of fsspec
        self._file = file
        self._path = path

    def read(self, size: int = -1) -> bytes:
        with _reading(self._path):
            return cast("bytes", self._file.read(size))

    def close(self) -> None:
        self._file.close()
