"""``kerneldiff compare``: two or more runs, a verdict with its evidence."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kerneldiff.diffs import Diff

_EXIT_OF_WORK = {"same": 0, "changed": 1, "unproven": 3, "unknown": 3}


@click.command(
    name="compare",
    epilog="Exit status: 0; with --exit-code 0 same, 1 changed, 3 unproven or unknown; 2 when it could not be done.",
)
@click.argument("runs", nargs=-1, required=True, metavar="BASELINE CANDIDATE [CANDIDATE ...]")
@click.option("--json", metavar="FILE", help="Write the diff as JSON to FILE, or - for stdout.")
@click.option("--html", metavar="FILE", help="Write a web page: one file that needs no network.")
@click.option("--markdown", metavar="FILE", help="Write Markdown for a pull request, an issue or a job summary.")
@click.option(
    "--perfetto", metavar="FILE", help="Write both runs as one trace (.json or .json.gz) for kerneldiff open."
)
@click.option("--exit-code", is_flag=True, help="Say the verdict on GPU work in the exit status.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict alone.")
@click.option("--all", "everything", is_flag=True, help="Fold nothing: print every row.")
def command(runs: tuple[str, ...], *, exit_code: bool, quiet: bool, everything: bool, **reports: str | None) -> None:
    """Compare each further run with the first.

    A run is a file of the PyTorch profiler (.json or .json.gz), - for standard input, or a folder with
    several recordings of one program.
    """
    from kerneldiff.cli.progress import reading  # noqa: PLC0415 - start-up of --help
    from kerneldiff.pipeline import compare_many  # noqa: PLC0415

    if len(runs) < 2:
        msg = "nothing to compare: give a baseline and at least one candidate"
        raise click.UsageError(msg)
    targets = {kind: target for kind, target in reports.items() if target}
    to_stdout = [f"--{kind}" for kind, target in targets.items() if target == "-"]
    if len(to_stdout) > 1:
        msg = f"{' and '.join(to_stdout)} cannot both go to stdout; give one of them a file"
        raise click.UsageError(msg)
    with reading() as progress:
        diffs = compare_many(list(runs), progress=progress)
    write_reports(diffs, targets)
    if not to_stdout:
        from kerneldiff.reports import text as text_report  # noqa: PLC0415

        text_report.show(diffs, sys.stdout, quiet=quiet, everything=everything)
    if exit_code:
        raise click.exceptions.Exit(max(_EXIT_OF_WORK[diff.verdict.gpu_work] for diff in diffs))


def write_reports(diffs: Sequence[Diff], targets: Mapping[str, str]) -> None:
    """Write comparisons in the formats asked for, by name of the format."""
    from importlib import import_module  # noqa: PLC0415 - start-up of --help

    from kerneldiff.cli.output import write, write_bytes  # noqa: PLC0415

    for kind, target in targets.items():
        rendered = import_module(f"kerneldiff.reports.{kind}").render(diffs)
        if isinstance(rendered, str):
            write(target, rendered)
        elif target == "-":
            sys.stdout.buffer.write(rendered)
        else:
            write_bytes(target, rendered if target.endswith(".gz") else _unpacked(rendered))


def _unpacked(content: bytes) -> bytes:
    """Unpack what a renderer compressed, for a file whose name does not say that it is."""
    import gzip  # noqa: PLC0415 - start-up of --help

    return gzip.decompress(content)
