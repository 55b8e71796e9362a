"""The stage itself: a linked trace in, one run out; several recordings of one program in, one run out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kerneldiff.links.model import Coverage, Trace
from kerneldiff.notes import Note
from kerneldiff.profiles.cpu_kernels import with_cpu_kernels
from kerneldiff.profiles.dispatch import operator_stats
from kerneldiff.profiles.events import step_events
from kerneldiff.profiles.explain import explain
from kerneldiff.profiles.lanes import step_lanes
from kerneldiff.profiles.missing import device_name, find_missing, missing_notes, recorded_settings
from kerneldiff.profiles.model import Profile, Sequences
from kerneldiff.profiles.pace import bound
from kerneldiff.profiles.recorded import recorded_of, with_recorded
from kerneldiff.profiles.representative import Representative, choose, members
from kerneldiff.profiles.samples import sample_steps
from kerneldiff.traces.model import Int64s


def profile(trace: Trace) -> Profile:
    """Measure one recording."""
    chosen = choose(trace)
    rows = members(trace, chosen.step)
    step = trace.steps[chosen.step]
    events = step_events(trace, rows, step.start_ns)
    samples = sample_steps(trace, chosen.complete)
    durations = _durations(trace, chosen)
    explained = explain(trace, chosen.step, rows, events, samples)
    run = Profile(
        paths=(trace.raw.path,),
        device=device_name(trace),
        environment=trace.raw.header.versions,
        steps=len(trace.steps),
        complete_steps=len(chosen.complete),
        step_number=step.number,
        alike=len(chosen.alike),
        deviating=tuple(n for index in chosen.deviating if (n := trace.steps[index].number) is not None),
        events=events,
        durations=durations,
        by_recording=(len(durations),),
        operators=operator_stats(trace, chosen.step),
        samples=(samples,),
        bound=bound(explained.pace),
        coverage=trace.coverage,
        missing=find_missing(trace, events),
        sequences=chosen.sequences,
        digest=trace.digest,
        cut_off=trace.raw.cut_off_at is not None,
        whole_microseconds=trace.raw.whole_microseconds,
        notes=(*trace.notes, *_deviation(trace, chosen)),
        captured=any(event.replayed for event in events),
        settings=recorded_settings(trace),
        lanes=step_lanes(trace, chosen.step),
        explained=explained,
    )
    run = _with_recorded_facts(run, trace)
    return replace(run, notes=(*run.notes, *missing_notes(run.missing)))


def _with_recorded_facts(run: Profile, trace: Trace) -> Profile:
    """Add what ``kerneldiff record`` wrote into the file, where it did."""
    recorded = recorded_of(trace.raw.header.kerneldiff)
    if recorded is None:
        return run
    run = with_recorded(run, trace, recorded)
    return with_cpu_kernels(run, trace) if recorded.device == "cpu" and not len(trace.gpu) else run


def _durations(trace: Trace, chosen: Representative) -> Int64s:
    """Give the durations of the same events in all alike steps: shape (alike, events), ns."""
    rows = [trace.gpu.longest_ns[members(trace, index)] for index in chosen.alike]
    return np.stack(rows) if rows else np.zeros((0, 0), dtype=np.int64)


def _deviation(trace: Trace, chosen: Representative) -> list[Note]:
    if not chosen.deviating:
        return []
    numbers = ", ".join(str(trace.steps[index].number) for index in chosen.deviating)
    text = f"Step {numbers} launches other GPU work than the {len(chosen.alike)} steps that stand for this run."
    return [Note(code="deviating-steps", text=text, where=f"step {numbers}", count=len(chosen.deviating))]


def merge(profiles: Sequence[Profile]) -> Profile:
    """Join recordings of one program into one run.

    The recording whose steps are in the largest group of equal event lists gives the representative step
    (among equals the lower median by GPU time); samples are kept a recording each.
    """
    if len(profiles) == 1:
        return profiles[0]
    groups: dict[tuple[str, ...], list[Profile]] = {}
    for one in profiles:
        groups.setdefault(tuple(event.normalised for event in one.events), []).append(one)
    alike = max(groups.values(), key=len)
    ranked = sorted(alike, key=lambda one: sum(event.gpu_ns for event in one.events))
    shown = ranked[(len(ranked) - 1) // 2]
    return replace(
        shown,
        paths=tuple(path for one in profiles for path in one.paths),
        steps=sum(one.steps for one in profiles),
        complete_steps=sum(one.complete_steps for one in profiles),
        alike=sum(one.alike for one in alike),
        durations=np.concatenate([one.durations for one in alike]),
        by_recording=tuple(len(one.durations) for one in alike),
        samples=tuple(sample for one in profiles for sample in one.samples),
        coverage=_sum_coverage([one.coverage for one in profiles]),
        missing=tuple(dict.fromkeys(fact for one in profiles for fact in one.missing)),
        settings=tuple(dict.fromkeys(setting for one in profiles for setting in one.settings)),
        sequences=_join_sequences([one.sequences for one in profiles]),
        digest="+".join(sorted(one.digest for one in profiles)),
        cut_off=any(one.cut_off for one in profiles),
        whole_microseconds=any(one.whole_microseconds for one in profiles),
        notes=(*_recording_notes(profiles), *_differing(profiles, alike)),
    )


def _sum_coverage(all_coverage: Sequence[Coverage]) -> Coverage:
    return Coverage(
        gpu_events=sum(one.gpu_events for one in all_coverage),
        in_steps=sum(one.in_steps for one in all_coverage),
        before_window=sum(one.before_window for one in all_coverage),
        linked=sum(one.linked for one in all_coverage),
        gpu_ns=sum(one.gpu_ns for one in all_coverage),
        gpu_ns_in_steps=sum(one.gpu_ns_in_steps for one in all_coverage),
        before_window_ns=sum(one.before_window_ns for one in all_coverage),
    )


def _join_sequences(parts: Sequence[Sequences]) -> Sequences:
    outside = sorted({part.outside for part in parts})
    return Sequences(
        names=frozenset().union(*(part.names for part in parts)),
        hashed=frozenset().union(*(part.hashed for part in parts)),
        full=frozenset().union(*(part.full for part in parts)),
        contents=frozenset().union(*(part.contents for part in parts))
        if all(part.contents for part in parts)
        else frozenset(),
        outside="+".join(outside),
    )


def _recording_notes(profiles: Sequence[Profile]) -> list[Note]:
    """Repeat each recording's notes, with the file they speak of."""
    return [
        replace(note, where=f"{one.paths[0]}: {note.where}" if note.where else one.paths[0])
        for one in profiles
        for note in one.notes
    ]


def _differing(profiles: Sequence[Profile], alike: Sequence[Profile]) -> list[Note]:
    kept = {id(one) for one in alike}
    others = [one.paths[0] for one in profiles if id(one) not in kept]
    if not others:
        return []
    text = f"{len(others)} recordings of this run launch other GPU work than the {len(alike)} that stand for it: {', '.join(others[:3])}"
    return [Note(code="recordings-differ", text=text, count=len(others))]
