"""What came back from a Job: traces, and a report of what they do not say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from kerneldiff import pipeline
from kerneldiff.errors import RecordingError, TraceError
from kerneldiff.recordings.api import compare_recordings
from kerneldiff.recordings.model import Comparison, Failure, OutputCheck, Recording
from kerneldiff.recordings.session import folder_name

RECORDINGS: Final = "recordings"
REPORT: Final = "session.json"
OUTCOME: Final = "outcome.json"

Noted = TypeVar("Noted")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a session yields besides traces.

    Attributes:
        variants: in order, the first is the baseline; builds: of each.
        outputs, failures, notes: as of a Comparison; notes by variant.
    """

    variants: tuple[str, ...]
    builds: int = 1
    outputs: tuple[OutputCheck, ...] = ()
    failures: tuple[Failure, ...] = ()
    notes: dict[str, str] = {}


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How the recording ended in the Job: its exit status, and ``itself``, ``time`` or ``stopped``."""

    status: int
    ended: str


def write_report(folder: Path, report: Report) -> None:
    """Write a report, aside first: the process may be killed at any time."""
    aside = folder / f".{REPORT}"
    aside.write_bytes(msgspec.json.format(msgspec.json.encode(report)))
    aside.replace(folder / REPORT)


def read_outcome(folder: Path) -> Outcome | None:
    """Read how the recording ended; None when the Job ended before it could say so."""
    path = folder / OUTCOME
    return _decode(path, Outcome) if path.is_file() else None


def read_comparison(folder: Path, traces: Path) -> Comparison | None:
    """Compare what a Job recorded, as a recording on this machine is compared.

    Args:
        folder: where its report is.
        traces: where its recordings are.

    Returns:
        None when there is no recording at all.

    Raises:
        RecordingError: when the report cannot be read.
    """
    report = _decode(folder / REPORT, Report) if (folder / REPORT).is_file() else Report(variants=_folders(traces))
    recordings: list[Recording] = []
    failures = list(report.failures)
    for build in range(1, report.builds + 1):
        top = traces / f"build-{build}" if report.builds > 1 else traces
        for variant in report.variants:
            try:
                recordings += _recordings(variant, build, top / folder_name(variant), report.notes.get(variant))
            except TraceError as error:
                failures.append(Failure(variant=variant, message=f"variant {variant}: {error}"))
    return compare_recordings(recordings, report.outputs, failures) if recordings else None


def _folders(traces: Path) -> tuple[str, ...]:
    """List the variants of a session whose report is missing, by their folders."""
    return tuple(sorted(path.name for path in traces.iterdir() if path.is_dir())) if traces.is_dir() else ()


def _recordings(variant: str, build: int, folder: Path, note: str | None) -> Iterator[Recording]:
    files = tuple(sorted(folder.glob("*.pt.trace.json.gz"))) if folder.is_dir() else ()
    if files:
        run = pipeline.load(folder)
        yield Recording(variant=variant, build=build, folder=folder, files=files, profile=run, note=note)


def _decode(path: Path, kind: type[Noted]) -> Noted:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (msgspec.MsgspecError, OSError) as error:
        msg = f"{path}: cannot be read as what a Job notes ({error}); was it made by another version of kerneldiff?"
        raise RecordingError(msg) from error
