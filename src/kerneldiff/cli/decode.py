"""``kerneldiff decode``: what kernel names say."""

from __future__ import annotations

import sys

import click


@click.command(name="decode")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--json", "as_json_list", is_flag=True, help="Print a list of objects instead.")
def command(names: tuple[str, ...], *, as_json_list: bool) -> None:
    """Explain kernel names; - reads them from standard input, one a line."""
    wanted = list(names)
    if wanted == ["-"]:
        wanted = sys.stdin.read().split("\n")
        wanted = wanted[:-1] if wanted and not wanted[-1] else wanted
    if as_json_list:
        from kerneldiff.names import as_json, decode  # noqa: PLC0415 - start-up of --help
        from kerneldiff.reports.json import dumps  # noqa: PLC0415

        click.echo(dumps([as_json(decode(name)) for name in wanted]), nl=False)
        return
    from kerneldiff.reports.text.name import show_names  # noqa: PLC0415

    show_names(wanted, sys.stdout)
