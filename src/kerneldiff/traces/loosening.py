"""Records with values of unexpected types: each value is looked at, what does not fit is missing.

Only pieces that the typed decoder refused come here; it costs about ten times as much.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Raw

from kerneldiff.traces.extraction import number
from kerneldiff.traces.findings import Findings
from kerneldiff.traces.model import MISSING
from kerneldiff.traces.pairs import BEGIN, END
from kerneldiff.traces.structs import NO_ARGS, Args, LooseEvent, SettledEvent, TrackId
from kerneldiff.traces.timestamps import InexactTimeError, exact_nanoseconds

RECORDS: Final = msgspec.json.Decoder(list[Raw])
RECORD: Final = msgspec.json.Decoder(LooseEvent)
RAW_ARGS: Final = msgspec.json.Decoder(dict[str, Raw])
VALUE: Final = msgspec.json.Decoder()

# Records of these phases become slices, so their times count.
TIMED: Final = ("X", BEGIN, END)
# These become int32 columns.
NARROW: Final = frozenset(
    {"device", "context", "registers per thread", "shared memory", "num_warps", "num_stages"},
)
ARGS_FIELDS: Final = {field.encode_name: field for field in msgspec.structs.fields(Args)}


def loose_events(records: list[Raw], findings: Findings, offset: int) -> list[SettledEvent]:
    """Return the events of these records; what does not fit is counted in the findings."""
    events = []
    for raw in records:
        try:
            events.append(loose_event(RECORD.decode(raw), findings, offset))
        except InexactTimeError:
            findings.add("bad-time", offset)
        except msgspec.DecodeError:
            findings.add("record-not-an-event", offset)
    return events


def loose_event(record: LooseEvent, findings: Findings, offset: int) -> SettledEvent:
    """Return the event with each value in its type."""
    phase = text_of(record.ph, findings, offset) or ""
    return SettledEvent(
        ph=phase,
        cat=text_of(record.cat, findings, offset),
        name=text_of(record.name, findings, offset) or "",
        pid=track_id(record.pid),
        tid=track_id(record.tid),
        ts=exact_nanoseconds(time_text(record.ts)) if phase in TIMED else 0,
        dur=0 if bytes(record.dur) in (b"", b"null") else exact_nanoseconds(time_text(record.dur)),
        args=loose_args(record.args, findings, offset),
    )


def loose_args(raw: Raw, findings: Findings, offset: int) -> Args:
    """Return the arguments with each value in its type."""
    if not bytes(raw) or bytes(raw) == b"null":
        return NO_ARGS
    try:
        given = RAW_ARGS.decode(raw)
    except msgspec.DecodeError:
        findings.add("odd-value", offset)
        return NO_ARGS
    values: dict[str, Any] = {}
    for key, value in given.items():
        field = ARGS_FIELDS.get(key)
        if field is None:
            continue
        if field.type is Raw:
            values[field.name] = value
        elif field.default is None:
            values[field.name] = text_of(value, findings, offset)
        else:
            values[field.name] = integer_of(value, 31 if key in NARROW else 63, findings, offset)
    return Args(**values)


def integer_of(raw: Raw, bits: int, findings: Findings, offset: int) -> int:
    """Return an integer of at most so many bits; MISSING for null and, counted, for anything else."""
    try:
        value = VALUE.decode(raw)
    except msgspec.DecodeError:  # more digits than Python converts
        findings.add("number-out-of-range", offset)
        return MISSING
    if value is None:
        return MISSING
    if isinstance(value, str):
        # Some writers give numbers as text; an address such as "0x0" is no number of these columns.
        value = number(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        findings.add("odd-value", offset)
        return MISSING
    if not -(2**bits) <= value < 2**bits:
        findings.add("number-out-of-range", offset)
        return MISSING
    return value


def text_of(raw: Raw, findings: Findings, offset: int) -> str | None:
    """Return a text; a number as it is written; None for null and, counted, for anything else."""
    if not bytes(raw) or bytes(raw) == b"null":
        return None
    if bytes(raw)[:1] == b'"':
        value = VALUE.decode(raw)
        return value if isinstance(value, str) else None
    if bytes(raw)[:1] in b"[{":
        findings.add("odd-value", offset)
        return None
    return bytes(raw).decode("utf-8", "replace")


def track_id(raw: Raw) -> TrackId:
    """Return a pid or tid: a number or a text; any other value as it is written."""
    if not bytes(raw):
        return None
    try:
        value = VALUE.decode(raw)
    except msgspec.DecodeError:
        value = None
    return value if isinstance(value, int | str | float | None) else bytes(raw).decode("utf-8", "replace")


def time_text(raw: Raw) -> bytes:
    """Return the text of a time, without the quotes of one that is written as text."""
    text = bytes(raw)
    return text[1:-1] if text.startswith(b'"') else text
