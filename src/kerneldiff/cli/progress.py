"""Progress of long reading, on stderr, only where that is a terminal and only after half a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

QUIET_SECONDS: Final = 0.5


@contextmanager
def reading() -> Iterator[Callable[[int, int | None], None] | None]:
    """Give a callback for the reader, or None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    began = time.monotonic()
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=False, refresh_per_second=5) as bar:
        task = bar.add_task("reading", total=None, visible=False)

        def report(done: int, total: int | None) -> None:
            visible = time.monotonic() - began > QUIET_SECONDS
            bar.update(task, completed=done, total=total, visible=visible)

        yield report
