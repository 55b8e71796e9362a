"""The stage itself: two runs in, a diff out."""

from __future__ import annotations

from kerneldiff.diffs.comparability import comparability
from kerneldiff.diffs.dispatch import compare_dispatch
from kerneldiff.diffs.explained import Waterfalls
from kerneldiff.diffs.facts import Facts
from kerneldiff.diffs.matching import match_events
from kerneldiff.diffs.model import Diff, Match, Times, Verdict
from kerneldiff.diffs.notes import diff_notes
from kerneldiff.diffs.savings import with_savings
from kerneldiff.diffs.summary import summarise
from kerneldiff.diffs.times import judge_times, session
from kerneldiff.diffs.verdict import change_kinds, gpu_work
from kerneldiff.diffs.waterfall import waterfalls
from kerneldiff.profiles.model import Profile


def diff(baseline: Profile, candidate: Profile) -> Diff:
    """Compare two runs. A positive delta means that the candidate is slower or does more."""
    when = session(baseline, candidate)
    matches = match_events(baseline, candidate, when) if baseline.events or candidate.events else ()
    if ("gpu" in baseline.missing or "gpu" in candidate.missing) and not both_on_cpu(baseline, candidate):
        matches = ()  # nothing recorded on one side: its absence is no removal
    matches = with_savings(matches, baseline, candidate)
    times = judge_times(baseline, candidate, when)
    dispatch = compare_dispatch(baseline, candidate)
    comparable = comparability(baseline, candidate)
    falls = waterfalls(baseline, candidate, matches)
    return Diff(
        baseline=baseline,
        candidate=candidate,
        matches=matches,
        times=times,
        dispatch=dispatch,
        comparable=comparable,
        verdict=_verdict(baseline, candidate, matches, times, falls),
        notes=diff_notes(baseline, candidate, matches, times, comparable),
        waterfalls=falls,
    )


def both_on_cpu(baseline: Profile, candidate: Profile) -> bool:
    """Tell whether both runs are known to be a CPU's: the kernels that are compared are then the CPU's."""
    return all(run.events and all(event.kind == "cpu_kernel" for event in run.events) for run in (baseline, candidate))


def _verdict(
    baseline: Profile, candidate: Profile, matches: tuple[Match, ...], times: Times, falls: Waterfalls
) -> Verdict:
    work, reasons = gpu_work(baseline, candidate, matches)
    changes = change_kinds(baseline, candidate, matches)
    facts = Facts(
        baseline=baseline,
        candidate=candidate,
        matches=matches,
        times=times,
        waterfalls=falls,
        work=work,
        changes=changes,
        reasons=reasons,
    )
    summary, details = summarise(facts)
    return Verdict(gpu_work=work, changes=changes, summary=summary, reasons=reasons, details=details)
