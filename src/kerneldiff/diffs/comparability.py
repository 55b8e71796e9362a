"""Whether two recordings may be held against each other, and what their differences forbid."""

from __future__ import annotations

from kerneldiff.diffs.model import Comparable, Incomparable
from kerneldiff.profiles.model import Profile

_AFFECTS = {
    "device": "time, kernel selection",
    "kind of data": "everything on the GPU",
    "shapes": (
        "proof of problem sizes and of generated code, and CPU time; it is a difference in recording, not in the program"
    ),
    "stacks": "CPU time; it is a difference in recording, not in the program",
    "memory": "CPU time; it is a difference in recording, not in the program",
    "steps": "step time",
    "operators": "operators and regions",
    "launches": "launches and operators",
    "clock resolution": "times of short kernels (whole microseconds on one side)",
}


def comparability(baseline: Profile, candidate: Profile) -> Comparable:
    """List the facts in which the recordings differ; not ok for another device or another kind of data."""
    found = []
    if baseline.device and candidate.device and baseline.device != candidate.device:
        found.append(_differs("device", baseline.device, candidate.device))
    kinds = [_kind_of_data(run) for run in (baseline, candidate)]
    if kinds[0] != kinds[1]:
        found.append(_differs("kind of data", *kinds))
    for fact in ("steps", "operators", "launches"):
        lacks = [fact in run.missing for run in (baseline, candidate)]
        if lacks[0] != lacks[1]:
            found.append(_differs(fact, *("not recorded" if lack else "recorded" for lack in lacks)))
    for setting in differing_settings(baseline, candidate):
        has = [setting in run.settings for run in (baseline, candidate)]
        found.append(_differs(setting, *("recorded" if one else "not recorded" for one in has)))
    if baseline.whole_microseconds != candidate.whole_microseconds:
        words = ["1 us" if run.whole_microseconds else "1 ns" for run in (baseline, candidate)]
        found.append(_differs("clock resolution", *words))
    ours, theirs = dict(baseline.environment), dict(candidate.environment)
    found += [
        Incomparable(field=key, baseline=ours[key], candidate=theirs[key], affects="kernel selection, time")
        for key in sorted(ours.keys() & theirs.keys())
        if ours[key] != theirs[key]
    ]
    return Comparable(
        ok=not any(difference.field in ("device", "kind of data") for difference in found), differences=tuple(found)
    )


def differing_settings(baseline: Profile, candidate: Profile) -> tuple[str, ...]:
    """List the settings of the profiler that only one side was recorded with; a lock file has none."""
    if not baseline.samples or not candidate.samples:
        return ()
    return tuple(sorted(set(baseline.settings) ^ set(candidate.settings), reverse=True))


def _differs(field: str, baseline: str, candidate: str) -> Incomparable:
    return Incomparable(field=field, baseline=baseline, candidate=candidate, affects=_AFFECTS[field])


def _kind_of_data(run: Profile) -> str:
    return "CPU only" if "gpu" in run.missing else "GPU"
