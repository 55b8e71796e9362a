"""The times of one run in the terminal: what sets the pace, traffic and limits, compiled code."""

from __future__ import annotations

from rich.text import Text

from kerneldiff.profiles.compiled import frames
from kerneldiff.profiles.explained import Compiled, CpuStep, Pace
from kerneldiff.profiles.limits import Limit, Limits
from kerneldiff.profiles.model import Profile
from kerneldiff.reports.text.layout import Column, paragraph, row
from kerneldiff.reports.text.run_rows import title
from kerneldiff.units import bytes_text, time_text

_PACE_WORDS = {
    "cpu": "The CPU sets the pace",
    "gpu": "The GPU sets the pace",
    "unknown": "What sets the pace is not known",
}
_CAUSES = {
    "late-launch": "late launch",
    "synchronisation": "the CPU waited for the GPU",
    "copy": "the CPU waited for a copy",
    "other-stream": "waited for another stream",
    "queued": "between queued events",
    "unknown": "cause not known",
}
_TRAFFIC_COLUMNS = (
    Column(width=None),
    Column(width=9, right=True),
    Column(width=9, right=True),
    Column(width=10, right=True),
    Column(width=5, right=True),
    Column(width=14),
)
_MOST_ROWS = 12
_LEAST_BYTES = 1_000  # flags and counters that a library sets to zero are no traffic


def pace(profile: Profile, total: int) -> list[Text]:
    """Say what set the pace while the profiler watched, and why the GPU stood idle."""
    explained = profile.explained
    if explained is None or (explained.pace is None and explained.cpu is None):
        return []
    found = explained.pace
    lines = title("What sets the pace (while profiled)", total)
    if found is not None:
        share = (
            ": one step alone has no step time"
            if found.busy_share is None
            else f": the GPU is busy {found.busy_share * 100:.0f} % of a step"
        )
        lines += paragraph(f"{_PACE_WORDS[profile.bound]}{share}.", total, indent=2)
        lines += _gpu_line(found, total)
        lines += _gap_lines(found, total)
    if explained.cpu is not None:
        lines += _cpu_lines(explained.cpu, total)
    return lines


def _gpu_line(found: Pace, total: int) -> list[Text]:
    parts = [f"GPU time {time_text(found.gpu_ns)}", f"busy {time_text(found.busy_ns)}"]
    if found.overlap_ns:
        parts.append(f"overlapping {time_text(found.overlap_ns)} on {found.streams} streams")
    parts.append(f"idle {time_text(found.idle_ns)}")
    if found.step_ns is not None:
        parts.append(f"step time {time_text(found.step_ns)}")
    lines = paragraph(", ".join(parts) + ".", total, indent=2)
    if found.delays_ns is not None:
        middle, high = (time_text(ns) for ns in found.delays_ns)
        lines += paragraph(
            f"From launch call to start on the GPU: {middle} at the median, {high} at 90 %.", total, indent=2
        )
    if found.collectives:
        text = (
            f"Collectives: {found.collectives} take {time_text(found.collective_ns)}, waiting for other ranks included; "
            f"{time_text(found.exposed_collective_ns)} of it with nothing else on the GPU."
        )
        lines += paragraph(text, total, indent=2)
    return lines


def _gap_lines(found: Pace, total: int) -> list[Text]:
    if not found.gaps:
        return []
    parts = [f"{_CAUSES[cause]} {time_text(ns)}" for cause, ns in found.gap_ns]
    lines = paragraph(f"Idle, by cause: {', '.join(parts)}.", total, indent=2)
    longest = max(found.gaps, key=lambda gap: gap.dur_ns)
    if longest.dur_ns * 4 >= found.idle_ns and longest.detail:
        why = longest.detail if longest.cause == "unknown" else f"meanwhile on the CPU: {longest.detail}"
        text = (
            f"Longest: {time_text(longest.dur_ns)} before GPU event {longest.event} ({_CAUSES[longest.cause]}; {why})."
        )
        lines += paragraph(text, total, indent=2)
    return lines


def _cpu_lines(cpu: CpuStep, total: int) -> list[Text]:
    """Divide the step of the launching thread by kind, and name the largest items."""
    names = {
        "operator": "operators",
        "annotation": "annotations",
        "loader": "data loader",
        "runtime": "runtime calls",
        "sync": "waiting for the GPU",
    }
    parts = []
    for kind, name in names.items():
        items = [item for item in cpu.items if item.kind == kind]
        if items:
            parts.append(f"{name} {time_text(sum(item.ns for item in items))}")
    parts.append(f"between {time_text(cpu.between_ns)}")
    text = f"CPU side of the step, thread {cpu.thread}: {time_text(cpu.extent_ns)} = {' + '.join(parts)}."
    lines = paragraph(text, total, indent=2)
    largest = sorted(cpu.items, key=lambda item: -item.ns)[:3]
    if largest:
        shown = ", ".join(f"{item.name} {time_text(item.ns)}" for item in largest)
        lines += paragraph(f"Largest: {shown}.", total, indent=2)
    return lines


def traffic(profile: Profile, limits: Limits, total: int, *, everything: bool) -> list[Text]:
    """List compulsory traffic, achieved rates and limiter, alike events together, the longest first."""
    if not any(profile.traffic):
        return []
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, (event, moved) in enumerate(zip(profile.events, profile.traffic, strict=True)):
        if moved is not None and moved.total_bytes >= _LEAST_BYTES:
            groups.setdefault((event.decoded.label, moved.read_bytes, moved.write_bytes), []).append(index)
    ranked = sorted(groups.values(), key=lambda members: -sum(profile.events[i].gpu_ns for i in members))
    shown = ranked if everything else ranked[:_MOST_ROWS]
    lines = title("Compulsory traffic and rates (each input read once, each output written once)", total)
    lines += row(("kernel", "read", "written", "rate", "peak", "limited by"), _TRAFFIC_COLUMNS, total, ("dim",) * 6)
    for members in shown:
        lines += _traffic_row(profile, limits, members, total)
    if len(ranked) > len(shown):
        lines.append(Text(f"  and {len(ranked) - len(shown)} more; --all shows them", style="dim"))
    lines += _traffic_remarks(profile, limits, total)
    return lines


def _traffic_row(profile: Profile, limits: Limits, members: list[int], total: int) -> list[Text]:
    moved = profile.traffic[members[0]]
    assert moved is not None  # noqa: S101 - rows are made of events with traffic
    middle = sorted(members, key=lambda index: profile.events[index].gpu_ns)[(len(members) - 1) // 2]
    limit = limits.events[middle]
    times = f" x{len(members)}" if len(members) > 1 else ""
    bound = "≥ " if moved.lower_bound else ""
    cells = (
        (profile.events[middle].decoded.label or profile.events[middle].name) + times,
        bound + bytes_text(moved.read_bytes),
        bytes_text(moved.write_bytes),
        _rate(limit),
        _share(limit),
        limit.limiter + (", in L2" if limit.in_cache else ""),
    )
    return row(cells, _TRAFFIC_COLUMNS, total)


def _rate(limit: Limit) -> str:
    if limit.compute_share is not None and limit.compute_share >= (limit.memory_share or 0) and limit.rate:
        return f"{limit.rate / 1e12:.1f} TF/s"
    return "" if limit.bandwidth is None else f"{bytes_text(limit.bandwidth)}/s"


def _share(limit: Limit) -> str:
    shares = [share for share in (limit.memory_share, limit.compute_share) if share is not None]
    return f"{max(shares) * 100:.0f} %" if shares else ""


def _traffic_remarks(profile: Profile, limits: Limits, total: int) -> list[Text]:
    parts = []
    if limits.peaks is None:
        parts.append(f"The peaks of {profile.device or 'this device'} are not known; --peak memory=... gives them.")
    else:
        parts.append(f"Peaks of {limits.peaks.device}: {limits.peaks.source}.")
        if limits.limiter != "unknown":
            parts.append(f"Most GPU time is limited by {limits.limiter}.")
    assumed = {text for moved in profile.traffic if moved for text in moved.assumptions}
    parts += [f"{text[0].upper()}{text[1:]}." for text in sorted(assumed)]
    if any(limit.in_cache for limit in limits.events):
        parts.append("What fits the L2 may never reach HBM.")
    return paragraph(" ".join(parts), total, indent=2, style="dim")


def compiled(profile: Profile, total: int) -> list[Text]:
    """Say what compiled code did, and what happened inside the window."""
    explained = profile.explained
    if explained is None:
        return []
    texts = _compiled_texts(explained.compiled)
    if not texts:
        return []
    lines = title("Compiled code and what happened in the window", total)
    for text in texts:
        lines += paragraph(text, total, indent=2, first="-")
    return lines


def _compiled_texts(facts: Compiled) -> list[str]:
    texts = []
    if facts.region_calls:
        names = ", ".join(facts.regions[:6]) + (" ..." if len(facts.regions) > 6 else "")
        several = len(frames(facts.regions)) > 1
        breaks = "; between them lie graph breaks, unless they were compiled one by one" if several else ""
        texts.append(
            f"{_times(facts.region_calls, 'call')} of {_times(len(facts.regions), 'compiled region')} a step ({names}){breaks}."
        )
    if facts.lookups:
        texts.append(
            f"{_times(facts.lookups, 'Dynamo cache lookup')} (guards are evaluated there): {time_text(facts.lookup_ns)}; "
            f"prologues {time_text(facts.prologue_ns)}."
        )
    if facts.replays:
        texts.append(f"{_times(facts.replays, 'CUDA graph')} replayed a step.")
    if facts.item_calls:
        texts.append(
            f"{_times(facts.item_calls, 'aten::item call')} a step: the CPU waits for the GPU's value, {time_text(facts.item_ns)}."
        )
    for what, found in (
        ("Compiled inside the window", facts.recompilations),
        ("Allocated inside the window", facts.allocations),
    ):
        for one in sorted(found, key=lambda one: -one.ns)[:3]:
            below = f" below {' > '.join(one.chain)}" if one.chain else ""
            texts.append(f"{what}: {one.name}{below}, step {one.step}, {time_text(one.ns)}.")
        if len(found) > 3:
            texts.append(f"{what}: {len(found) - 3} more.")
    return texts


def _times(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
