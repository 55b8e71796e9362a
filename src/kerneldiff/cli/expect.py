"""``kerneldiff expect``: a first file of expectations."""

from __future__ import annotations

import click


@click.command(
    name="expect",
    epilog="Exit status: 0 written, 2 when it could not be done. Check a trace with kerneldiff check TRACE --expect FILE.",
)
@click.argument("trace", metavar="TRACE")
@click.option(
    "-o", "--output", "output", metavar="FILE", default="-", help="Where to write; - is stdout.  [default: -]"
)
def command(trace: str, output: str) -> None:
    """Write what a trace contains as expectations (TOML), to be pruned by hand.

    Better still: write down what you expect first, and look afterwards.
    """
    from kerneldiff.checks.expectations import first_file  # noqa: PLC0415 - start-up of --help
    from kerneldiff.cli.output import write  # noqa: PLC0415
    from kerneldiff.pipeline import load  # noqa: PLC0415

    write(output, first_file(load(trace)))
