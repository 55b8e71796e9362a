"""``kerneldiff record --on hf``: asks, starts a Job, follows it, brings back what it recorded."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from kerneldiff.errors import RecordingError

if TYPE_CHECKING:
    from kerneldiff.recordings.hub.client import Client
    from kerneldiff.recordings.hub.model import Hardware, Job, Order, Place
    from kerneldiff.recordings.hub.waiting import Follower
    from kerneldiff.recordings.model import Comparison

_INTERRUPTED: Final = 130
_DEFAULT_TIMEOUT: Final = "30m"
_OPTIONS: Final[tuple[tuple[tuple[str, ...], dict[str, Any]], ...]] = (
    (
        ("--on", "machine"),
        {
            "type": click.Choice(["here", "hf"]),
            "default": "here",
            "show_default": True,
            "help": "hf records in a Hugging Face Job; the options below are for it.",
        },
    ),
    (("--flavor",), {"metavar": "NAME", "help": "Hardware, such as a100-large; without it, all are listed."}),
    (
        ("--repo",),
        {"metavar": "OWNER/NAME", "help": "Private dataset for the recordings; made if it does not exist."},
    ),
    (("--timeout",), {"metavar": "TIME", "help": f"The Job's longest time. Default: {_DEFAULT_TIMEOUT}."}),
    (("--namespace",), {"metavar": "NAME", "help": "Who runs it and pays: you (default), or an organization."}),
    (("--image",), {"metavar": "IMAGE", "help": "Docker image with Python 3.11 or newer. Default: one with uv."}),
    (
        ("--with", "requirements"),
        {"multiple": True, "metavar": "PACKAGE", "help": "Install this too, such as torch==2.11.0; can be repeated."},
    ),
    (("--send", "files"), {"multiple": True, "metavar": "FILE", "help": "A further file for the program."}),
    (("-y", "--yes"), {"is_flag": True, "help": "Start without asking."}),
    (("--detach",), {"is_flag": True, "help": "Start it, say how to look after it, and leave it alone."}),
)
_NAMES: Final = ("flavor", "repo", "timeout", "namespace", "image", "requirements", "files", "yes", "detach")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How a Job is wanted, as far as the command line says; None where it does not."""

    flavor: str | None
    repo: str | None
    timeout: str | None
    namespace: str | None
    image: str | None
    yes: bool
    detach: bool


def hub_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a Job to a command."""
    for names, settings in reversed(_OPTIONS):
        command = click.option(*names, **settings)(command)
    return command


def is_remote(given: dict[str, Any]) -> bool:
    """Tell whether a Job is wanted.

    Raises:
        UsageError: for options of a Job without one.
    """
    if given["machine"] == "hf":
        return True
    stray = [name for name in _NAMES if given[name]]
    if stray:
        option = {"requirements": "with", "files": "send"}.get(stray[0], stray[0])
        msg = f"--{option} is for Jobs: add --on hf, or leave it out"
        raise click.UsageError(msg)
    return False


def record_on_hf(order: Order, request: Request, out: Path) -> Comparison | None:
    """Run a recording as a Job; None when it was started and left alone.

    Raises:
        RecordingError: when there is nothing to show; the message has the Job's id if there is one.
        Exit: after an interrupt.
    """
    from kerneldiff.recordings.hub.client import Client  # noqa: PLC0415 - start-up of --help
    from kerneldiff.recordings.hub.launching import find_hardware, start  # noqa: PLC0415
    from kerneldiff.recordings.hub.parcel import pack  # noqa: PLC0415
    from kerneldiff.recordings.hub.waiting import Follower, describe_later  # noqa: PLC0415
    from kerneldiff.recordings.session import make_folder  # noqa: PLC0415

    files = pack(order)  # what is wrong here is said before anything is asked or paid
    if not request.detach:
        make_folder(out)
    client = Client(request.namespace)
    hardware = find_hardware(client.hardware(), request.flavor)
    place = _place(order, request, client, hardware.name)
    _ask(order, place, hardware, request)
    with _termination():
        job = start(client, place, order.target, files)
        follower = Follower(client, job, say)
        try:
            say(f"Job {job.id} started on {hardware.name}: {job.url}")
            if request.detach:
                say(describe_later(job, client.user))
                return None
            job = follower.follow()
        except KeyboardInterrupt as stop:
            _interrupted(follower, client, out, may_ask=not isinstance(stop, _Terminated))
    return conclude(client, job, out, list(follower.tail))


def _place(order: Order, request: Request, client: Client, flavor: str) -> Place:
    from kerneldiff.recordings.hub.launching import new_folder  # noqa: PLC0415 - start-up of --help
    from kerneldiff.recordings.hub.model import DEFAULT_IMAGE, Place, parse_duration  # noqa: PLC0415

    if not request.repo:
        msg = (
            "say where the recordings go: --repo OWNER/NAME, a private dataset of yours; "
            f"it is made if it does not exist (for example --repo {client.user}/kerneldiff-traces)"
        )
        raise RecordingError(msg)
    return Place(
        namespace=client.namespace,
        repo=request.repo if "/" in request.repo else f"{client.user}/{request.repo}",
        folder=new_folder(order.target),
        flavor=flavor,
        image=request.image or DEFAULT_IMAGE,
        seconds=parse_duration(request.timeout or _DEFAULT_TIMEOUT),
    )


def _ask(order: Order, place: Place, hardware: Hardware, request: Request) -> None:
    """Say what it is going to cost, and ask.

    Raises:
        RecordingError: when the answer is no, or nobody can answer.
    """
    each = hardware.usd_per_second
    most = "" if each is None else f", at most {money(each * place.seconds)} for {place.seconds / 60:g} min"
    say(f"{order.target} on {hardware.name} ({hardware.description}): {hardware.price}{most}")
    say(f"{place.namespace} pays; recordings come back through the private dataset {place.repo}")
    if request.yes:
        return
    try:
        agreed = click.confirm("Start this Job?", err=True)
    except click.Abort as error:
        msg = "nothing was started: nobody answered; say --yes where nobody can be asked"
        raise RecordingError(msg) from error
    if not agreed:
        msg = "nothing was started"
        raise RecordingError(msg)


def money(usd: float) -> str:
    """Write an amount of US dollars so that a small one is not taken for none.

    >>> money(1.526), money(0.001)
    ('1.53 USD', 'less than 0.01 USD')
    """
    return f"{usd:.2f} USD" if usd >= 0.005 or usd == 0 else "less than 0.01 USD"


class _Terminated(KeyboardInterrupt):
    """The process was told to end while a Job runs, by something that will not answer questions."""


@contextmanager
def _termination() -> Iterator[None]:
    """Let a request to end be noticed, so that no Job is left behind without a word."""

    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupted(follower: Follower, client: Client, out: Path, *, may_ask: bool) -> NoReturn:
    """Ask whether to cancel; without an answer the Job is cancelled, since it costs money."""
    from kerneldiff.recordings.hub.waiting import command, describe_later  # noqa: PLC0415 - start-up of --help

    job = follower.job
    if may_ask and not _wants_to_cancel(job):
        say(describe_later(job, client.user))
        raise click.exceptions.Exit(_INTERRUPTED)
    try:
        client.cancel(job.id)
        say(f"Job {job.id} is cancelled")
        follower.follow()
        found = bring(client, job, out)
    except RecordingError as error:
        say(f"{error}. {describe_later(job, client.user)}" if not follower.job.has_ended else str(error))
    else:
        said = f"what it had sent back is in {out}" if found else "it had sent nothing back so far"
        say(f"Job {job.id} has ended ({follower.job.stage}); {said}; {command(job, 'fetch', client.user)} looks again")
    raise click.exceptions.Exit(_INTERRUPTED)


def _wants_to_cancel(job: Job) -> bool:
    try:
        return click.confirm(f"\nCancel Job {job.id}? It costs money until it ends.", default=True, err=True)
    except click.Abort:
        return True


def conclude(client: Client, job: Job, out: Path, tail: list[str]) -> Comparison:
    """Bring back what a Job recorded, and say how it ended.

    Raises:
        RecordingError: when there is no recording; the message says why, and the end of its log is on stderr.
    """
    from kerneldiff.recordings.model import Failure  # noqa: PLC0415 - start-up of --help

    found = bring(client, job, out)
    trouble = _describe_trouble(job, out, tail)
    if found is None:
        nothing = f"Job {job.id} left no recording in {job.repo}, folder {job.folder}"
        msg = f"{trouble}; no recording came back" if trouble else f"{nothing}; its log: {job.url}"
        raise RecordingError(msg)
    if trouble is None:
        return found
    failure = Failure(variant="", message=f"{trouble}; what it recorded before is compared")
    say(failure.message)
    return replace(found, failures=(*found.failures, failure))


def bring(client: Client, job: Job, out: Path) -> Comparison | None:
    """Fetch what a Job sent back into ``out``, and compare it; None when it sent no recording.

    Raises:
        RecordingError: when it cannot be fetched; the message says how to do it later.
    """
    from kerneldiff.recordings.hub.results import OUTCOME, RECORDINGS, REPORT, read_comparison  # noqa: PLC0415
    from kerneldiff.recordings.hub.waiting import command  # noqa: PLC0415

    if job.repo is None or job.folder is None:
        msg = f"Job {job.id} was not started by kerneldiff: it does not say where its recordings are"
        raise RecordingError(msg)
    with tempfile.TemporaryDirectory(prefix=".fetched-", dir=out) as aside:
        patterns = [f"{RECORDINGS}/*", REPORT, OUTCOME]
        try:
            folder = client.download(job.repo, job.folder, patterns, Path(aside))
        except RecordingError as error:
            msg = f"Job {job.id}: {error}; {command(job, 'fetch', client.user)} tries again"
            raise RecordingError(msg) from error
        top = folder / RECORDINGS
        for path in [*(top.iterdir() if top.is_dir() else ()), folder / REPORT, folder / OUTCOME]:
            if path.exists():
                path.rename(out / path.name)
    return read_comparison(out, out)


def _describe_trouble(job: Job, out: Path, tail: list[str]) -> str | None:
    """Say what went wrong with a Job that has ended; None when nothing did."""
    from kerneldiff.recordings.hub.results import read_outcome  # noqa: PLC0415 - start-up of --help

    outcome = read_outcome(out)
    said = f" ({job.message})" if job.message else ""
    if outcome is not None and outcome.ended == "time":
        return f"Job {job.id} used up its time and was stopped; give it more with --timeout"
    if job.stage == "COMPLETED":
        return None
    if job.message and "time" in job.message.lower() and "out" in job.message.lower():
        return f"Job {job.id} was ended by the Hub at its time limit{said}; give it more with --timeout"
    if job.stage in ("CANCELED", "DELETED"):
        return f"Job {job.id} was {'cancelled' if job.stage == 'CANCELED' else 'deleted'}{said}"
    last = next((line for line in reversed(tail) if line.strip()), None)
    ending = f"; its last words: {last.strip()}" if last else ""
    return f"Job {job.id} failed{said}{ending}; its log: {job.url}"


def say(text: str) -> None:
    """Print a remark, or a line of a Job's log, on stderr."""
    from kerneldiff.cli.main import one_line  # noqa: PLC0415 - it imports the commands

    click.echo(one_line(text), err=True)
