"""The one place where the stages are chained: paths in, values out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from kerneldiff.diffs import Diff
from kerneldiff.diffs import diff as compare_profiles
from kerneldiff.errors import KerneldiffError, TraceError
from kerneldiff.links import link
from kerneldiff.profiles import Profile, merge
from kerneldiff.profiles import profile as measure
from kerneldiff.traces import load as read

Progress = Callable[[int, int | None], None]
_ENDINGS = (".json", ".json.gz", ".gz")


def load(source: str | os.PathLike[str], *, progress: Progress | None = None) -> Profile:
    """Read one run: a file, ``-`` for standard input, or a folder of recordings of one program.

    Raises:
        TraceError: when a file cannot be used; the message says which, where and what to do.
    """
    path = os.fspath(source)
    if path != "-" and Path(path).is_dir():
        return merge([measure(link(read(one, progress=progress))) for one in recordings_in(Path(path))])
    return measure(link(read(path, progress=progress)))


def recordings_in(folder: Path) -> list[Path]:
    """List the trace files directly in a folder, by name.

    Raises:
        TraceError: when there is none.
    """
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.endswith(_ENDINGS))
    if not files:
        msg = f"{folder}: no recording in this folder; it should hold files named *.json or *.json.gz"
        raise TraceError(msg)
    return files


def compare(
    baseline: str | os.PathLike[str] | Profile,
    candidate: str | os.PathLike[str] | Profile,
    *,
    progress: Progress | None = None,
) -> Diff:
    """Compare two runs, given as paths or as loaded profiles."""
    runs = [one if isinstance(one, Profile) else load(one, progress=progress) for one in (baseline, candidate)]
    return compare_profiles(runs[0], runs[1])


def compare_many(runs: Sequence[str | os.PathLike[str] | Profile], *, progress: Progress | None = None) -> list[Diff]:
    """Compare each further run with the first.

    Raises:
        KerneldiffError: for fewer than two runs.
    """
    if len(runs) < 2:
        msg = "nothing to compare: give a baseline and at least one candidate"
        raise KerneldiffError(msg)
    profiles = [one if isinstance(one, Profile) else load(one, progress=progress) for one in runs]
    return [compare_profiles(profiles[0], other) for other in profiles[1:]]
