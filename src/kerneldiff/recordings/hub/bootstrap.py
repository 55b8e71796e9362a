"""Runs inside a Job before kerneldiff is there: installs, records, and sends back whatever was made.

Its text is the Job's command (``python3 -c``), so it needs the standard library alone; ``huggingface_hub`` it installs.
The recording is a process of its own: if that is killed or runs out of time, what it has left still goes back.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from types import FrameType

# Kept free at the end of the Job's time for sending: a share of it, and never more than this.
MOST_RESERVED_SECONDS = 90
RESERVED_SHARE = 0.2
# Of the reserve, for a recording that is told to stop; then it is killed.
GRACE_SHARE = 0.3
TIME_IS_UP = 124  # as timeout(1) has it
UPLOADS = 4
OLDEST_PYTHON = (3, 11)


class Stopped(Exception):  # noqa: N818 - it is no error
    """The Job was told to end."""


def main(settings: dict[str, object]) -> int:
    """Run the Job; the result is its exit status."""
    whole = float(str(settings["seconds"]))
    reserved = min(MOST_RESERVED_SECONDS, RESERVED_SHARE * whole)
    end = time.monotonic() + whole - reserved
    signal.signal(signal.SIGTERM, _stop)
    if sys.version_info < OLDEST_PYTHON:  # the image is the user's choice
        say("this image has Python " + sys.version.split()[0] + "; choose one with 3.11 or newer (--image)")
        return 2
    if not is_installed("huggingface-hub", str(settings["hub"])):
        install(["huggingface-hub==" + str(settings["hub"])])
    work = Path(tempfile.mkdtemp(prefix="kerneldiff-"))
    inputs = fetch(settings, work / "inputs")
    instructions = json.loads((inputs / "job.json").read_text(encoding="utf-8"))
    install([str(inputs / instructions["wheel"]) + "[torch]", *instructions["requirements"]])
    (inputs / "program").mkdir(exist_ok=True)
    out = work / "out"
    out.mkdir()
    command = [sys.executable, "-m", "kerneldiff.recordings.hub.worker", str(inputs), str(out)]
    status, ended = watch(command, inputs / "program", end - time.monotonic(), GRACE_SHARE * reserved)
    (out / "outcome.json").write_text(json.dumps({"status": status, "ended": ended}), encoding="utf-8")
    send(settings, out)
    return status


def say(text: str) -> None:
    """Write a line to the Job's log at once."""
    print("kerneldiff:", text, flush=True)  # noqa: T201 - the log is where it is read


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


def is_installed(package: str, version: str) -> bool:
    """Tell whether the image has a package in this version."""
    try:
        return metadata.version(package) == version
    except metadata.PackageNotFoundError:
        return False


def install(requirements: list[str]) -> None:
    """Install packages beside those of the image, with uv where it is: it is faster."""
    say("installing " + ", ".join(os.path.basename(one) for one in requirements))  # noqa: PTH119 - names, no paths
    uv = shutil.which("uv")
    tool = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install"]
    # A container is thrown away after the Job, so its system's Python may be changed.
    allowed = {"PIP_BREAK_SYSTEM_PACKAGES": "1", "UV_BREAK_SYSTEM_PACKAGES": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    done = subprocess.run([*tool, "--quiet", *requirements], env={**os.environ, **allowed}, check=False)  # noqa: S603 - a list, no shell
    if done.returncode:
        say("installing failed; the lines above say why")
        sys.exit(done.returncode)


def fetch(settings: dict[str, object], to: Path) -> Path:
    """Fetch what was sent along, as it was when the Job was started."""
    import huggingface_hub  # noqa: PLC0415 - just installed

    inputs = str(settings["folder"]) + "/inputs"
    huggingface_hub.snapshot_download(
        str(settings["repo"]),
        repo_type="dataset",
        revision=str(settings["revision"]),
        allow_patterns=[inputs + "/*"],
        local_dir=to,
    )
    return to / inputs


def watch(command: list[str], folder: Path, seconds: float, grace: float) -> tuple[int, str]:
    """Run a command for so long at most; give its exit status, and ``itself``, ``time`` or ``stopped``.

    One that takes longer is told to stop, and killed when it still runs after ``grace`` seconds.
    """
    if seconds <= 0:
        say("no time is left to record; give the Job more (--timeout)")
        return TIME_IS_UP, "time"
    with subprocess.Popen(command, cwd=folder) as child:  # noqa: S603 - a list, no shell
        try:
            return child.wait(timeout=seconds), "itself"
        except subprocess.TimeoutExpired:
            ended = "time"
            say("the time is nearly up: the recording is stopped, and what it has goes back")
        except Stopped:
            ended = "stopped"
            say("told to stop: what was recorded goes back")
        child.send_signal(signal.SIGINT)
        try:
            child.wait(timeout=grace)
        except (subprocess.TimeoutExpired, Stopped):
            child.kill()
    return TIME_IS_UP, ended


def send(settings: dict[str, object], out: Path) -> None:
    """Commit what was made to the dataset; a network that fails is given some time."""
    import huggingface_hub  # noqa: PLC0415 - just installed

    folder = str(settings["folder"])
    files = [path for path in sorted(out.rglob("*")) if path.is_file() and not _is_unfinished(path.relative_to(out))]
    operations = [
        huggingface_hub.CommitOperationAdd(folder + "/" + path.relative_to(out).as_posix(), str(path)) for path in files
    ]
    for attempt in range(1, UPLOADS + 1):
        try:
            huggingface_hub.HfApi().create_commit(
                str(settings["repo"]), operations, repo_type="dataset", commit_message="Recordings of " + folder
            )
        except Exception as error:
            say("sending failed: " + str(error))
            if attempt == UPLOADS:
                raise
            time.sleep(2**attempt)
        else:
            say("sent " + str(len(files)) + " files to the dataset " + str(settings["repo"]))
            return


def _is_unfinished(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
