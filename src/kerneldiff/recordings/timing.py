"""Times of steps without the profiler, which slows the CPU side, and eager and compiled code differently."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass
from typing import Any, Final

from kerneldiff.recordings.devices import import_torch, synchronize
from kerneldiff.recordings.model import Step

# A value is the mean over so many steps that the final wait weighs little, and so few that the launch queue
# (about a thousand launches) never fills, since the CPU would wait for the GPU then.
_STEPS_PER_VALUE: Final = 10
_VALUE_NS: Final = 20_000_000
_VALUES: Final = 20
_FEWEST: Final = 5
_BUDGET_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Unprofiled:
    """One repetition of one variant.

    Attributes:
        steps_per_value: each value is the mean of so many steps, run back to back.
        cpu_ns: until the CPU had issued a step.
        wall_ns: until the device had finished it, by the wall clock.
        device_ns: the same between two events on the device; empty on a CPU.
    """

    steps_per_value: int
    cpu_ns: tuple[int, ...]
    wall_ns: tuple[int, ...]
    device_ns: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in the trace; ``step_ns`` is the device's clock where there is one."""
        return {
            "steps_per_value": self.steps_per_value,
            "cpu_ns": list(self.cpu_ns),
            "step_ns": list(self.device_ns or self.wall_ns),
            "wall_ns": list(self.wall_ns),
        }


def time_steps(step: Step, device: str) -> Unprofiled:
    """Time a step that is compiled and warm."""
    synchronize(device)
    whole = _one(step, 1, device)[1]  # also brings the caches of this variant back
    count = max(1, min(_STEPS_PER_VALUE, _VALUE_NS // max(1, whole)))
    values = max(_FEWEST, min(_VALUES, _BUDGET_NS // max(1, whole * count)))
    gc.collect()
    collects = gc.isenabled()
    gc.disable()
    try:
        taken = [_one(step, count, device) for _ in range(values)]
    finally:
        if collects:
            gc.enable()
    return Unprofiled(
        steps_per_value=count,
        cpu_ns=tuple(cpu // count for cpu, _, _ in taken),
        wall_ns=tuple(wall // count for _, wall, _ in taken),
        device_ns=tuple(on_device // count for _, _, on_device in taken if on_device is not None),
    )


def _one(step: Step, count: int, device: str) -> tuple[int, int, int | None]:
    """Time some steps back to back: CPU, wall, device, ns."""
    events = _events() if device == "cuda" else None
    begin = time.perf_counter_ns()
    if events:
        events[0].record()
    for _ in range(count):
        step()
    if events:
        events[1].record()
    issued = time.perf_counter_ns()
    synchronize(device)
    done = time.perf_counter_ns()
    on_device = round(events[0].elapsed_time(events[1]) * 1_000_000) if events else None
    return issued - begin, done - begin, on_device


def _events() -> tuple[Any, Any]:
    torch = import_torch()
    return torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
