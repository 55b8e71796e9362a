"""The ``kerneldiff`` object at the top level of a trace: written beside the profiler's own keys."""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from isal import igzip

from kerneldiff.errors import RecordingError
from kerneldiff.files import written_aside
from kerneldiff.recordings.digests import KernelFacts

_BLOCK: Final = 1 << 20
_LEVEL: Final = 3


def write_trace(source: Path, target: Path, facts: Mapping[str, Any]) -> None:
    """Write a trace with the facts in front, compressed; whole or not at all.

    Args:
        source: a trace as JSON, an object.
        target: ends with ``.gz``.
        facts: what can be written as JSON.

    Raises:
        RecordingError: when the profiler wrote something else, or the file cannot be written.
    """
    own = json.dumps(facts, ensure_ascii=True, allow_nan=False).encode()
    try:
        with source.open("rb") as trace:
            if not _past_brace(trace):
                msg = f"{source}: the profiler wrote no JSON object; the recording cannot be kept"
                raise RecordingError(msg)
            _write(target, b'{\n  "kerneldiff": ' + own + b",", trace)
    except OSError as error:
        msg = f"{target}: cannot be written ({error.strerror or error}); choose another place with -o"
        raise RecordingError(msg) from error


def _past_brace(trace: BinaryIO) -> bool:
    """Go behind the brace that opens the object; Kineto writes an empty line before it."""
    while (char := trace.read(1)).isspace():
        pass
    return char == b"{"


def _write(target: Path, head: bytes, rest: BinaryIO) -> None:
    gzip: Any = igzip.GzipFile  # it carries no types
    with written_aside(target) as file, gzip(fileobj=file, mode="wb", compresslevel=_LEVEL) as packed:
        packed.write(head)
        while block := rest.read(_BLOCK):
            packed.write(block)


def named_in(trace: Path, kernels: Sequence[KernelFacts]) -> list[dict[str, Any]]:
    """Give those kernels whose names stand in the trace, as JSON: an autotuner tries many that are never used."""
    with trace.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return [one.as_json() for one in kernels if text.find(f'"{one.name}"'.encode()) >= 0]


def write_text(target: Path, text: str) -> None:
    """Write a text file, whole or not at all.

    Raises:
        RecordingError: when it cannot be written.
    """
    try:
        with written_aside(target) as file:
            file.write(text.encode("utf-8", "replace"))
    except OSError as error:
        msg = f"{target}: cannot be written ({error.strerror or error}); choose another place with -o"
        raise RecordingError(msg) from error
