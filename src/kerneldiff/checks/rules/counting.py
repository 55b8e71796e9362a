"""What several rules count in a run: copies, conversions, waits. None where a recording does not tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kerneldiff.checks.describing import events_text, match_text, sides
from kerneldiff.checks.model import Finding
from kerneldiff.diffs.model import Diff
from kerneldiff.diffs.operators import of_event
from kerneldiff.names.model import KernelName
from kerneldiff.profiles import compiled
from kerneldiff.profiles.model import GpuEvent, Profile

_CONVERSIONS = frozenset({"layout_transform", "transpose"})
_SIMPLE = frozenset({"elementwise", "pointwise", "copy", "foreach", None})


def is_conversion(decoded: KernelName) -> bool:
    """Tell whether a kernel only changes the order of a tensor's elements."""
    return decoded.op in _CONVERSIONS


def is_copy(event: GpuEvent) -> bool:
    """Tell whether an event only copies: a memory copy, or a kernel of a copying operator."""
    if event.kind == "memcpy":
        return True
    simple = event.kind == "kernel" and event.decoded.op in _SIMPLE and not event.decoded.auxiliary
    return simple and of_event(event) == frozenset({"copy"})


def more_of(diff: Diff, wanted: Callable[[GpuEvent], bool], what: str) -> tuple[Finding, ...]:
    """Find matches whose candidate has more events of a kind, where the whole step has more of them."""
    ours, theirs = (sum(wanted(event) for event in run.events) for run in (diff.baseline, diff.candidate))
    if theirs <= ours:
        return ()
    total = f"{what} a step: {ours} -> {theirs}"
    found = []
    for match in diff.matches:
        before, after = sides(diff, match)
        had, has = [event for event in before if wanted(event)], [event for event in after if wanted(event)]
        if len(has) > len(had):
            found.append(
                Finding(
                    text=match_text(match, before, after),
                    expected=events_text(before) or ("nothing",),
                    found=events_text(after),
                    evidence=(f"in this match: {len(had)} -> {len(has)}", total),
                )
            )
    return tuple(found)


def waits(run: Profile) -> Counter[str] | None:
    """Count the calls with which the CPU waits for the GPU, by name; None where the CPU side was not recorded."""
    if run.explained is None or run.explained.cpu is None:
        return None
    found: Counter[str] = Counter()
    for item in run.explained.cpu.of("sync"):
        # Where the profiler stops right at the end of the last step, its own wait begins there and takes no time of it.
        if item.ns > 0:
            found[item.name] += item.calls
    if run.explained.compiled.item_calls:
        found["aten::item"] += run.explained.compiled.item_calls
    return found


def frames(run: Profile) -> tuple[str, ...] | None:
    """List the frames of a step's compiled regions; None without a CPU side."""
    if run.explained is None or run.explained.cpu is None:
        return None
    return compiled.frames(run.explained.compiled.regions)


CPU_UNKNOWN = "the CPU side was not recorded; record with ProfilerActivity.CPU"
