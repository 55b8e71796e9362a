"""``kerneldiff lock``: the GPU work of a step as a reviewable text."""

from __future__ import annotations

import click


@click.command(
    name="lock",
    epilog="Exit status: 0 written, 2 when it could not be done. Hold a trace against it with kerneldiff check.",
)
@click.argument("trace", metavar="TRACE")
@click.option(
    "-o", "--output", "output", metavar="FILE", default="-", help="Where to write; - is stdout.  [default: -]"
)
def command(trace: str, output: str) -> None:
    """Write the GPU work of a step as a small text: one event a line, to be kept in version control."""
    from kerneldiff.checks.facts import work_recorded  # noqa: PLC0415
    from kerneldiff.cli.output import write  # noqa: PLC0415 - start-up of --help
    from kerneldiff.pipeline import load  # noqa: PLC0415
    from kerneldiff.reports import lock as lock_report  # noqa: PLC0415

    run = load(trace)
    if not work_recorded(run):
        from kerneldiff.errors import TraceError  # noqa: PLC0415

        msg = f"{trace}: no GPU events were recorded, so there is nothing to lock; record with ProfilerActivity.CUDA"
        raise TraceError(msg)
    text, remarks = lock_report.render(run)
    write(output, text)
    for remark in remarks:
        click.echo(f"kerneldiff: {trace}: {remark}", err=True)
