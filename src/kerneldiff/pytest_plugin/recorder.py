"""Recording of a step inside a test."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kerneldiff.profiles.model import Profile
from kerneldiff.pytest_plugin.settings import Settings


def record(step: Callable[[], Any], settings: Settings, folder: Path, name: str) -> Profile:
    """Record a step under the profiler's schedule; skip the test where that cannot be done.

    The step runs unwatched first until nothing is compiled any more.

    Raises:
        RecordingError: when the step fails, or launches nothing.
    """
    torch = pytest.importorskip("torch", reason="kerneldiff: torch is not installed, so no step can be recorded")
    on_gpu = settings.device == "cuda"
    if on_gpu and not torch.cuda.is_available():
        pytest.skip("kerneldiff: no GPU here; --kerneldiff-device=cpu looks at the CPU's operators instead")
    from kerneldiff import recordings  # noqa: PLC0415 - only when something is recorded

    schedule = recordings.Schedule(wait=settings.wait, warmup=settings.warmup, active=settings.active)
    options = recordings.Options(schedule=schedule, recordings=1, device="cuda" if on_gpu else "cpu")
    with one_at_a_time(wanted=on_gpu):
        return recordings.record(step, name=name, out=folder / name, options=options).profile


@contextmanager
def one_at_a_time(*, wanted: bool) -> Iterator[None]:
    """Let one process record at a time: the workers of pytest-xdist share the GPU and its profiler."""
    if not wanted:
        yield
        return
    try:
        import fcntl  # noqa: PLC0415 - not there on Windows
    except ImportError:
        yield
        return
    with (Path(tempfile.gettempdir()) / "kerneldiff-recording.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
