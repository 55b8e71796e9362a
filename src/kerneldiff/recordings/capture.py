"""One recording: the profiler around a schedule of steps, its trace and its table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kerneldiff.recordings.devices import import_torch, synchronize
from kerneldiff.recordings.model import Options, Step

_TABLE_ROWS = 60


def capture(step: Step, options: Options, device: str, aside: Path) -> list[tuple[Path, str]]:
    """Record one program; a trace as plain JSON in the folder ``aside`` and the profiler's table, a cycle each."""
    torch = import_torch()
    profiler = torch.profiler
    schedule = options.schedule
    activities = [profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(profiler.ProfilerActivity.CUDA)
    found: list[tuple[Path, str]] = []

    def keep(watch: Any) -> None:  # noqa: ANN401 - torch.profiler.profile
        path = aside / f"{len(found)}.json"
        watch.export_chrome_trace(str(path))
        found.append((path, _table(watch, device)))

    with (
        quiet_profiler(),
        profiler.profile(
            activities=activities,
            schedule=profiler.schedule(
                wait=schedule.wait, warmup=schedule.warmup, active=schedule.active, repeat=schedule.repeat
            ),
            on_trace_ready=keep,
            record_shapes=options.shapes,
            with_stack=options.stacks,
            profile_memory=options.memory,
        ) as watch,
    ):
        for _ in range(schedule.steps * schedule.repeat):
            step()
            watch.step()
    synchronize(device)
    return found


@contextmanager
def quiet_profiler() -> Iterator[None]:
    """Silence the profiler's own remarks about its schedule, which is chosen here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module="torch.profiler.*")
        warnings.filterwarnings("ignore", category=UserWarning, module="torch.autograd.profiler.*")
        yield


def _table(watch: Any, device: str) -> str:  # noqa: ANN401 - torch.profiler.profile
    order = "self_cuda_time_total" if device == "cuda" else "self_cpu_time_total"
    return str(watch.key_averages().table(sort_by=order, row_limit=_TABLE_ROWS, max_name_column_width=90))


def prime(step: Step, device: str) -> None:
    """Start and stop the profiler once, so that its own set-up lies before the first recording."""
    torch = import_torch()
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with quiet_profiler(), torch.profiler.profile(activities=activities):
        step()
        synchronize(device)
