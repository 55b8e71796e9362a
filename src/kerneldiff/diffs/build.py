"""The stage itself: two runs in, a diff out."""

from __future__ import annotations

from kerneldiff.diffs.comparability import comparability
from kerneldiff.diffs.dispatch import compare_dispatch
from kerneldiff.diffs.matching import match_events
from kerneldiff.diffs.model import Diff, Dispatch, Match, Times, Verdict
from kerneldiff.diffs.notes import diff_notes
from kerneldiff.diffs.summary import summarise
from kerneldiff.diffs.times import judge_times, session
from kerneldiff.diffs.verdict import change_kinds, gpu_work
from kerneldiff.profiles.model import Profile


def diff(baseline: Profile, candidate: Profile) -> Diff:
    """Compare two runs. A positive delta means that the candidate is slower or does more."""
    when = session(baseline, candidate)
    matches = match_events(baseline, candidate, when) if baseline.events or candidate.events else ()
    if "gpu" in baseline.missing or "gpu" in candidate.missing:
        matches = ()  # nothing recorded on one side: its absence is no removal
    times = judge_times(baseline, candidate, when)
    dispatch = compare_dispatch(baseline, candidate)
    comparable = comparability(baseline, candidate)
    return Diff(
        baseline=baseline,
        candidate=candidate,
        matches=matches,
        times=times,
        dispatch=dispatch,
        comparable=comparable,
        verdict=_verdict(baseline, candidate, matches, times, dispatch),
        notes=diff_notes(baseline, candidate, matches, times, comparable),
    )


def _verdict(
    baseline: Profile, candidate: Profile, matches: tuple[Match, ...], times: Times, dispatch: Dispatch
) -> Verdict:
    work, reasons = gpu_work(baseline, candidate, matches)
    changes = change_kinds(baseline, candidate, matches)
    summary = summarise(baseline, candidate, matches, times, dispatch, (work, changes, reasons))
    return Verdict(gpu_work=work, changes=changes, summary=summary, reasons=reasons)
