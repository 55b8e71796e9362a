"""``kerneldiff record``: a program in several variants, recorded in alternation and compared."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from kerneldiff.cli.record_on_hf import Request, hub_options, is_remote, record_on_hf

if TYPE_CHECKING:
    from pathlib import Path

    from kerneldiff.recordings.model import Comparison, Options

_AT_LEAST_ONE = click.IntRange(min=1)


@click.command(
    name="record",
    epilog="Exit status: 0; 2 when a variant could not be recorded, or when two variants do not compute the same. "
    "What was recorded is kept and compared all the same.",
)
@click.argument("target", metavar="TARGET")
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="NAME",
    help=(
        "eager, compile, compile:mode=max-autotune,dynamic=true,backend=..., or one that the factory offers. "
        "May be given several times; each is compared with the first. Default: eager, compile, and all offered."
    ),
)
@click.option("--set", "arguments", multiple=True, metavar="NAME=VALUE", help="An argument for the factory.")
@click.option("-o", "--out", metavar="DIR", help="Folder for the recordings. Default: kerneldiff-TARGET.")
@click.option(
    "--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", help="Default: a GPU if there is one."
)
@click.option(
    "--recordings", type=_AT_LEAST_ONE, default=5, show_default=True, help="Recordings and timings a variant."
)
@click.option(
    "--builds", type=_AT_LEAST_ONE, default=1, show_default=True, help="Compile this often with empty caches."
)
@click.option("--wait", type=click.IntRange(min=0), default=1, show_default=True, help="Profiler: steps unwatched.")
@click.option("--warmup", type=click.IntRange(min=0), default=1, show_default=True, help="Profiler: steps thrown away.")
@click.option("--active", type=_AT_LEAST_ONE, default=3, show_default=True, help="Profiler: steps kept.")
@click.option("--repeat", type=_AT_LEAST_ONE, default=1, show_default=True, help="Profiler: cycles, a file each.")
@click.option("--shapes/--no-shapes", default=True, show_default=True, help="They prove code identity and traffic.")
@click.option("--stacks", is_flag=True, help="Note the Python stack of each operator.")
@click.option("--memory", is_flag=True, help="Note allocations.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of torch's random generators.")
@click.option("--json", metavar="FILE", help="Write the comparison as JSON to FILE, or - for stdout.")
@click.option("--html", metavar="FILE", help="Write the comparison as a web page.")
@click.option("--markdown", metavar="FILE", help="Write the comparison as Markdown.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdicts alone.")
@hub_options
def command(
    target: str, variants: tuple[str, ...], arguments: tuple[str, ...], out: str | None, **rest: object
) -> None:
    """Record variants of a program in alternation, and compare each with the first.

    TARGET is module:name or file.py:name of a factory that returns a step without arguments, or a module
    and its inputs; or a built-in workload: linear, mlp, kernels-mlp, attention, block, train.
    """
    from pathlib import Path  # noqa: PLC0415 - start-up of --help

    from kerneldiff.recordings.session import folder_name  # noqa: PLC0415

    folder = Path(out or f"kerneldiff-{folder_name(target.rpartition('/')[2])}")
    record = _record_on_hf if is_remote(rest) else _record_here
    found = record(target, variants, _pairs(arguments), folder, rest)
    if found is not None:
        finish(found, folder, rest)


def _record_here(
    target: str, variants: tuple[str, ...], arguments: dict[str, str], folder: Path, rest: dict[str, object]
) -> Comparison:
    from contextlib import redirect_stdout  # noqa: PLC0415 - start-up of --help

    from kerneldiff.recordings.api import record_variants  # noqa: PLC0415
    from kerneldiff.recordings.targets import find_factory, make_variants  # noqa: PLC0415

    # What the program itself prints is not the answer.
    with redirect_stdout(sys.stderr):
        listed = make_variants(find_factory(target), variants, arguments)
        return record_variants(listed, folder, _options(rest), _say)


def _record_on_hf(
    target: str, variants: tuple[str, ...], arguments: dict[str, str], folder: Path, rest: dict[str, object]
) -> Comparison | None:
    from kerneldiff.recordings.hub.model import Order  # noqa: PLC0415 - start-up of --help

    order = Order(
        target=target,
        variants=variants,
        arguments=arguments,
        options=_options(rest),
        requirements=rest["requirements"],  # type: ignore[arg-type]
        files=rest["files"],  # type: ignore[arg-type]
    )
    names = ("flavor", "repo", "timeout", "namespace", "image", "yes", "detach")
    return record_on_hf(order, Request(**{name: rest[name] for name in names}), folder)  # type: ignore[arg-type]


def finish(found: Comparison, folder: Path, rest: dict[str, object]) -> None:
    """Show recordings that were compared, wherever they were made, and write the reports asked for.

    Raises:
        Exit: with status 2 when a variant failed, or computes something else.
    """
    _show(found, folder, rest)
    if found.failures or any(check.equal is False for check in found.outputs):
        raise click.exceptions.Exit(2)


def _pairs(arguments: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in arguments:
        name, equals, value = text.partition("=")
        if not equals or not name:
            msg = f"--set {text}: give NAME=VALUE"
            raise click.UsageError(msg)
        pairs[name] = value
    return pairs


def _options(rest: dict[str, object]) -> Options:
    from kerneldiff.recordings.model import Options, Schedule  # noqa: PLC0415

    schedule = {key: rest[key] for key in ("wait", "warmup", "active", "repeat")}
    others = {key: rest[key] for key in ("recordings", "builds", "seed", "device", "shapes", "stacks", "memory")}
    return Options(schedule=Schedule(**schedule), **others)  # type: ignore[arg-type]


def _say(text: str) -> None:
    from kerneldiff.cli.main import one_line  # noqa: PLC0415

    click.echo(one_line(text), err=True)


def _show(found: Comparison, folder: object, rest: dict[str, object]) -> None:
    from kerneldiff.cli.compare import write_reports  # noqa: PLC0415
    from kerneldiff.reports.text import recorded  # noqa: PLC0415

    targets = {kind: str(rest[kind]) for kind in ("json", "html", "markdown") if rest[kind]}
    if found.diffs:
        write_reports(found.diffs, targets)
    if "-" not in targets.values():
        shown = recorded.Variants(
            diffs=found.diffs,
            labels=found.labels,
            spreads=found.spreads,
            warnings=[check.text for check in found.outputs if check.equal is False],
            remarks=_remarks(found, folder),
        )
        recorded.show(shown, sys.stdout, quiet=bool(rest["quiet"]))


def _remarks(found: Comparison, folder: object) -> list[str]:
    notes = [f"{one.variant}: {one.note}" for one in found.recordings if one.note and one.build == 1]
    agreed = [check.text for check in found.outputs if check.equal is not False]
    failed = [failure.message for failure in found.failures]
    return [*failed, *dict.fromkeys(agreed), *notes, f"recordings are in {folder}"]
