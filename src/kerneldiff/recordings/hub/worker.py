"""Runs inside a Job: records what the instructions say, and notes what a comparison needs besides the traces."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import msgspec

from kerneldiff.errors import KerneldiffError, RecordingError
from kerneldiff.recordings.api import record_variants
from kerneldiff.recordings.hub.bootstrap import TIME_IS_UP, say
from kerneldiff.recordings.hub.parcel import INSTRUCTIONS, Instructions
from kerneldiff.recordings.hub.results import RECORDINGS, Report, write_report
from kerneldiff.recordings.model import Failure, Variant
from kerneldiff.recordings.targets import find_factory, make_variants


def main(inputs: Path, out: Path) -> int:
    """Record into ``out``; the result is the exit status of the process."""
    # Where a process is started in the background, an interrupt may be ignored; here it says that the time is up.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    order = msgspec.json.decode((inputs / INSTRUCTIONS).read_bytes(), type=Instructions)
    given = {name: os.environ[name] for name in ("ACCELERATOR", "CPU_CORES", "MEMORY") if name in os.environ}
    say("recording " + order.target + "".join(f", {name} {value}" for name, value in given.items()))
    try:
        variants = make_variants(find_factory(order.target), order.variants, order.arguments)
    except KerneldiffError as error:
        say(str(error))
        return 2
    report = Report(variants=tuple(one.name for one in variants), builds=order.options.builds)
    write_report(out, report)  # if this process is killed, the names and their order are there
    try:
        report = _record(order, variants, out, report)
    except KeyboardInterrupt:
        message = "the recording was stopped before its end, so some variants have fewer recordings"
        write_report(out, msgspec.structs.replace(report, failures=(Failure(variant="", message=message),)))
        return TIME_IS_UP
    except RecordingError as error:
        say(str(error))
        write_report(out, msgspec.structs.replace(report, failures=(Failure(variant="", message=str(error)),)))
        return 2
    write_report(out, report)
    return 0


def _record(order: Instructions, variants: tuple[Variant, ...], out: Path, report: Report) -> Report:
    found = record_variants(variants, out / RECORDINGS, order.options, say)
    return msgspec.structs.replace(
        report,
        outputs=found.outputs,
        failures=found.failures,
        notes={one.variant: one.note for one in found.recordings if one.note and one.build == 1},
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
