"""``kerneldiff show``: what one run did, and why it took the time it took."""

from __future__ import annotations

import sys

import click


@click.command(name="show", epilog="Exit status: 0; 2 when it could not be done.")
@click.argument("run", metavar="RUN")
@click.option("--json", "json_to", metavar="FILE", help="Write all of it as JSON to FILE, or - for stdout.")
@click.option("--html", "html_to", metavar="FILE", help="Write a web page: one file that needs no network.")
@click.option("--all", "everything", is_flag=True, help="Fold nothing: print every row.")
@click.option(
    "--peak",
    "peaks",
    multiple=True,
    metavar="NAME=VALUE",
    help="A peak of the device: memory=3.35e12 (bytes/s), l2=50e6 (bytes), bf16=989e12 (FLOP/s) ...; can be repeated.",
)
def command(run: str, json_to: str | None, html_to: str | None, *, everything: bool, peaks: tuple[str, ...]) -> None:
    """Explain one run: kernels, dispatch chains, views, epilogues, traffic, and what sets the pace.

    RUN is a file of the PyTorch profiler (.json or .json.gz), - for standard input, or a folder with
    several recordings of one program.
    """
    from kerneldiff.cli.output import write  # noqa: PLC0415 - start-up of --help
    from kerneldiff.pipeline import load  # noqa: PLC0415
    from kerneldiff.profiles.limits import judge_limits  # noqa: PLC0415
    from kerneldiff.profiles.peaks import peaks_of, with_given  # noqa: PLC0415

    profile = load(run)
    known = with_given(peaks_of(profile.device), peaks)
    limits = judge_limits(profile, known)
    if json_to:
        from kerneldiff.reports import show_json  # noqa: PLC0415

        write(json_to, show_json.render(profile, limits))
    if html_to:
        from kerneldiff.reports import html  # noqa: PLC0415

        write(html_to, html.render_run(profile, limits))
    if "-" not in (json_to, html_to):
        from kerneldiff.reports.text.run import show_run  # noqa: PLC0415

        show_run(profile, limits, sys.stdout, everything=everything)
