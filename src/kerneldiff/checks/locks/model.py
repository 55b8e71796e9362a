"""What a lock file holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.facets import operand_type
from kerneldiff.diffs.times import typical_ns
from kerneldiff.names import decode
from kerneldiff.names.model import KernelName
from kerneldiff.profiles.events import in_context
from kerneldiff.profiles.model import GpuEvent, Profile

FORMAT: Final = 1

# alike: every complete step ran the locked events; deviating: some ran others; incomplete: no step was complete.
Steps = Literal["alike", "deviating", "incomplete"]
STEPS: Final[tuple[Steps, ...]] = ("alike", "deviating", "incomplete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The GPU work of one step, without times and without anything that differs from recording to recording.

    Attributes:
        device: name of the device, None when the trace did not say.
        environment: versions from the trace's header.
        steps: whether the locked step stands for all steps of its recording.
        cut_off: the recording ended before its end.
        missing: facts that the recording lacked.
        events: in launch order, with what tells one from another. ``gpu_ns`` is 0, except where nothing but
            the time can betray another amount of work (see ``needs_time``): there it is rounded to two digits.
    """

    device: str | None
    environment: tuple[tuple[str, str], ...]
    steps: Steps
    cut_off: bool
    missing: tuple[str, ...]
    events: tuple[GpuEvent, ...]

    @property
    def captured(self) -> bool:
        """Some events are launched by graph replay."""
        return any(event.replayed for event in self.events)


def lock_of(run: Profile) -> Lock:
    """Lock the representative step of a run."""
    calls: dict[int, int] = {-1: -1}
    for index, event in enumerate(run.events):
        calls.setdefault(event.call, index)
    return Lock(
        device=run.device,
        environment=run.environment,
        steps=_steps(run),
        cut_off=run.cut_off,
        missing=run.missing,
        # Operator calls are numbered by their first event: the trace's own numbers depend on the whole recording.
        events=tuple(_locked(run, index, calls[event.call]) for index, event in enumerate(run.events)),
    )


def _steps(run: Profile) -> Steps:
    if not run.complete_steps:
        return "incomplete"
    return "alike" if len(run.sequences.full) == 1 else "deviating"


def _locked(run: Profile, index: int, call: int) -> GpuEvent:
    event = run.events[index]
    typed = event.decoded.dtype_in is None and heavy_class(event.decoded) is not None
    operand = operand_type(event) if typed else None
    kept = next((name for name in event.input_types or () if operand and _means(name, event)), None)
    return GpuEvent(
        name=event.normalised,
        normalised=event.normalised,
        decoded=decoded_as(event.normalised, event.chain, cut=event.decoded.cut),
        kind=event.kind,
        grid=event.grid,
        block=event.block,
        registers=event.registers,
        shared_memory=event.shared_memory,
        code_hash=event.code_hash,
        configuration=event.configuration,
        content_digest=event.content_digest,
        chain=event.chain,
        call=call,
        replayed=event.replayed,
        input_shapes=event.input_shapes,
        input_types=None if kept is None else (kept,),
        problem_size=event.problem_size,
        size_bytes=event.size_bytes,
        collective=event.collective,
        gpu_ns=two_digits(typical_ns(run, index)) if needs_time(event) else 0,
    )


def decoded_as(normalised: str, chain: tuple[str, ...], *, cut: bool) -> KernelName:
    """Decode a normalised name that some operators launched.

    Whether it was cut is told by the name as it stood in the trace, not by this one.
    """
    decoded = in_context(decode(normalised), chain)
    return decoded if decoded.cut == cut else replace(decoded, cut=cut)


def _means(type_name: str, event: GpuEvent) -> bool:
    """Say whether one type alone gives the event's operand type."""
    return operand_type(replace(event, input_types=(type_name,))) == operand_type(event)


def needs_time(event: GpuEvent) -> bool:
    """Say whether only the time can betray another amount of work: a heavy kernel of unknown problem size.

    The grid of products, convolutions and attention need not follow their size.
    """
    return event.kind == "kernel" and heavy_class(event.decoded) is not None and event.problem_size is None


def two_digits(ns: float) -> int:
    """Round a time in ns to two significant digits, so that noise does not change a lock file.

    >>> two_digits(56_384.0), two_digits(7.0), two_digits(0.0)
    (56000, 7, 0)
    """
    whole = round(ns)
    scale: int = 10 ** max(0, len(str(abs(whole))) - 2)
    return round(whole / scale) * scale
