"""Expectations held against a run: what does not fit, beside what was expected, with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kerneldiff.checks import facts
from kerneldiff.checks.describing import event_text, events_text
from kerneldiff.checks.expectations.gemms import epilogue_text, is_kind
from kerneldiff.checks.expectations.model import OF_STEP, Count, Expectations, Gemm, Scope
from kerneldiff.checks.expectations.scopes import Part, part_of
from kerneldiff.checks.model import Finding, Outcome, Result
from kerneldiff.checks.rules.counting import CPU_UNKNOWN, frames, waits
from kerneldiff.diffs.classes import heavy_class
from kerneldiff.profiles.model import GpuEvent, Profile

CODE: Final = "expect"
_GPU_UNKNOWN = "no GPU events were recorded; record with ProfilerActivity.CUDA"
_TYPE_UNKNOWN = "the operand type of a GEMM is not known; record with record_shapes=True"


def judge(run: Profile, expectations: Expectations) -> Outcome:
    """Hold a run against expectations."""
    results = [result for scope in expectations.scopes for result in _scope(part_of(run, scope.region), scope)]
    notes = tuple(note.text for note in run.notes)
    return Outcome(subject=", ".join(run.paths), against=expectations.where, results=tuple(results), notes=notes)


def _scope(part: Part, scope: Scope) -> Iterator[Result]:
    if not part.seen:
        found = Finding(
            text="the region does not occur in the step", expected=(f"a region {scope.region}",), found=("none",)
        )
        yield _result("region", (scope.region, None), found)
        return
    for key, count in scope.counts:
        yield _result(key, (scope.region, None), _count(part, key, count))
    for gemm in scope.gemms:
        yield _result("gemm", (scope.region, str(gemm)), _gemm(part, gemm))
    for group in scope.fused:
        yield _result("fused", (scope.region, " + ".join(group)), _fused(part, group))
    for operator in scope.views:
        yield _result("views", (scope.region, operator), _view(part, operator))
    for operator in scope.no_launch:
        yield _result("no-launch", (scope.region, operator), _no_launch(part, operator))


_Answer = Finding | str | None  # a mismatch, a reason why it cannot be decided, or nothing


def _result(name: str, place: tuple[str | None, str | None], answer: _Answer) -> Result:
    region, what = place
    said = [what] if what is not None else []
    said += [f"region {region}"] if region is not None else []
    return Result(
        code=CODE,
        name=name,
        subject=", ".join(said) or None,
        findings=(answer,) if isinstance(answer, Finding) else (),
        open=(answer,) if isinstance(answer, str) else (),
    )


def _is_fp32(event: GpuEvent) -> bool | None:
    if heavy_class(event.decoded) != "gemm":
        return False
    found = facts.operand(event)
    return None if found is None else found == "f32"


_EVENTS: Final[dict[str, Callable[[GpuEvent], bool | None]]] = {
    "launches": lambda _: True,
    "kernels": lambda event: event.kind in ("kernel", "cpu_kernel"),
    "copies": lambda event: event.kind == "memcpy",
    "sets": lambda event: event.kind == "memset",
    "gemms": lambda event: heavy_class(event.decoded) == "gemm",
    "convolutions": lambda event: heavy_class(event.decoded) == "conv",
    "attention": lambda event: heavy_class(event.decoded) == "attention",
    "fp32-gemms": _is_fp32,
}


def _count(part: Part, key: str, count: Count) -> _Answer:
    if key in OF_STEP:
        return _count_of_step(part.run, key, count)
    if not facts.work_recorded(part.run):
        return _GPU_UNKNOWN
    answers = [_EVENTS[key](event) for event in part.events]
    counted = [event for event, answer in zip(part.events, answers, strict=True) if answer]
    least, most = len(counted), sum(answer is not False for answer in answers)
    if count.holds(least) and count.holds(most):
        return None
    if any(count.holds(number) for number in range(least, most + 1)):
        return _TYPE_UNKNOWN
    return Finding(
        text=f"{key}: {least}, not {count}",
        expected=(f"{key}: {count}",),
        found=(f"{key}: {least}",),
        evidence=events_text(counted),
    )


def _count_of_step(run: Profile, key: str, count: Count) -> _Answer:
    found = step_count(run, key)
    if found is None:
        return CPU_UNKNOWN
    number, evidence = found
    if count.holds(number):
        return None
    return Finding(
        text=f"{key}: {number}, not {count}",
        expected=(f"{key}: {count}",),
        found=(f"{key}: {number}",),
        evidence=evidence,
    )


def step_count(run: Profile, key: str) -> tuple[int, tuple[str, ...]] | None:
    """Count what is known of a whole step only, with evidence; None where the CPU side was not recorded."""
    waiting, regions = waits(run), frames(run)
    if waiting is None or regions is None or run.explained is None:
        return None
    if key == "synchronisations":
        return sum(waiting.values()), tuple(f"{name}: {number} a step" for name, number in waiting.items())
    if key == "compiled-regions":
        return len(regions), tuple(f"Torch-Compiled Region: {name}" for name in regions)
    compiled = run.explained.compiled
    found = compiled.recompilations if key == "recompilations" else compiled.allocations
    return len(found), tuple(f"step {one.step}: {one.name}" for one in found[:5])


def _gemm(part: Part, wanted: Gemm) -> _Answer:
    if not facts.work_recorded(part.run):
        return _GPU_UNKNOWN
    among = [index for index in part.indices if heavy_class(part.run.events[index].decoded) == "gemm"]
    answers = [is_kind(part.run, index, wanted) for index in among]
    least, most = sum(answer is True for answer in answers), sum(answer is not False for answer in answers)
    if wanted.count.holds(least) and wanted.count.holds(most):
        return None
    if any(wanted.count.holds(number) for number in range(least, most + 1)):
        silent = [event_text(part.run.events[i]) for i, answer in zip(among, answers, strict=True) if answer is None]
        return f"{wanted}: the trace does not say whether {silent[0]} is one; expect what its name or its shapes say"
    found = tuple(event_text(part.run.events[index]) for index in among[:12]) or ("no GEMMs",)
    evidence = (
        tuple(f"{event_text(part.run.events[i])}: {epilogue_text(part.run, i)}" for i in among[:6])
        if wanted.epilogue
        else ()
    )
    return Finding(
        text=f"{wanted}: {least}, not {wanted.count}",
        expected=(f"{wanted}: {wanted.count}",),
        found=found,
        evidence=evidence,
    )


def _fused(part: Part, group: tuple[str, ...]) -> _Answer:
    if not facts.work_recorded(part.run):
        return _GPU_UNKNOWN
    inside = set(part.indices)
    if inside & set(facts.fused(part.run, group)):
        return None
    lines = []
    for operator in group:
        at = [index for index in facts.doing(part.run, operator) if index in inside]
        lines += [f"{operator}: {event_text(part.run.events[index])}" for index in at[:3]] or [f"{operator}: nowhere"]
    shown = " and ".join(group)
    return Finding(
        text=f"{shown} are not done by one kernel", expected=(f"one kernel for {shown}",), found=tuple(lines)
    )


def _view(part: Part, operator: str) -> _Answer:
    found = part.calls(operator)
    if found is None:
        return CPU_UNKNOWN
    if found.calls and not found.launches:
        return None
    if not found.calls:
        return Finding(text=f"{operator} is not called", expected=(f"{operator}: a view",), found=("no call",))
    return _launching(part, operator, f"{operator}: a view, which launches nothing")


def _no_launch(part: Part, operator: str) -> _Answer:
    found = part.calls(operator)
    if found is None:
        return CPU_UNKNOWN
    return _launching(part, operator, f"{operator} launches nothing") if found.launches else None


def _launching(part: Part, operator: str, expected: str) -> Finding:
    found = part.calls(operator)
    inside = set(part.indices)
    events = [part.run.events[index] for index in facts.launched_by(part.run, operator) if index in inside]
    counts = f"{found.launches} GPU events in {found.calls} calls" if found else "GPU events"
    return Finding(
        text=f"{operator} launches GPU work", expected=(expected,), found=(counts,), evidence=events_text(events)
    )
