"""``kerneldiff open``: shows a trace in the Perfetto UI, from this machine; nothing is uploaded."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from kerneldiff.errors import KerneldiffError

# The one local address that the Perfetto UI's own policy allows its page to read from.
ADDRESS = ("127.0.0.1", 9001)
ORIGIN = "https://ui.perfetto.dev"


@click.command(name="open", epilog="Exit status: 0 when the page has read the file; 2 when it could not be done.")
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--no-browser", is_flag=True, help="Only print the link.")
@click.option("--timeout", default=300, show_default=True, metavar="SECONDS", help="How long to wait for the page.")
def command(file: str, *, no_browser: bool, timeout: int) -> None:
    """Show a trace in the Perfetto UI, or a report of compare --html in the browser.

    The page of ui.perfetto.dev reads the file from 127.0.0.1:9001 and keeps it in the browser: nothing is uploaded.
    No other page can read it, no other file is served, and serving ends when the page has it.
    """
    with _local(file) as path:
        _open(path, file, no_browser=no_browser, timeout=timeout)


@contextmanager
def _local(file: str) -> Iterator[Path]:
    """Give a file of this machine; one on the Hugging Face Hub (``hf://...``) is fetched for as long as it is shown."""
    from kerneldiff.traces.remote import is_remote, read_remote  # noqa: PLC0415 - start-up of --help

    if not is_remote(file):
        yield Path(file)
        return
    if file.endswith((".html", ".htm")):
        msg = f"{file}: a report on the Hub cannot be opened there; download it, and open the file"
        raise KerneldiffError(msg)
    with tempfile.TemporaryDirectory(prefix="kerneldiff-") as folder:
        path = Path(folder, Path(file).name)
        path.write_bytes(read_remote(file))
        yield path


def _open(path: Path, file: str, *, no_browser: bool, timeout: int) -> None:
    if not path.is_file():
        msg = f"{file}: no such file; give a trace (.json, .json.gz), or a report that compare --html wrote"
        raise KerneldiffError(msg)
    if path.suffix in (".html", ".htm"):
        _browse(path.resolve().as_uri(), no_browser=no_browser)
        return
    from kerneldiff.cli.serving import Server  # noqa: PLC0415 - start-up of --help

    with Server(path, ADDRESS, ORIGIN) as server:
        click.echo("Nothing is uploaded: the Perfetto page reads the file from this machine, and only once.", err=True)
        _browse(f"{ORIGIN}/#!/?url={server.url}", no_browser=no_browser)
        if not server.serve_once(timeout):
            msg = f"{file}: no page fetched it within {timeout} s; open the printed link in a browser on this machine, or forward port {ADDRESS[1]}"
            raise KerneldiffError(msg)
    click.echo("The page has the file; nothing is served any more.", err=True)


def _browse(link: str, *, no_browser: bool) -> None:
    """Open the browser where there is one; the link is printed anyway."""
    import webbrowser  # noqa: PLC0415 - start-up of --help

    click.echo(link)
    if not no_browser and not webbrowser.open(link):
        click.echo("no browser could be opened here; open the link above", err=True)
