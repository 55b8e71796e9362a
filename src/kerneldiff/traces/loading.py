"""The one way in: a trace from a path, standard input, an open file or bytes."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from kerneldiff.errors import EmptyTraceError, UnknownFormatError
from kerneldiff.traces.foreign import hint
from kerneldiff.traces.formats import FORMATS
from kerneldiff.traces.model import RawTrace
from kerneldiff.traces.sources import PIECE, Progress, Source, Text, open_input


def load(source: Source, *, progress: Progress | None = None) -> RawTrace:
    """Read a profiler trace into columns.

    Args:
        source: a path, ``-`` for standard input, a file that is open in binary mode, or bytes. Compression and format
            are told by the content, not by the name.
        progress: called with the stored bytes read so far and their total (None when it is not known).

    Raises:
        TraceError: the source cannot be read, is no trace (UnknownFormatError), has no events (EmptyTraceError), or is
            broken beyond what can be read safely (MalformedTraceError).
    """
    return load_in_pieces(source, progress, PIECE)


def load_in_pieces(source: Source, progress: Progress | None, piece: int) -> RawTrace:
    """Read a trace so many bytes at a time; tests cut it into tiny pieces."""
    stored, opened = open_input(source, progress)
    try:
        with collection_paused():
            text = Text(stored, piece)
            first = text.peek()
            for reader in FORMATS:
                if reader.claims(first):
                    return reader.read(text)
    finally:
        if opened is not None:
            opened.close()
    if not first:
        message = f"{text.name}: the file is empty"
        raise EmptyTraceError(message)
    message = f"{text.name}: not a profiler trace: {hint(first, text.name)}"
    raise UnknownFormatError(message)


@contextmanager
def collection_paused() -> Iterator[None]:
    """Keep the cyclic garbage collector from walking millions of live objects again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
