"""The list of events, piece by piece, and the text after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from kerneldiff.errors import MalformedTraceError
from kerneldiff.traces.boundaries import cuts
from kerneldiff.traces.decoding import Outcome, PieceDecoder, State
from kerneldiff.traces.findings import Findings
from kerneldiff.traces.repairs import Repairer
from kerneldiff.traces.salvage import Salvager
from kerneldiff.traces.sources import Text

# One event, or the fields after the events, in bytes; a text that has more is refused, so that memory stays bounded.
MAX_BUFFER: Final = 1 << 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """How decoding a piece went: the outcome, the text that it speaks of, and the repairs made in it."""

    outcome: Outcome
    text: bytes
    repairs: Findings = field(default_factory=Findings)


class EventReader:
    """Cuts the text of the events at places that decoding proves right.

    Attributes:
        cut_off_at: byte offset of the first record that is not whole, when the file ends too early.
        ends_open: True when the closing bracket is missing and nothing else.
    """

    def __init__(self, text: Text, decoder: PieceDecoder, repairer: Repairer) -> None:
        self.cut_off_at: int | None = None
        self.ends_open = False
        self.salvager = Salvager(decoder, repairer)
        self.offset = 0
        self._text = text
        self._buffer = b""
        self._decoder = decoder
        self._repairer = repairer

    def read(self, rest: bytes, offset: int) -> bytes:
        """Decode all events into the columns; return the text after the list (``offset`` is its place then)."""
        self._buffer, self.offset = rest, offset
        is_closed = False
        while more := self._text.read(max(self._text.piece, len(self._buffer))):
            self._buffer += more
            is_closed = is_closed or self._advance()
            if len(self._buffer) > MAX_BUFFER:
                message = f"{self._text.name}: no event ends within {MAX_BUFFER >> 20} MB after byte {self.offset}"
                raise MalformedTraceError(message, offset=self.offset)
        return self._finish()

    def _advance(self) -> bool:
        """Decode up to the last sound cut; tell whether the list ends within the buffer."""
        for end, start in cuts(self._buffer):
            attempt = self._attempt(memoryview(self._buffer)[:end], closed=False)
            state = attempt.outcome.state
            if state is State.SOUND:
                self._decoder.findings.merge(attempt.repairs)
                self._drop(start)
                return False
            if state is State.CLOSED:
                return True
            if state is State.MALFORMED:
                rescue = self.salvager.rescue(self._buffer[:end], self.offset, is_last=False)
                self._drop(start if rescue.consumed == end else rescue.consumed)
                return rescue.footer is not None
        return False

    def _finish(self) -> bytes:
        """Decode what is left once all text is there; return the text after the list."""
        attempt = self._attempt(self._buffer, closed=True)
        outcome, text = attempt.outcome, attempt.text
        if outcome.state is State.MALFORMED:
            return self._rescue_end()
        if outcome.state is State.TRUNCATED:
            return self._finish_open(attempt)
        self._decoder.findings.merge(attempt.repairs)
        if outcome.state is State.SOUND:
            self._drop(len(self._buffer))
            return b""
        self._decoder.decode(text[: outcome.place], self.offset, closed=True)
        self._drop(self._place(text, outcome.place))
        return text[outcome.place :]

    def _finish_open(self, attempt: Attempt) -> bytes:
        """Decode the sound part of a list that has no end."""
        text = attempt.text
        stripped = text.rstrip().removesuffix(b",")
        if self._decoder.decode(stripped, self.offset).state is State.SOUND:
            self.ends_open = True
            self._decoder.findings.merge(attempt.repairs)
            self._drop(len(self._buffer))
            self.cut_off_at = self.offset
            return b""
        for end, start in cuts(text):
            if self._decoder.decode(text[:end], self.offset).state is State.SOUND:
                self._decoder.findings.merge(attempt.repairs)
                self._drop(self._place(text, start))
                self.cut_off_at = self.offset
                return b""
        return self._rescue_end()

    def _place(self, text: bytes, place: int) -> int:
        """Return the place in the buffer of a place near the end of its repaired text."""
        return max(0, len(self._buffer) - (len(text) - place))

    def _rescue_end(self) -> bytes:
        rescue = self.salvager.rescue(self._buffer, self.offset, is_last=True)
        self._drop(rescue.consumed)
        if rescue.footer is None:
            self.cut_off_at = self.offset
        return rescue.footer or b""

    def _attempt(self, piece: bytes | memoryview, *, closed: bool) -> Attempt:
        """Decode strictly, then with repairs."""
        if not self._repairer.is_needed(piece):
            outcome = self._decoder.decode(piece, self.offset, closed=closed)
            if outcome.state is not State.MALFORMED:
                return Attempt(outcome=outcome, text=bytes(piece) if closed else b"")
        attempt = self._attempt_repaired(bytes(piece), closed=closed)
        if attempt.outcome.state is State.MALFORMED and self._repairer.may_be_literal(piece):
            # "C:\\new\\" has no unknown escape; that its last quotation mark ends it shows only now.
            self._repairer.take_literally()
            literal = self._attempt_repaired(bytes(piece), closed=closed)
            if literal.outcome.state is not State.MALFORMED:
                return literal
            self._repairer.take_back()
        return attempt

    def _attempt_repaired(self, piece: bytes, *, closed: bool) -> Attempt:
        repairs = Findings()
        text = self._repairer.repair(piece, self.offset, repairs)
        return Attempt(outcome=self._decoder.decode(text, self.offset, closed=closed), text=text, repairs=repairs)

    def _drop(self, count: int) -> None:
        self._buffer = self._buffer[count:]
        self.offset += count
