"""Recording of a step inside a test: one profiler window, read back as a run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kerneldiff.pipeline import load
from kerneldiff.profiles.model import Profile
from kerneldiff.pytest_plugin.settings import Settings


def record(step: Callable[[], Any], settings: Settings, folder: Path, name: str) -> Profile:
    """Record a step under the profiler's schedule; skip the test where that cannot be done.

    The steps before the window run without recording, so that compilation ends before it.
    """
    torch = pytest.importorskip("torch", reason="kerneldiff: torch is not installed, so no step can be recorded")
    gpu = settings.device == "cuda"
    if gpu and not torch.cuda.is_available():
        pytest.skip("kerneldiff: no GPU here; --kerneldiff-device=cpu looks at the CPU's operators instead")
    path = folder / f"{name}.pt.trace.json"
    with one_at_a_time(wanted=gpu):
        _record(torch, step, settings, path)
    return load(path)


def _record(torch: Any, step: Callable[[], Any], settings: Settings, path: Path) -> None:  # noqa: ANN401 - no types without torch
    activity = torch.profiler.ProfilerActivity
    gpu = settings.device == "cuda"
    step()
    if gpu:
        torch.cuda.synchronize()
    with torch.profiler.profile(
        activities=[activity.CPU, activity.CUDA] if gpu else [activity.CPU],
        schedule=torch.profiler.schedule(wait=settings.wait, warmup=settings.warmup, active=settings.active, repeat=1),
        record_shapes=True,
        acc_events=True,
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(path)),
    ) as profiler:
        for _ in range(settings.wait + settings.warmup + settings.active):
            step()
            if gpu:
                torch.cuda.synchronize()
            profiler.step()


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
