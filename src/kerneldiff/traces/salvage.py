"""A piece that repairs do not make sound, record by record: what is sound stays, what is broken is left out and said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from msgspec import Raw

from kerneldiff.traces.boundaries import ANY, KNOWN
from kerneldiff.traces.decoding import TRUNCATED, Outcome, PieceDecoder, State, decoded_records, records_of
from kerneldiff.traces.findings import Findings
from kerneldiff.traces.repairs import Repairer

# A record with nested lists of objects looks like several; so many are joined before it is given up.
MAX_JOINED: Final = 8
PID: Final = re.compile(rb'"pid"\s*:\s*(\d+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescue:
    """What came of a broken piece: bytes used, and the text after the list when its end was met."""

    consumed: int
    footer: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """The first record that was left out: its place, and the pids in its text."""

    offset: int
    pids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The outcome of decoding some neighbouring parts as one: the records, or how they broke."""

    outcome: Outcome
    records: list[Raw]
    text: bytes
    last: int


class Salvager:
    """Decodes the records of broken pieces one at a time."""

    def __init__(self, decoder: PieceDecoder, repairer: Repairer) -> None:
        self.first_break: Break | None = None
        self._decoder = decoder
        self._repairer = repairer

    def rescue(self, piece: bytes, offset: int, *, is_last: bool) -> Rescue:
        """Add the sound records of a piece; unless it is the last one, an unfinished end is left for the next."""
        parts = split(piece)
        at = 0
        records: list[Raw] = []
        while at < len(parts):
            start = parts[at][0]
            trial = self._trial(piece, parts, at, offset, is_last=is_last)
            state = trial.outcome.state
            if state is State.SOUND:
                records += trial.records
                at = trial.last + 1
            elif state is State.CLOSED:
                if not is_last:
                    self._add(records, offset)
                    return Rescue(consumed=start, footer=b"")
                self._add(records + self._last_of(trial), offset)
                rest = trial.text[trial.outcome.place :] + piece[parts[trial.last][1] :]
                return Rescue(consumed=start, footer=rest)
            elif state is State.TRUNCATED and trial.last == len(parts) - 1 and (at > 0 or is_last):
                self._add(records, offset)
                return Rescue(consumed=start)
            else:
                self._leave_out(piece[start : parts[at][1]], offset + start)
                at += 1
        self._add(records, offset)
        return Rescue(consumed=len(piece))

    def _trial(self, piece: bytes, parts: list[tuple[int, int]], at: int, offset: int, *, is_last: bool) -> Trial:
        """Decode one part, joined with the next ones while it is unfinished."""
        start = parts[at][0]
        trial = None
        for last in range(at, min(at + MAX_JOINED, len(parts))):
            found = Findings()
            text = self._repairer.repair(piece[start : parts[last][1]], offset + start, found)
            outcome, records = self._last_records(text) if is_last and last == len(parts) - 1 else records_of(text)
            trial = Trial(outcome=outcome, records=records, text=text, last=last)
            if outcome.state is State.SOUND:
                self._decoder.findings.merge(found)
            if outcome.state is not State.TRUNCATED:
                break
        assert trial is not None  # noqa: S101 - the range has at least one element
        return trial

    def _last_records(self, text: bytes) -> tuple[Outcome, list[Raw]]:
        """Return the records of the end of a file, or that it ends too early."""
        outcome, records = records_of(text.rstrip().removesuffix(b","))
        # With a bracket behind it a record that ends within a number or after a text looks broken, not unfinished.
        unfinished = outcome.state is State.MALFORMED and decoded_records(b"[" + text)[0].state is State.TRUNCATED
        return (TRUNCATED if unfinished else outcome), records

    def _last_of(self, trial: Trial) -> list[Raw]:
        """Return the records before the bracket that closes the list."""
        _, records = records_of(trial.text[: trial.outcome.place].rstrip().removesuffix(b"]"))
        return records

    def _add(self, records: list[Raw], offset: int) -> None:
        if records:
            self._decoder.add_records(records, offset)

    def _leave_out(self, text: bytes, offset: int) -> None:
        self._decoder.findings.add("event-left-out", offset)
        if self.first_break is None:
            pids = tuple(dict.fromkeys(int(pid) for pid in PID.findall(text)[:8] if len(pid) < 12))
            self.first_break = Break(offset=offset, pids=pids)


def split(piece: bytes) -> list[tuple[int, int]]:
    """Return the start and end of each part of a piece that looks like one record."""
    matches = list(KNOWN.finditer(piece)) or list(ANY.finditer(piece))
    starts = [0, *(match.end() for match in matches)]
    ends = [*(match.start() + 1 for match in matches), len(piece)]
    return list(zip(starts, ends, strict=True))
