"""Recording from Python: one program, or several variants of one."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kerneldiff import pipeline
from kerneldiff.diffs.builds import spread_of_builds, typical_build
from kerneldiff.errors import RecordingError
from kerneldiff.recordings.model import Comparison, Failure, Options, OutputCheck, Program, Recording, Say, Variant
from kerneldiff.recordings.session import Session
from kerneldiff.recordings.targets import as_program


def record(
    step: Any,  # noqa: ANN401 - a step, or (module, inputs)
    *,
    name: str = "eager",
    out: str | Path | None = None,
    options: Options | None = None,
    say: Say | None = None,
) -> Recording:
    """Record one program, several times.

    Args:
        step: a function without arguments that runs one step, or a module with its inputs: ``(module, inputs)``.
        name: of the variant, and of its folder.
        out: where the folder goes; a new temporary folder when None.
        options: schedule, number of recordings and the like.
        say: takes remarks on the progress.

    Raises:
        RecordingError: when it could not be recorded; the message says why.
    """
    found = record_variants([as_variant(name, step)], _folder(out), options or Options(), say or _silent)
    if found.failures:
        raise RecordingError(found.failures[0].message)
    return found.recordings[0]


def compare_variants(
    variants: Mapping[str, Any],
    *,
    out: str | Path | None = None,
    options: Options | None = None,
    say: Say | None = None,
) -> Comparison:
    """Record variants in alternation, and compare each with the first.

    Args:
        variants: names and steps, each a function without arguments or ``(module, inputs)``, on the same weights
            and inputs if their outputs are to agree.
        out: where the folder goes; a new temporary folder when None.
        options: schedule, number of recordings and the like.
        say: takes remarks on the progress.

    Raises:
        RecordingError: when nothing could be recorded.
    """
    listed = [as_variant(name, step) for name, step in variants.items()]
    return record_variants(listed, _folder(out), options or Options(), say or _silent)


def as_variant(name: str, step: Any) -> Variant:  # noqa: ANN401 - a step, or (module, inputs)
    """Make a variant of a step that exists already."""
    return Variant(name=name, make=partial(_existing, step, name))


def _existing(step: Any, name: str, _: str) -> Program:  # noqa: ANN401
    return as_program(step, compiler=lambda what: what, name=name)


def record_variants(variants: Sequence[Variant], out: Path, options: Options, say: Say) -> Comparison:
    """Record variants, build by build, and compare each with the first.

    Raises:
        RecordingError: when no variant could be recorded.
    """
    session = Session(options, out, say)
    recordings = [one for build in range(1, options.builds + 1) for one in session.record(variants, build)]
    if not recordings:
        raise RecordingError(session.failures[0].message if session.failures else "there is no variant to record")
    return compare_recordings(recordings, session.checks, session.failures)


def compare_recordings(
    recordings: Sequence[Recording], checks: Sequence[OutputCheck], failures: Sequence[Failure]
) -> Comparison:
    """Compare recordings of one session, variant by variant, with the first of them; there is at least one."""
    by_variant: dict[str, list[Recording]] = {}
    for one in recordings:
        by_variant.setdefault(one.variant, []).append(one)
    first, *others = by_variant
    diffs, spreads = [], []
    for name in others:
        builds = [(_of_build(by_variant[first], one.build), one) for one in by_variant[name]]
        made = [pipeline.compare(base.profile, one.profile) for base, one in builds]
        diffs.append(made[typical_build(made)])
        if len(made) > 1:
            spreads.append(spread_of_builds(name, made))
    return Comparison(
        recordings=tuple(recordings),
        diffs=tuple(diffs),
        labels=tuple(by_variant),
        outputs=tuple(checks),
        failures=tuple(failures),
        spreads=tuple(spreads),
    )


def _of_build(recordings: Sequence[Recording], build: int) -> Recording:
    """Give the recording of the same session, where there is one."""
    return next((one for one in recordings if one.build == build), recordings[0])


def _folder(out: str | Path | None) -> Path:
    return Path(tempfile.mkdtemp(prefix="kerneldiff-")) if out is None else Path(out)


def _silent(_: str) -> None:
    return
