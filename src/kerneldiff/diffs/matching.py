"""From groups of units to matches of events: relations, facets, evidence."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from kerneldiff.diffs.facets import facets
from kerneldiff.diffs.model import Difference, Match, Relation
from kerneldiff.diffs.noise import Session
from kerneldiff.diffs.operators import names_of
from kerneldiff.diffs.pairing import Group, pair
from kerneldiff.diffs.relations import Related, Typical, relate_many, relate_one
from kerneldiff.diffs.times import judge_events, typical_ns
from kerneldiff.diffs.units import Unit, collapse
from kerneldiff.profiles.model import GpuEvent, Profile

# The helpers of a kernel that another took the place of belong to the change; those of an equal one stand for themselves.
_MOST_JUDGED = 500  # a judgement takes half a millisecond
_KEEPS_HELPERS: tuple[Relation, ...] = ("same", "unproven", "resized", "recompiled")


def match_events(baseline: Profile, candidate: Profile, when: Session) -> tuple[Match, ...]:
    """Match the GPU events of two runs: every event of both sides is in exactly one match."""
    ours, theirs = collapse(baseline.events), collapse(candidate.events)
    same_recording = bool(baseline.digest) and baseline.digest == candidate.digest
    maker = _Maker(baseline, candidate, same_recording=same_recording)
    groups = pair(ours, theirs)
    moved = _moved(groups)
    found = [
        match
        for index, group in enumerate(groups)
        for match in maker.matches(
            [ours[i] for i in group.baseline], [theirs[i] for i in group.candidate], group, moved=index in moved
        )
    ]
    return tuple(sorted(_judged(found, baseline, candidate, when), key=_place(found)))


def _judged(found: Sequence[Match], baseline: Profile, candidate: Profile, when: Session) -> list[Match]:
    """Judge the times of the matches, of the longest ones only where there are very many."""
    both = [index for index, match in enumerate(found) if match.baseline and match.candidate]
    both.sort(key=lambda index: -max(found[index].baseline_ns, found[index].candidate_ns))
    judged = list(found)
    for index in both[:_MOST_JUDGED]:
        match = found[index]
        members = (match.baseline, match.candidate)
        judged[index] = replace(match, time=judge_events(baseline, candidate, members, when))
    return judged


def _place(matches: Sequence[Match]) -> Callable[[Match], tuple[float, int, int]]:
    """Give a sort key: order of the baseline, with added events behind what they follow in the candidate."""
    by_candidate = sorted((max(m.candidate), max(m.baseline)) for m in matches if m.baseline and m.candidate)

    def key(match: Match) -> tuple[float, int, int]:
        if match.baseline:
            return (match.baseline[0], 0, 0)
        before = [b for c, b in by_candidate if c < match.candidate[0]]
        return ((before[-1] if before else -1) + 0.5, 1, match.candidate[0])

    return key


def _moved(groups: Sequence[Group]) -> set[int]:
    """Find the fewest pairs that must have moved: all outside the longest run that is in order on both sides.

    A group of several events on a side has no one place; it does not count.
    """
    both = sorted(
        (group.baseline[0], group.candidate[0], i)
        for i, group in enumerate(groups)
        if len(group.baseline) == 1 == len(group.candidate)
    )
    tails: list[int] = []
    chain_of: list[tuple[int, int]] = []  # (position in both, previous position)
    ends: list[int] = []
    for position, (_, c, _) in enumerate(both):
        at = bisect_left(tails, c)
        chain_of.append((position, ends[at - 1] if at else -1))
        tails[at : at + 1] = [c]
        ends[at : at + 1] = [position]
    kept: set[int] = set()
    position = ends[-1] if ends else -1
    while position >= 0:
        kept.add(both[position][2])
        position = chain_of[position][1]
    return {i for _, _, i in both if i not in kept}


class _Maker:
    """Makes matches out of groups, with the facts of both runs at hand."""

    def __init__(self, baseline: Profile, candidate: Profile, *, same_recording: bool) -> None:
        self.baseline, self.candidate = baseline, candidate
        self.same_recording = same_recording

    def matches(self, ours: Sequence[Unit], theirs: Sequence[Unit], group: Group, *, moved: bool) -> list[Match]:
        """Make the match of a group, and those of its helpers where they stand for themselves."""
        if len(ours) == 1 and len(theirs) == 1:
            related = self._one(ours[0].main, theirs[0].main)
            if related.relation in _KEEPS_HELPERS:
                return self._with_helpers(ours[0], theirs[0], related, group, moved=moved)
        else:
            related = relate_many([unit.event for unit in ours], [unit.event for unit in theirs])
        if not ours or not theirs:
            return [self._alone(index, related) for unit in (*ours, *theirs) for index in unit.members]
        members = (_members(ours), _members(theirs))
        return [self._match(members, related, group, moved=moved, mains=(_mains(ours), _mains(theirs)))]

    def _one(self, ours: int, theirs: int) -> Related:
        typical = Typical(
            baseline_ns=typical_ns(self.baseline, ours),
            candidate_ns=typical_ns(self.candidate, theirs),
            same_recording=self.same_recording,
        )
        return relate_one(self.baseline.events[ours], self.candidate.events[theirs], typical)

    def _with_helpers(self, one: Unit, other: Unit, related: Related, group: Group, *, moved: bool) -> list[Match]:
        """Pair equal helpers by name in order; those without counterpart are added or removed on their own."""
        pairs, left, right = _pair_helpers(one, other, self.baseline.events, self.candidate.events)
        kept_b, kept_c, own = [one.main], [other.main], []
        for b, c in pairs:
            helper = self._one(b, c)
            if helper.relation == "same":
                kept_b.append(b)
                kept_c.append(c)
            else:
                own.append(((b,), (c,), helper))
        members = (tuple(sorted(kept_b)), tuple(sorted(kept_c)))
        found = [self._match(members, related, group, moved=moved, mains=((one.main,), (other.main,)))]
        found += [self._match((b, c), helper, group, moved=moved, mains=(b, c)) for b, c, helper in own]
        found += [self._alone(b, Related(relation="removed")) for b in left]
        found += [self._alone(c, Related(relation="added")) for c in right]
        return found

    def _alone(self, index: int, related: Related) -> Match:
        ours = related.relation == "removed"
        event = (self.baseline if ours else self.candidate).events[index]
        return Match(
            relation=related.relation,
            baseline=(index,) if ours else (),
            candidate=() if ours else (index,),
            operators=names_of([event]),
            evidence=related.evidence,
            confidence="inferred",
            baseline_ns=event.gpu_ns if ours else 0,
            candidate_ns=0 if ours else event.gpu_ns,
        )

    def _match(
        self,
        members: tuple[tuple[int, ...], tuple[int, ...]],
        related: Related,
        group: Group,
        *,
        moved: bool,
        mains: tuple[tuple[int, ...], tuple[int, ...]],
    ) -> Match:
        ours = [self.baseline.events[i] for i in mains[0]]
        theirs = [self.candidate.events[i] for i in mains[1]]
        return Match(
            relation=related.relation,
            baseline=members[0],
            candidate=members[1],
            moved=moved,
            facets=facets(ours, theirs) if related.relation not in ("same", "unproven") else (),
            operators=names_of([*ours, *theirs]),
            fused_operators=_whose_work(ours, related.relation),
            confidence=group.confidence,
            evidence=related.evidence,
            reason=related.reason,
            differences=(*related.differences, *_helper_difference(self, members, mains)),
            baseline_ns=sum(self.baseline.events[i].gpu_ns for i in members[0]),
            candidate_ns=sum(self.candidate.events[i].gpu_ns for i in members[1]),
        )


def _members(units: Sequence[Unit]) -> tuple[int, ...]:
    return tuple(sorted(chain.from_iterable(unit.members for unit in units)))


def _mains(units: Sequence[Unit]) -> tuple[int, ...]:
    return tuple(sorted(unit.main for unit in units))


def _whose_work(ours: Sequence[GpuEvent], relation: Relation) -> tuple[str, ...]:
    """List the operators whose kernels were fused, or whose kernel was split: those of the baseline.

    Of a fusion the operators that launched; of a split the outermost one that PyTorch names, since the inner ones
    (``_cudnn_attention_forward``, say) name the implementation that was left.
    """
    if relation == "fused":
        names = names_of(ours)
    elif relation == "split":
        names = tuple(dict.fromkeys(name for event in ours for name in event.chain if name.startswith("aten::")))[:1]
    else:
        return ()
    return names or tuple(dict.fromkeys(chain.from_iterable(event.decoded.fused_ops for event in ours)))


def _pair_helpers(
    one: Unit, other: Unit, ours: Sequence[GpuEvent], theirs: Sequence[GpuEvent]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    waiting: dict[str, list[int]] = {}
    for c in other.helpers:
        waiting.setdefault(theirs[c].normalised, []).append(c)
    pairs, left = [], []
    for b in one.helpers:
        same_name = waiting.get(ours[b].normalised)
        if same_name:
            pairs.append((b, same_name.pop(0)))
        else:
            left.append(b)
    return pairs, left, sorted(chain.from_iterable(waiting.values()))


def _helper_difference(
    maker: _Maker, members: tuple[tuple[int, ...], tuple[int, ...]], mains: tuple[tuple[int, ...], tuple[int, ...]]
) -> tuple[Difference, ...]:
    """Say which helpers only one side has, in a match that holds them all (split-k on one side, say)."""
    ours = Counter(maker.baseline.events[i].decoded.op or "other" for i in members[0] if i not in mains[0])
    theirs = Counter(maker.candidate.events[i].decoded.op or "other" for i in members[1] if i not in mains[1])
    if ours == theirs:
        return ()
    return (Difference(field="auxiliary", baseline=_counted(ours), candidate=_counted(theirs)),)


def _counted(counts: Counter[str]) -> str | None:
    return ", ".join(f"{count} x {op}" for op, count in sorted(counts.items())) or None
