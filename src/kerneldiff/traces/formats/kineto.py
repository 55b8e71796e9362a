"""The trace event format, as written by PyTorch's Kineto, its legacy profiler, and tools that rewrite their files.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format).
The text is cut into pieces that are decoded one by one, so that memory holds the columns and one piece.
"""

from __future__ import annotations

from kerneldiff.errors import EmptyTraceError, MalformedTraceError
from kerneldiff.traces.assembly import assemble
from kerneldiff.traces.columns import Columns
from kerneldiff.traces.decoding import PieceDecoder
from kerneldiff.traces.epilogue import Epilogue, epilogue_of
from kerneldiff.traces.findings import Findings
from kerneldiff.traces.header import header_of
from kerneldiff.traces.model import RawTrace
from kerneldiff.traces.prologue import Prologue, find_events
from kerneldiff.traces.repairs import Repairer
from kerneldiff.traces.sources import Text
from kerneldiff.traces.splices import refuse_spliced
from kerneldiff.traces.streaming import EventReader


def claims(first: bytes) -> bool:
    """Tell whether the text is a JSON object or list."""
    return first[:1] in (b"{", b"[")


def read(text: Text) -> RawTrace:
    """Read a trace; raise TraceError when nothing sound is in it."""
    columns, findings = Columns(), Findings()
    repairer = Repairer(columns.interner.strings.count)
    prologue = find_events(text, repairer, findings)
    reader = EventReader(text, PieceDecoder(columns, findings), repairer)
    footer = reader.read(prologue.rest, prologue.offset)
    epilogue = epilogue_of(footer, reader.offset, text.name, repairer, findings)
    cut_off_at = settle_end(reader, prologue, epilogue, findings)
    findings.add("unmatched-begin", prologue.offset, len(columns.open_slices.rows()))
    findings.add("unmatched-end", prologue.offset, columns.open_slices.unmatched_ends)
    parts = assemble(columns, repairer.strings_before)
    refuse_spliced(text.name, parts, reader.salvager.first_break)
    refuse_empty(text.name, len(parts["events"]), findings)
    return RawTrace(
        path=text.name,
        header=header_of(prologue.fields | epilogue.fields),
        cut_off_at=cut_off_at,
        notes=(*text.notes, *findings.notes()),
        **parts,
    )


def settle_end(reader: EventReader, prologue: Prologue, epilogue: Epilogue, findings: Findings) -> int | None:
    """Return where a cut-off file ends, and note how the file ends."""
    if reader.ends_open and prologue.is_bare_list:
        # https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: "the ] at the end is optional".
        findings.add("unclosed-list", reader.offset)
        return None
    cut_off_at = epilogue.cut_off_at if reader.cut_off_at is None and not prologue.is_bare_list else reader.cut_off_at
    if cut_off_at is not None:
        findings.add("cut-off", cut_off_at)
    return cut_off_at


def refuse_empty(name: str, slices: int, findings: Findings) -> None:
    """Raise an error when no slice was read."""
    if slices:
        return
    if findings.count("event-left-out"):
        offset = findings.first("event-left-out")
        message = f"{name}: not a single sound event; the text breaks at byte {offset}"
        raise MalformedTraceError(message, offset=offset)
    if findings.count("cut-off"):
        offset = findings.first("cut-off")
        message = f"{name}: cut off at byte {offset}, before the first whole event; record it again"
        raise MalformedTraceError(message, offset=offset)
    message = f"{name}: the trace has no events; check that the profiler was active while the program ran"
    raise EmptyTraceError(message)
