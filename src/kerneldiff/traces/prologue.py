"""The text before the first event."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from kerneldiff.errors import UnknownFormatError
from kerneldiff.traces.decoding import State
from kerneldiff.traces.epilogue import decoded
from kerneldiff.traces.findings import Findings
from kerneldiff.traces.header import found_fields
from kerneldiff.traces.repairs import Repairer
from kerneldiff.traces.sources import Text

EVENTS_KEY: Final = re.compile(rb'(?<!\\)"traceEvents"\s*:\s*\[')
MAX_PROLOGUE: Final = 1 << 26
MAX_TRIES: Final = 16
# The key, the colon and the bracket with some blanks between; a match that the buffer's end cuts is found next time.
KEY_LENGTH: Final = 256
ADVICE: Final = "give a file written by torch.profiler's export_chrome_trace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prologue:
    """The header fields before the events, and the text from the first event on.

    Attributes:
        fields: decoded top-level fields.
        rest: text after the bracket that opens the list, as far as it was read.
        offset: byte offset of ``rest`` in the file.
        is_bare_list: True for a file that is a list and no object.
    """

    fields: dict[str, Any]
    rest: bytes
    offset: int
    is_bare_list: bool


def find_events(text: Text, repairer: Repairer, findings: Findings) -> Prologue:
    """Read up to the opening bracket of the list of events.

    Raises:
        UnknownFormatError: the text is no trace.
    """
    buffer = text.read(text.piece)
    if buffer.startswith(b"["):
        return Prologue(fields={}, rest=buffer[1:], offset=text.start + 1, is_bare_list=True)
    tries, searched = 0, 0
    while True:
        for match in EVENTS_KEY.finditer(buffer, searched):
            fields = fields_before(buffer[: match.end()], text.start, repairer, findings)
            if fields is not None:
                end = match.end()
                return Prologue(fields=fields, rest=buffer[end:], offset=text.start + end, is_bare_list=False)
            tries += 1
            if tries > MAX_TRIES:
                raise no_events(text, buffer, is_whole=False)
        searched = max(0, len(buffer) - KEY_LENGTH)
        more = text.read(max(text.piece, len(buffer)))
        if not more or len(buffer) > MAX_PROLOGUE:
            raise no_events(text, buffer, is_whole=not more)
        buffer += more


def fields_before(head: bytes, offset: int, repairer: Repairer, findings: Findings) -> dict[str, Any] | None:
    """Return the fields before the list, or None when the bracket is not that of the top-level list."""
    fields, state, _ = decoded(head + b"]}")
    if state is State.MALFORMED:
        found = Findings()
        fields, state, _ = decoded(repairer.repair(head, offset, found) + b"]}")
        findings.merge(found)
    if state is State.MALFORMED:
        # Log lines with quotation marks that are not escaped: https://github.com/pytorch/kineto/issues/1336.
        findings.add("header-unreadable", offset)
        return found_fields(head)
    if state is not State.SOUND:
        return None
    fields.pop("traceEvents", None)
    return fields


def no_events(text: Text, buffer: bytes, *, is_whole: bool) -> UnknownFormatError:
    """Return the error for JSON that is no trace, or for a trace that is cut off before its events."""
    fields, state, _ = decoded(buffer)
    if state is State.SOUND and "traceEvents" in fields:
        reason = "its traceEvents are not a list"
    elif state is State.SOUND:
        keys = ", ".join(list(fields)[:5]) or "none"
        reason = f"it is JSON without a list of traceEvents (its keys: {keys[:200]})"
    elif state is State.TRUNCATED and is_whole:
        reason = "it is cut off before the list of traceEvents"
    else:
        reason = f"no list of traceEvents was found in its first {len(buffer)} bytes"
    return UnknownFormatError(f"{text.name}: not a profiler trace: {reason}; {ADVICE}")
