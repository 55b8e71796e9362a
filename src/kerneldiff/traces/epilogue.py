"""The text after the last event."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from kerneldiff.errors import MalformedTraceError
from kerneldiff.traces.decoding import State, outcome_of
from kerneldiff.traces.findings import Findings
from kerneldiff.traces.header import found_fields
from kerneldiff.traces.repairs import Repairer
from kerneldiff.traces.salvage import PID

# Makes an object of the text that follows the list.
LEAD: Final = b'{"":0'


@dataclass(frozen=True, slots=True, kw_only=True)
class Epilogue:
    """The header fields after the events, and the byte offset of the end of a text that ends too early."""

    fields: dict[str, Any] = field(default_factory=dict)
    cut_off_at: int | None = None


def epilogue_of(text: bytes, offset: int, name: str, repairer: Repairer, findings: Findings) -> Epilogue:
    """Read the fields after the list, from the comma or brace that follows it.

    Raises:
        MalformedTraceError: another trace follows.
    """
    if not text.strip():
        return Epilogue(cut_off_at=offset)
    found = Findings()
    body = LEAD + text
    fields, state, place = decoded(body)
    if state is State.MALFORMED:
        body = LEAD + repairer.repair(text, offset, found)
        fields, state, place = decoded(body)
    findings.merge(found)
    if state is State.CLOSED:
        refuse_second_trace(body[place:], offset + place - len(LEAD), name)
        if body[place:].strip(b"\0 \t\r\n"):
            findings.add("trailing-text", offset + place - len(LEAD))
        fields, state, _ = decoded(body[:place])
    if state is State.SOUND:
        refuse_second_list(fields, offset, name)
        fields.pop("", None)
        return Epilogue(fields=fields)
    if state is State.MALFORMED:
        refuse_second_trace(text, offset, name)
        findings.add("header-unreadable", offset)
    return Epilogue(fields=found_fields(text), cut_off_at=offset + len(text) if state is State.TRUNCATED else None)


def decoded(body: bytes) -> tuple[dict[str, Any], State, int]:
    """Decode an object; tell how it ended and where text that is too much begins."""
    try:
        return msgspec.json.decode(body, type=dict[str, Any]), State.SOUND, 0
    except (msgspec.DecodeError, RecursionError) as error:
        outcome = outcome_of(error, body)
        return {}, outcome.state, outcome.place


def refuse_second_trace(text: bytes, offset: int, name: str) -> None:
    """Raise an error when text after the end is that of events."""
    if b'"ph"' not in text and b'"pid"' not in text:
        return
    pids = ", ".join(dict.fromkeys(pid.decode() for pid in PID.findall(text)[:1000]))
    message = (
        f"{name}: the text of another trace begins or goes on at byte {offset} (pids there: {pids}): several processes "
        "wrote to one path; record each to a path of its own"
    )
    raise MalformedTraceError(message, offset=offset)


def refuse_second_list(fields: dict[str, Any], offset: int, name: str) -> None:
    """Raise an error when there is a second list of events: which of the two holds is not known."""
    if "traceEvents" in fields:
        message = f"{name}: has a second list of traceEvents after byte {offset}; keep one of them"
        raise MalformedTraceError(message, offset=offset)
