"""The CPU side of two runs: operators that left, that came, and that are called another number of times."""

from __future__ import annotations

from kerneldiff.diffs.model import Dispatch, OperatorChange
from kerneldiff.profiles.model import Profile


def compare_dispatch(baseline: Profile, candidate: Profile) -> Dispatch:
    """Compare the operators of the representative steps by name; nothing where a side has none recorded."""
    if "operators" in baseline.missing or "operators" in candidate.missing:
        return Dispatch(removed=(), added=(), changed=(), kept=())
    ours = {stat.operator: stat for stat in baseline.operators}
    theirs = {stat.operator: stat for stat in candidate.operators}
    changes = [
        OperatorChange(operator=name, baseline=ours.get(name), candidate=theirs.get(name))
        for name in dict.fromkeys([*ours, *theirs])
    ]
    both = [change for change in changes if change.baseline and change.candidate]
    return Dispatch(
        removed=tuple(change for change in changes if not change.candidate),
        added=tuple(change for change in changes if not change.baseline),
        changed=tuple(change for change in both if not _equal_calls(change)),
        kept=tuple(change for change in both if _equal_calls(change)),
    )


def _equal_calls(change: OperatorChange) -> bool:
    return bool(change.baseline and change.candidate and change.baseline.calls == change.candidate.calls)
