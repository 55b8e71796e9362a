"""The verdict in words: one table of (condition, sentence); a sentence without its evidence is not said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kerneldiff.diffs.model import Dispatch, GpuWork, Match, Times
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.diffs.operators import bare
from kerneldiff.diffs.verdict import MIN_COVERAGE, coverage_share
from kerneldiff.profiles.model import Profile
from kerneldiff.units import percent_text, time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that a sentence may rest on."""

    baseline: Profile
    candidate: Profile
    matches: Sequence[Match]
    times: Times
    dispatch: Dispatch
    work: GpuWork
    changes: tuple[str, ...]
    reasons: tuple[str, ...]

    def of(self, *relations: str) -> list[Match]:
        """List the matches of some relations."""
        return [match for match in self.matches if match.relation in relations]


Answer = tuple[GpuWork, tuple[str, ...], tuple[str, ...]]


def summarise(
    baseline: Profile,
    candidate: Profile,
    matches: Sequence[Match],
    times: Times,
    dispatch: Dispatch,
    answer: Answer,
) -> str:
    """Say the verdict in a few plain sentences."""
    facts = Facts(
        baseline=baseline,
        candidate=candidate,
        matches=matches,
        times=times,
        dispatch=dispatch,
        work=answer[0],
        changes=answer[1],
        reasons=answer[2],
    )
    return " ".join(text for sentence in SENTENCES if (text := sentence(facts)))


def coverage(facts: Facts) -> str | None:
    """Little of the file lies in its steps: said first."""
    low = [
        (who, share)
        for who, run in (("baseline", facts.baseline), ("candidate", facts.candidate))
        if run.coverage.gpu_events and (share := coverage_share(run)) < MIN_COVERAGE
    ]
    if not low:
        return None
    said = " and ".join(f"{share:.0%} of the {who}'s" for who, share in low)
    return f"This speaks of {said} GPU time only; the rest lies outside the steps."


def not_known(facts: Facts) -> str | None:
    """A side has no GPU events."""
    if facts.work != "unknown":
        return None
    return f"GPU work cannot be compared: {facts.reasons[0]}."


def same(facts: Facts) -> str | None:
    """All GPU work is proved equal."""
    if facts.work != "same":
        return None
    kernels = facts.candidate.kernels
    return f"GPU work is the same: {_count(kernels, 'kernel')} a step, each proved equal."


def unproven(facts: Facts) -> str | None:
    """Nothing differs, and equality is not proved."""
    if facts.work != "unproven":
        return None
    open_matches = facts.of("unproven")
    what = f"{_count(len(open_matches), 'match', 'matches')} of {len(facts.matches)} cannot be proved equal" if open_matches else "one thing is open"
    return f"No difference in GPU work is seen, but {what}: {facts.reasons[0]}."


def changed(facts: Facts) -> str | None:
    """GPU work changed: kernels before and after, by which changes."""
    if facts.work != "changed":
        return None
    before, after = facts.baseline.kernels, facts.candidate.kernels
    counts = f"{_count(before, 'kernel')} a step became {after}" if before != after else f"{_count(before, 'kernel')} a step as before"
    return f"GPU work changed: {counts}."


def fusions(facts: Facts) -> str | None:
    """What was fused, by operators, the largest savings first."""
    return _groups(facts, "fused", "fused")


def splits(facts: Facts) -> str | None:
    """What was split."""
    return _groups(facts, "split", "split up")


def _groups(facts: Facts, relation: str, verb: str) -> str | None:
    found = sorted(facts.of(relation), key=lambda match: -abs(match.delta_ns))
    if not found:
        return None
    counted = Counter(_group_text(match, facts) for match in found)
    shown = list(counted.items())[:2]
    more = sum(counted.values()) - sum(count for _, count in shown)
    parts = [f"{text}{f', {count} times' if count > 1 else ''}" for text, count in shown]
    tail = f", and {more} more" if more else ""
    return f"{verb.capitalize()}: {'; '.join(parts)}{tail}."


def _group_text(match: Match, facts: Facts) -> str:
    names = list(dict.fromkeys(bare(name) for name in match.fused_operators))
    shown = " + ".join(names[:4]) + (" ..." if len(names) > 4 else "")
    kernels = [
        sum(run.events[i].kind == "kernel" for i in members)
        for run, members in ((facts.baseline, match.baseline), (facts.candidate, match.candidate))
    ]
    return f"{shown or 'unnamed work'} ({kernels[0]} kernels in {kernels[1]})" if match.relation == "fused" else f"{shown or 'unnamed work'} ({kernels[0]} kernel in {kernels[1]})"


def replacements(facts: Facts) -> str | None:
    """Kernels that other kernels took the place of."""
    parts = []
    for relation, said in (
        ("recompiled", "was compiled to other code"),
        ("reselected", "runs another kernel of the library"),
        ("reimplemented", "comes from another provider"),
        ("resized", "works on another amount of data"),
    ):
        found = facts.of(relation)
        if found:
            names = list(dict.fromkeys(bare(name) for match in found for name in match.operators[-1:]))
            shown = ", ".join(name for name in names[:3] if name)
            place = f" ({shown}{' ...' if len(names) > 3 else ''})" if shown else ""
            parts.append(f"{_count(len(found), 'match', 'matches')}{place} {said}")
    return f"{'; '.join(parts)}." if parts else None


def comings_and_goings(facts: Facts) -> str | None:
    """Events without counterpart."""
    parts = []
    for relation in ("added", "removed"):
        found = facts.of(relation)
        if found:
            spent = time_text(abs(sum(match.delta_ns for match in found)))
            parts.append(f"{_count(len(found), 'GPU event')} {'is' if len(found) == 1 else 'are'} {relation} ({spent})")
    return f"{'; '.join(parts)}." if parts else None


def precision(facts: Facts) -> str | None:
    """The arithmetic changed: a difference in time is then no like-for-like gain."""
    if "precision" not in facts.changes:
        return None
    pairs = {
        (difference.baseline, difference.candidate)
        for match in facts.matches
        if "precision" in match.facets
        for difference in match.differences
        if difference.field == "dtype_in"
    }
    known = [f"{one} to {other}" for one, other in sorted(pairs, key=str) if one and other]
    said = f" ({known[0]})" if len(known) == 1 else ""
    return f"The arithmetic changed{said}: the two runs do not compute the same numbers."


def captured(facts: Facts) -> str | None:
    """Only one side replays a graph."""
    if "captured" not in facts.changes:
        return None
    who = "candidate" if facts.candidate.captured else "baseline"
    return f"The {who} launches its kernels by replaying a CUDA graph."


def gpu_time(facts: Facts) -> str | None:
    """GPU time, with how sure that is."""
    return _time(facts.times.gpu, "GPU time")


def step_time(facts: Facts) -> str | None:
    """Step time, beside GPU time: they can move in opposite directions."""
    call = facts.times.step
    text = _time(call, "step time")
    if text and call.call == "inconclusive" and facts.times.gpu.ratio is not None and call.ratio is not None:
        opposite = (facts.times.gpu.ratio - 1) * (call.ratio - 1) < 0 and abs(call.ratio - 1) > 0.02
        if opposite and facts.times.gpu.call in ("faster", "slower"):
            shorter = "shorter" if call.ratio < 1 else "longer"
            paced = [run.bound for run in (facts.baseline, facts.candidate)]
            why = ", since they wait for the CPU" if paced == ["cpu", "cpu"] else ""
            return (
                f"The recorded steps nevertheless got {shorter} ({time_text(call.baseline_ns or 0)} to "
                f"{time_text(call.candidate_ns or 0)}{why}); one recording a side does not settle step time."
            )
    return text


def _time(call: TimeCall, what: str) -> str | None:

    if call.baseline_ns is None or call.candidate_ns is None or call.ratio is None:
        return None
    span = f"{time_text(call.baseline_ns)} to {time_text(call.candidate_ns)}"
    if call.call in ("faster", "slower"):
        rises = "rises" if call.call == "slower" else "falls"
        return f"{what[0].upper()}{what[1:]} {rises} from {span} a step ({percent_text(call.ratio)})."
    if call.call == "equivalent":
        return f"{what[0].upper()}{what[1:]} is equivalent ({span} a step)."
    return f"Whether {what} differs is not settled ({span} a step)."


def dispatch_change(facts: Facts) -> str | None:
    """What changed on the CPU side."""
    removed, added = facts.dispatch.removed, facts.dispatch.added
    parts = []
    for what, changes in (("left", removed), ("came", added)):
        if changes:
            spent = time_text(abs(sum(change.delta_ns for change in changes)))
            parts.append(f"{_count(len(changes), 'operator')} {what} ({spent})")
    return f"On the CPU side {' and '.join(parts)}." if parts else None


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


SENTENCES: tuple[Callable[[Facts], str | None], ...] = (
    coverage,
    not_known,
    same,
    unproven,
    changed,
    fusions,
    splits,
    replacements,
    comings_and_goings,
    precision,
    captured,
    gpu_time,
    step_time,
    dispatch_change,
)
