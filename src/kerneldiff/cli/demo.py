"""``kerneldiff demo``: the main job on real traces that come with the package."""

from __future__ import annotations

import shutil
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import click

from kerneldiff.errors import KerneldiffError

# Name of each pair, and the question that it answers. Recorded on an H200 with torch 2.11.
DEMOS: Final[dict[str, str]] = {
    "linear": "One nn.Linear, eager and compiled: does torch.compile make the GPU faster?",
    "mlp": "A GeGLU MLP, eager and compiled: what does the compiler fuse?",
    "bert": "BERT in fp16, eager and compiled: the steps got shorter. Did the GPU?",
}


@click.command(name="demo")
@click.argument("names", nargs=-1, type=click.Choice(list(DEMOS)), metavar="[linear|mlp|bert]...")
@click.option("--all", "everything", is_flag=True, help="Print every row of every comparison.")
@click.option(
    "--copy-to",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Copy the traces to a folder, to try other commands on them.",
)
def command(names: tuple[str, ...], *, everything: bool, copy_to: Path | None) -> None:
    """Compare bundled real traces of an NVIDIA H200: no GPU and no torch is needed."""
    from kerneldiff.pipeline import compare  # noqa: PLC0415 - start-up of --help
    from kerneldiff.reports import text  # noqa: PLC0415

    with as_file(files("kerneldiff").joinpath("demo", "traces")) as folder:
        if copy_to is not None:
            _copy(folder, copy_to)
        for name in names or DEMOS:
            diff = compare(folder / f"{name}-eager.json.gz", folder / f"{name}-compile.json.gz")
            text.show_titled(DEMOS[name], diff, sys.stdout, everything=everything)
    click.echo("These traces come with the package; kerneldiff demo --copy-to DIR lays them out for")
    click.echo("  kerneldiff compare DIR/mlp-eager.json.gz DIR/mlp-compile.json.gz")


def _copy(folder: Path, target: Path) -> None:
    try:
        target.mkdir(parents=True, exist_ok=True)
        for trace in sorted(folder.glob("*.json.gz")):
            shutil.copyfile(trace, target / trace.name)
    except OSError as error:
        msg = f"{target}: the traces cannot be copied there ({error.strerror or error}); choose another folder"
        raise KerneldiffError(msg) from error
