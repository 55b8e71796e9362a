"""Where the bytes come from: a path, standard input, an open file or bytes; compressed or not."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from kerneldiff.errors import MalformedTraceError, TraceError
from kerneldiff.notes import Note
from kerneldiff.traces.remote import is_remote, open_remote

Source = str | os.PathLike[str] | BinaryIO | bytes | bytearray | memoryview
Progress = Callable[[int, int | None], None]

GZIP_MAGIC: Final = b"\x1f\x8b"
# Enough to tell what a file is.
FIRST_READ: Final = 1 << 12
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
COMPRESSED_READ: Final = 1 << 17
# Small enough that the decoded objects of a piece stay in the processor's cache; larger and smaller ones were slower.
PIECE: Final = 1 << 19
# Traces shrink 14 to 18 times; text that shrinks more than this, beyond this size, is no trace but a trap.
MAX_RATIO: Final = 250
MAX_UNCHECKED: Final = 1 << 30


class Input:
    """The bytes as stored, with their size and the progress."""

    def __init__(self, file: BinaryIO, name: str, size: int | None, progress: Progress | None) -> None:
        self.name = name
        self.done = 0
        self._file = file
        self._size = size
        self._progress = progress

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        try:
            data = self._file.read(size)
        except OSError as error:
            message = f"{self.name}: cannot be read: {error.strerror or error}"
            raise TraceError(message) from error
        if not isinstance(data, bytes):
            message = f"{self.name}: is open as text; open it in binary mode ('rb')"
            raise TraceError(message)
        self.done += len(data)
        if self._progress is not None:
            self._progress(self.done, self._size)
        return data


class Text:
    """The uncompressed bytes, from the first one after a byte order mark.

    Attributes:
        name: of the file, for messages.
        piece: how many bytes to read and decode at a time.
        start: byte offset of the text in the file: offsets in messages count a byte order mark.
        notes: what was found while decompressing.
    """

    def __init__(self, source: Input, piece: int = PIECE) -> None:
        self.name = source.name
        self.piece = piece
        self.notes: list[Note] = []
        self.start = 0
        self._head = b""
        first = source.read(COMPRESSED_READ)
        self._read = (
            GzipReader(source, first, self).read if first.startswith(GZIP_MAGIC) else Replay(source, first).read
        )
        self._begin()

    def _begin(self) -> None:
        """Skip a byte order mark and leading blanks."""
        head = self._read(max(min(self.piece, FIRST_READ), len(BYTE_ORDER_MARK)))
        if head.startswith(BYTE_ORDER_MARK):
            self.start = len(BYTE_ORDER_MARK)
            head = head[self.start :]
        while head.isspace() or (not head and self.start):
            self.start += len(head)
            head = self._read(self.piece)
            if not head:
                break
        self._head = head.lstrip()
        self.start += len(head) - len(self._head)

    def peek(self) -> bytes:
        """Return the first bytes without taking them."""
        return self._head

    def read(self, size: int) -> bytes:
        """Return at least ``size`` bytes, or all that are left; a pipe gives them in small portions."""
        parts = [self._head] if self._head else []
        missing = size - len(self._head)
        self._head = b""
        while missing > 0 and (more := self._read(missing)):
            parts.append(more)
            missing -= len(more)
        return b"".join(parts)


class Replay:
    """Input of which the first bytes were taken already."""

    def __init__(self, source: Input, first: bytes) -> None:
        self._source = source
        self._first = first

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes, or the bytes that were taken."""
        if self._first:
            first, self._first = self._first, b""
            return first
        return self._source.read(size)


class Compressed:
    """Compressed bytes; the last eight come alone, for a wrong checksum there must not cost the text before it."""

    TRAILER: Final = 8

    def __init__(self, source: Replay) -> None:
        self._source = source
        self._held = b""

    def read(self) -> bytes:
        """Return some bytes, none at the end."""
        while more := self._source.read(COMPRESSED_READ):
            held = self._held + more
            self._held = held[-self.TRAILER :]
            if len(held) > self.TRAILER:
                return held[: -self.TRAILER]
        last, self._held = self._held, b""
        return last


class GzipReader:
    """Members of a gzip file one after another, for as long as they are sound."""

    def __init__(self, source: Input, first: bytes, text: Text) -> None:
        from isal import isal_zlib  # noqa: PLC0415 - most files are plain, and start-up time counts

        self._zlib = isal_zlib
        self._damage: type[Exception] = isal_zlib.IsalError  # type: ignore[assignment]
        self._source = source
        self._compressed = Compressed(Replay(source, first))
        self._text = text
        self._pending = b""
        self._is_damaged = False
        self._member = isal_zlib.decompressobj(wbits=31)
        self._given = 0
        # A full output can leave text inside the decompressor after its input is used up.
        self._holds_more = False

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes; none at the end, also when the end came too early."""
        while not self._is_damaged:
            if not self._pending and not self._holds_more:
                self._pending = self._compressed.read()
                if not self._pending:
                    return self._ended()
            if self._member.eof and not self._next_member():
                return b""
            try:
                data: bytes = self._member.decompress(self._pending, size)
            except self._damage as error:
                return self._damaged(error)
            self._pending = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            self._holds_more = len(data) == size and not self._member.eof
            if data:
                self._given += len(data)
                self._check_ratio()
                return data
        return b""

    def _next_member(self) -> bool:
        """Begin the next member; anything else after a member is left, as gzip itself does with padding."""
        while len(self._pending) < len(GZIP_MAGIC) and (more := self._compressed.read()):
            self._pending += more
        if not self._pending.startswith(GZIP_MAGIC):
            if self._pending.strip(b"\0"):
                self._note("gzip-trailing-bytes", "Bytes after the end of the gzip archive were ignored.")
            self._pending = b""
            while self._compressed.read():
                pass
            return False
        self._member = self._zlib.decompressobj(wbits=31)
        return True

    def _ended(self) -> bytes:
        if not self._member.eof:
            self._is_damaged = True
            self._note("gzip-not-closed", "The gzip archive was not closed: its end is missing.")
        return b""

    def _damaged(self, error: Exception) -> bytes:
        self._is_damaged = True
        self._note("gzip-damaged", f"The gzip archive is damaged here, and was read up to this place ({error}).")
        return b""

    def _note(self, code: str, text: str) -> None:
        where = f"compressed byte {self._source.done}"
        self._text.notes.append(Note(code=code, text=text, where=where))

    def _check_ratio(self) -> None:
        if self._given > MAX_UNCHECKED and self._given > MAX_RATIO * self._source.done:
            message = (
                f"{self._text.name}: {self._source.done} compressed bytes hold more than {self._given} bytes of text; "
                "no trace shrinks so much, so this is refused; decompress it first if it is meant"
            )
            raise MalformedTraceError(message, offset=self._given)


def open_input(source: Source, progress: Progress | None) -> tuple[Input, BinaryIO | None]:
    """Return the input, and the file to close afterwards if one was opened here."""
    if isinstance(source, bytes | bytearray | memoryview):
        return Input(io.BytesIO(source), "<bytes>", len(source), progress), None
    if isinstance(source, str | os.PathLike):
        return open_path(os.fspath(source), progress)
    name = getattr(source, "name", None)
    return Input(source, name if isinstance(name, str) else "<file>", None, progress), None


def open_path(path: str, progress: Progress | None) -> tuple[Input, BinaryIO | None]:
    """Open a path, or standard input for ``-``."""
    if path == "-":
        return Input(sys.stdin.buffer, "<stdin>", None, progress), None
    if is_remote(path):
        remote, length = open_remote(path)
        return Input(remote, path, length, progress), remote
    if Path(path).is_dir():
        message = f"{path}: is a folder; give the trace file itself"
        raise TraceError(message)
    try:
        file = Path(path).open("rb", buffering=0)  # noqa: SIM115 - the caller closes it after reading
    except FileNotFoundError as error:
        message = f"{path}: no such file"
        raise TraceError(message) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        message = f"{path}: cannot be opened: {reason}"
        raise TraceError(message) from error
    size = os.fstat(file.fileno()).st_size
    return Input(file, path, size or None, progress), file
