"""``kerneldiff compare``: two or more runs, a verdict with its evidence."""

from __future__ import annotations

import sys

import click

_EXIT_OF_WORK = {"same": 0, "changed": 1, "unproven": 3, "unknown": 3}


@click.command(
    name="compare",
    epilog="Exit status: 0; with --exit-code 0 same, 1 changed, 3 unproven or unknown; 2 when it could not be done.",
)
@click.argument("runs", nargs=-1, required=True, metavar="BASELINE CANDIDATE [CANDIDATE ...]")
@click.option("--json", "json_to", metavar="FILE", help="Write the diff as JSON to FILE, or - for stdout.")
@click.option("--exit-code", is_flag=True, help="Say the verdict on GPU work in the exit status.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict alone.")
@click.option("--all", "everything", is_flag=True, help="Fold nothing: print every row.")
def command(
    runs: tuple[str, ...], json_to: str | None, *, exit_code: bool, quiet: bool, everything: bool
) -> None:
    """Compare each further run with the first.

    A run is a file of the PyTorch profiler (.json or .json.gz), - for standard input, or a folder with
    several recordings of one program.
    """
    from kerneldiff.cli.output import write  # noqa: PLC0415 - start-up of --help
    from kerneldiff.pipeline import compare_many  # noqa: PLC0415

    if len(runs) < 2:
        msg = "nothing to compare: give a baseline and at least one candidate"
        raise click.UsageError(msg)
    diffs = compare_many(list(runs))
    if json_to:
        from kerneldiff.reports import json as json_report  # noqa: PLC0415

        write(json_to, json_report.render(diffs))
    if json_to != "-":
        from kerneldiff.reports import text as text_report  # noqa: PLC0415

        text_report.show(diffs, sys.stdout, quiet=quiet, everything=everything)
    if exit_code:
        raise click.exceptions.Exit(max(_EXIT_OF_WORK[diff.verdict.gpu_work] for diff in diffs))
