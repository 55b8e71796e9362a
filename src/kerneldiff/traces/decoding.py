"""One piece of the event list at a time: decoded strictly, else leniently, and added to the columns."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

import msgspec
from msgspec import Raw

from kerneldiff.traces.columns import Columns
from kerneldiff.traces.findings import Findings
from kerneldiff.traces.loosening import RECORDS, loose_events
from kerneldiff.traces.repairs import has_lone_surrogate
from kerneldiff.traces.structs import Event, TextTimeEvent
from kerneldiff.traces.tables import UnfitError
from kerneldiff.traces.timestamps import NANOSECONDS, NUMBERS, TEXTS, Clock, InexactTimeError

Mode = tuple[msgspec.json.Decoder[Any], Clock]
NUMBER_TIMES: Final[Mode] = (msgspec.json.Decoder(list[Event]), NUMBERS)
TEXT_TIMES: Final[Mode] = (msgspec.json.Decoder(list[TextTimeEvent]), TEXTS)

PLACE: Final = re.compile(r"\(byte (\d+)\)")


class State(Enum):
    """How the text of a piece ended."""

    SOUND = "whole events, all added"
    TRUNCATED = "ends within an event"
    CLOSED = "the list of events ends within the piece"
    MALFORMED = "not JSON"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a piece; ``place`` is the index in the piece at which CLOSED and MALFORMED text goes on."""

    state: State
    place: int = 0


SOUND: Final = Outcome(state=State.SOUND)
TRUNCATED: Final = Outcome(state=State.TRUNCATED)


class PieceDecoder:
    """Decodes pieces of the event list and adds their events to the columns."""

    def __init__(self, columns: Columns, findings: Findings) -> None:
        self.columns = columns
        self.findings = findings
        self._mode = NUMBER_TIMES

    def decode(self, piece: bytes | memoryview, offset: int, *, closed: bool = False) -> Outcome:
        """Add the events of the piece, all or none; ``closed`` when it has the closing bracket itself.

        A piece that starts at an event and decodes as a list ends between two events: parsing runs from left to
        right, so the bracket that is put behind it is accepted only there.
        """
        # One copy of the piece; "[" + piece + "]" and formatting make two.
        text = b"".join((b"[", piece, b"" if closed else b"]"))
        try:
            self._add(text)
        except (msgspec.ValidationError, UnfitError, InexactTimeError):
            return self._decode_loosely(text, offset)
        except (msgspec.DecodeError, RecursionError) as error:
            return within_brackets(outcome_of(error, text))
        return SOUND

    def add_records(self, records: list[Raw], offset: int) -> None:
        """Add records of sound JSON, whatever types their values have."""
        self.columns.add(loose_events(records, self.findings, offset), NANOSECONDS)

    def _add(self, text: bytes) -> None:
        decoder, clock = self._mode
        try:
            self.columns.add(decoder.decode(text), clock)
        except InexactTimeError:
            if self._mode is TEXT_TIMES:
                raise
            self._mode = TEXT_TIMES
            self._add(text)

    def _decode_loosely(self, text: bytes, offset: int) -> Outcome:
        outcome, records = decoded_records(text)
        if outcome.state is State.SOUND:
            self.add_records(records, offset)
        return outcome


def records_of(piece: bytes) -> tuple[Outcome, list[Raw]]:
    """Return the records of a piece without looking into them."""
    return decoded_records(b"[%b]" % piece)


def decoded_records(text: bytes) -> tuple[Outcome, list[Raw]]:
    """Return the records of a JSON list."""
    try:
        return SOUND, RECORDS.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        return within_brackets(outcome_of(error, text)), []


def within_brackets(outcome: Outcome) -> Outcome:
    """Return the outcome with its place counted without the bracket that was put before the piece."""
    return replace(outcome, place=max(outcome.place - 1, 0))


def outcome_of(error: Exception, text: bytes) -> Outcome:
    """Tell from msgspec's message how a text broke, and where."""
    message = str(error)
    found = PLACE.search(message)
    place = int(found[1]) if found else 0
    if "trailing characters" in message:
        # For these msgspec (0.19 to 0.23) gives the place after the first character that is too much.
        before = text[: place - 1].rstrip()
        return Outcome(state=State.CLOSED, place=place - 1 if before.endswith((b"]", b"}")) else place)
    # msgspec calls text truncated that has half a surrogate pair.
    if "truncated" in message and not has_lone_surrogate(text):
        return TRUNCATED
    return Outcome(state=State.MALFORMED, place=place)
