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
from kerneldiff.traces import RawTrace
from kerneldiff.traces import load as read
from kerneldiff.traces.remote import is_remote, list_remote

Progress = Callable[[int, int | None], None]
Source = str | os.PathLike[str] | Profile
_ENDINGS = (".json", ".json.gz", ".gz")


def load(source: str | os.PathLike[str], *, progress: Progress | None = None, use_marks: bool = True) -> Profile:
    """Read one run: a file, ``-`` for standard input, or a folder of recordings of one program.

    Args:
        source: the path; ``hf://datasets/owner/name[@revision]/path`` for one on the Hugging Face Hub.
        progress: called with the bytes read so far and the size of the file where it is known.
        use_marks: False takes each whole file for one step, whatever step marks it has.

    Raises:
        TraceError: when a file cannot be used; the message says which, where and what to do.
    """
    return _measure(_read(source, progress), use_marks=use_marks)


def _read(source: str | os.PathLike[str], progress: Progress | None) -> list[RawTrace]:
    path = os.fspath(source)
    if is_remote(path):
        return [read(one, progress=progress) for one in _remote_recordings(path)]
    if path != "-" and Path(path).is_dir():
        return [read(one, progress=progress) for one in recordings_in(Path(path))]
    return [read(path, progress=progress)]


def _measure(recordings: Sequence[RawTrace], *, use_marks: bool = True) -> Profile:
    return merge([measure(link(raw, use_marks=use_marks)) for raw in recordings])


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


def _remote_recordings(path: str) -> list[str]:
    """List the trace files of a folder on the Hub; a file stands for itself."""
    listed = list_remote(path)
    if listed is None:
        return [path]
    files, folders = listed
    found = [one for one in files if one.endswith(_ENDINGS)]
    if not found:
        hint = f"; give one of {', '.join(folders)}" if folders else ", named *.json or *.json.gz"
        msg = f"{path}: no recording directly in this folder{hint}"
        raise TraceError(msg)
    return found


def compare(baseline: Source, candidate: Source, *, progress: Progress | None = None) -> Diff:
    """Compare two runs, given as paths or as loaded profiles.

    Raises:
        TraceError: when a file cannot be used.
    """
    return compare_many([baseline, candidate], progress=progress)[0]


def compare_many(runs: Sequence[Source], *, progress: Progress | None = None) -> list[Diff]:
    """Compare each further run with the first.

    A run without step marks can only be compared as a whole file, so its counterpart then is a whole file too.

    Raises:
        KerneldiffError: for fewer than two runs.
        TraceError: when a file cannot be used.
    """
    if len(runs) < 2:
        msg = "nothing to compare: give a baseline and at least one candidate"
        raise KerneldiffError(msg)
    loaded = [_Loaded(one, progress) for one in runs]
    first = loaded[0]
    return [compare_profiles(*_alike(first, other)) for other in loaded[1:]]


class _Loaded:
    """A run with the columns it came from, for as long as a second look at them may be needed."""

    def __init__(self, run: Source, progress: Progress | None) -> None:
        self.recordings = [] if isinstance(run, Profile) else _read(run, progress)
        self.profile = run if isinstance(run, Profile) else _measure(self.recordings)

    @property
    def has_marks(self) -> bool:
        return "steps" not in self.profile.missing

    def whole(self) -> Profile:
        return _measure(self.recordings, use_marks=False) if self.recordings else self.profile


def _alike(one: _Loaded, other: _Loaded) -> tuple[Profile, Profile]:
    """Give both profiles by the same measure: steps where both have marks, else whole files."""
    if one.has_marks == other.has_marks or not (one.profile.events and other.profile.events):
        return one.profile, other.profile
    return (one.whole(), other.profile) if one.has_marks else (one.profile, other.whole())
