"""Starting a Job: what it needs is uploaded, the Job submitted, and never lost from sight."""

from __future__ import annotations

import difflib
import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.hub import bootstrap
from kerneldiff.recordings.hub.client import Client, library_version
from kerneldiff.recordings.hub.model import (
    FOLDER_VARIABLE,
    LABEL,
    REPO_VARIABLE,
    RUN_LABEL,
    TARGET_VARIABLE,
    Hardware,
    Job,
    Place,
    Unreachable,
)
from kerneldiff.recordings.session import folder_name


def find_hardware(offered: Sequence[Hardware], flavor: str | None) -> Hardware:
    """Find a flavor among those on offer.

    Raises:
        RecordingError: when there is none of that name; the message lists near ones, or all with their prices.
    """
    by_name = {one.name: one for one in offered}
    if flavor in by_name:
        return by_name[flavor]
    listed = ", ".join(f"{one.name} ({one.price})" for one in offered)
    if flavor is None:
        msg = f"say which hardware: --flavor, one of {listed}"
        raise RecordingError(msg)
    near = difflib.get_close_matches(flavor, by_name, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    msg = f"--flavor {flavor}: the Hub offers no such hardware; {hint}There are {listed}"
    raise RecordingError(msg)


def new_folder(target: str) -> str:
    """Give a recording a folder of its own in the dataset: the target, the time in UTC, and chance."""
    name = folder_name(target.replace("\\", "/").rpartition("/")[2])
    return f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}"


def start(client: Client, place: Place, target: str, files: dict[str, Path | bytes]) -> Job:
    """Upload what the Job needs, and start it.

    Raises:
        RecordingError: when it could not be started. Nothing runs then: where the Hub's answer was lost, the
            Job is looked for by a label of its own.
    """
    client.ensure_private(place.repo)
    inputs = {f"{place.folder}/inputs/{path}": content for path, content in files.items()}
    revision = client.upload(place.repo, inputs, f"Inputs of {place.folder}")
    settings = {
        "repo": place.repo,
        "folder": place.folder,
        "revision": revision,
        "hub": library_version(),
        "seconds": place.seconds,
    }
    command = ["python3", "-c", Path(bootstrap.__file__).read_text(encoding="utf-8"), json.dumps(settings)]
    run = uuid.uuid4().hex
    labels = dict([LABEL]) | {RUN_LABEL: run, "name": f"kerneldiff-{_label(target)}"}
    facts = {
        REPO_VARIABLE: place.repo,
        FOLDER_VARIABLE: place.folder,
        TARGET_VARIABLE: target,
        "PYTHONUNBUFFERED": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    try:
        return client.submit(place, command, labels, facts)
    except Unreachable as error:
        found = _look_for(client, run, str(error))
        if found is not None:
            return found
        raise
    except KeyboardInterrupt:
        found = _look_for(client, run, "interrupted while the Job was being started")
        if found is not None:
            client.cancel(found.id)
        raise


def _look_for(client: Client, run: str, why: str) -> Job | None:
    """Look for a Job whose start was asked for and not answered; None when there is none.

    Raises:
        RecordingError: when that cannot be told either.
    """
    try:
        return next(iter(client.jobs({RUN_LABEL: run})), None)
    except RecordingError as error:
        msg = f"{why}; whether a Job was started is not known ({error}): look with 'kerneldiff jobs' soon"
        raise RecordingError(msg) from error


def _label(text: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in text)[:60].strip("-") or "target"
