"""``kerneldiff jobs``: the recordings that run, or ran, as Hugging Face Jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kerneldiff.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kerneldiff.recordings.hub.client import Client
    from kerneldiff.recordings.hub.model import Job

_NAMESPACE = click.option("--namespace", metavar="NAME", help="Whose Jobs: yours (default), or an organization's.")
_LOG_LINES = 20


@click.group(name="jobs", invoke_without_command=True, epilog="Exit status: 0; 2 when it could not be done.")
@click.pass_context
def command(context: click.Context) -> None:
    """List, show, fetch and cancel the Jobs that record --on hf started; without a word more, list them."""
    if context.invoked_subcommand is None:
        context.invoke(list_jobs, namespace=None)


@command.command(name="list")
@_NAMESPACE
def list_jobs(namespace: str | None) -> None:
    """List them, newest first, with what they have cost so far."""
    client = _client(namespace)
    found = client.jobs()
    if not found:
        click.echo(f"no Jobs of kerneldiff for {client.namespace}", err=True)
        return
    prices = {one.name: one.usd_per_second for one in client.hardware()}
    rows = [("JOB", "STAGE", "FLAVOR", "STARTED", "RAN", "COST", "TARGET"), *(_row(job, prices) for job in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@command.command()
@click.argument("job_id", metavar="JOB")
@_NAMESPACE
def show(job_id: str, namespace: str | None) -> None:
    """Show how one is, and the end of its log."""
    client = _client(namespace)
    job = client.inspect(job_id)
    prices = {one.name: one.usd_per_second for one in client.hardware()}
    facts = {
        "job": job.id,
        "stage": f"{job.stage} ({job.message})" if job.message else job.stage,
        "target": job.target,
        "flavor": job.flavor,
        "ran": _length(job.seconds),
        "cost": _cost(job, prices),
        "page": job.url,
        "recordings": f"hf://datasets/{job.repo}/{job.folder}" if job.is_ours else None,
    }
    for name, value in facts.items():
        if value is not None:
            _echo(f"{name + ':':<12}{value}")
    for line in client.logs(job.id, follow=False, tail=_LOG_LINES):
        _echo(f"  {line}")


@command.command()
@click.argument("job_id", metavar="JOB")
@_NAMESPACE
@click.option("-o", "--out", metavar="DIR", help="Folder for the recordings. Default: named like that in the dataset.")
@click.option("--json", metavar="FILE", help="Write the comparison as JSON to FILE, or - for stdout.")
@click.option("--html", metavar="FILE", help="Write the comparison as a web page.")
@click.option("--markdown", metavar="FILE", help="Write the comparison as Markdown.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdicts alone.")
def fetch(job_id: str, namespace: str | None, out: str | None, **rest: object) -> None:
    """Bring back what one recorded, and compare it as record does."""
    from kerneldiff.cli.record import finish  # noqa: PLC0415 - start-up of --help
    from kerneldiff.cli.record_on_hf import conclude  # noqa: PLC0415
    from kerneldiff.recordings.session import folder_name, make_folder  # noqa: PLC0415

    client = _client(namespace)
    job = client.inspect(job_id)
    if not job.is_ours:
        msg = f"Job {job.id} was not started by kerneldiff: it does not say where its recordings are"
        raise RecordingError(msg)
    if not job.has_ended:
        msg = f"Job {job.id} is still {job.stage.lower()}, and sends its recordings when it ends; look again later"
        raise RecordingError(msg)
    folder = Path(out or folder_name(str(job.folder)))
    make_folder(folder)
    tail = list(client.logs(job.id, follow=False, tail=_LOG_LINES)) if job.stage == "ERROR" else []
    for line in tail:
        _note(f"  {line}")
    finish(conclude(client, job, folder, tail), folder, rest)


@command.command()
@click.argument("job_id", metavar="JOB")
@_NAMESPACE
def cancel(job_id: str, namespace: str | None) -> None:
    """End one."""
    from kerneldiff.recordings.hub import waiting  # noqa: PLC0415 - start-up of --help

    client = _client(namespace)
    job = client.inspect(job_id)
    if job.has_ended:
        _echo(f"Job {job.id} had ended already ({job.stage})")
        return
    if not job.is_ours:
        msg = f"Job {job.id} was not started by kerneldiff; cancel it on its page: {job.url}"
        raise RecordingError(msg)
    client.cancel(job.id)
    again = waiting.command(job, "fetch", client.user)
    _echo(f"Job {job.id} is cancelled; {again} brings what it had sent back, if anything")


def _client(namespace: str | None) -> Client:
    from kerneldiff.recordings.hub.client import Client  # noqa: PLC0415 - start-up of --help

    return Client(namespace)


def _row(job: Job, prices: Mapping[str, float | None]) -> tuple[str, ...]:
    cells: tuple[Any, ...] = (
        job.id,
        job.stage,
        job.flavor or "-",
        _age(job.created),
        _length(job.seconds) or "-",
        _cost(job, prices) or "-",
        job.target or "-",
    )
    from kerneldiff.cli.main import one_line  # noqa: PLC0415 - it imports the commands

    return tuple(one_line(str(cell)) for cell in cells)


def _age(created: datetime | None) -> str:
    if created is None:
        return "-"
    minutes = max(0, int((datetime.now(UTC) - created).total_seconds() // 60))
    if minutes < 120:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 2880 else f"{minutes // 1440} days ago"


def _length(seconds: int | None) -> str | None:
    return None if seconds is None else f"{seconds // 60}:{seconds % 60:02d} min"


def _cost(job: Job, prices: Mapping[str, float | None]) -> str | None:
    """Say what a Job has cost, by the present price of its hardware."""
    from kerneldiff.cli.record_on_hf import money  # noqa: PLC0415 - start-up of --help

    each = prices.get(job.flavor or "")
    return None if each is None or job.seconds is None else money(each * job.seconds)


def _echo(text: str) -> None:
    from kerneldiff.cli.main import one_line  # noqa: PLC0415 - it imports the commands

    click.echo(one_line(text))


def _note(text: str) -> None:
    from kerneldiff.cli.main import one_line  # noqa: PLC0415 - it imports the commands

    click.echo(one_line(text), err=True)
