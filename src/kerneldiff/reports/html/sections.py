"""The smaller tables of the page: kinds of change, what changed most, fusions, dispatch chains, CPU operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kerneldiff.diffs.model import RELATIONS, Diff, Match, OperatorChange, Relation
from kerneldiff.diffs.operators import bare
from kerneldiff.profiles.model import Profile
from kerneldiff.reports import phrases
from kerneldiff.units import time_text

MOST_CHANGES = 6
MOST_FUSIONS = 60
MOST_CHAINS = 80
MOST_OPERATORS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One relation: how many matches, and what they add to the GPU time; ``bar`` from -100 to 100."""

    relation: Relation
    sign: str
    meaning: str
    count: int
    change: str
    bar: float


def kinds(diff: Diff) -> list[Kind]:
    """Count the matches by relation."""
    matches = diff.matches
    counts = Counter(match.relation for match in matches)
    deltas = {one: sum(match.delta_ns for match in matches if match.relation == one) for one in counts}
    largest = phrases.bar_scale(diff, deltas.values())
    return [
        Kind(
            relation=one,
            sign=phrases.SIGNS[one],
            meaning=phrases.MEANINGS[one],
            count=counts[one],
            change=phrases.signed_time(deltas[one]),
            bar=round(100 * deltas[one] / largest, 2),
        )
        for one in RELATIONS
        if counts[one]
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Changes that look alike, added up; ``match`` is the first one's number."""

    match: int
    times: int
    relation: Relation
    sign: str
    title: str
    events: str
    before: str
    after: str
    change: str
    faster: bool
    saved: str | None
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


def top_changes(diff: Diff, most: int = MOST_CHANGES) -> tuple[list[Change], int]:
    """List what changed most, and how many further kinds of change there are."""
    ranked = phrases.alike(diff)
    numbers = {id(match): number for number, match in enumerate(diff.matches)}
    return [_change(diff, stack, numbers) for stack in ranked[:most]], max(0, len(ranked) - most)


def fusions(diff: Diff) -> tuple[list[Change], int]:
    """List the kernels that were fused or split, alike ones together, and how many are left out."""
    ranked = [stack for stack in phrases.alike(diff) if stack[0].relation in ("fused", "split")]
    numbers = {id(match): number for number, match in enumerate(diff.matches)}
    return [_change(diff, stack, numbers) for stack in ranked[:MOST_FUSIONS]], max(0, len(ranked) - MOST_FUSIONS)


def _change(diff: Diff, stack: Sequence[Match], numbers: dict[int, int]) -> Change:
    first = stack[0]
    saved = phrases.saved_text(first)
    before, after = (sum(getattr(match, side) for match in stack) for side in ("baseline_ns", "candidate_ns"))
    return Change(
        match=numbers[id(first)],
        times=len(stack),
        relation=first.relation,
        sign=phrases.SIGNS[first.relation],
        title=phrases.headline(diff, first),
        events=f"{len(first.baseline)} \N{RIGHTWARDS ARROW} {len(first.candidate)}",
        before=time_text(before),
        after=time_text(after),
        change=phrases.signed_time(after - before),
        faster=after < before,
        saved=f"{saved} each" if saved and len(stack) > 1 else saved,
        ours=_listed(diff.baseline, first.baseline),
        theirs=_listed(diff.candidate, first.candidate),
    )


def _listed(run: Profile, members: Sequence[int]) -> tuple[str, ...]:
    """Name events in order of their first, equal ones once with their number."""
    counts = Counter(phrases.event_text(run.events[i]) for i in members)
    return tuple(f"{text} \N{MULTIPLICATION SIGN}{count}" if count > 1 else text for text, count in counts.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One way from the outermost operator to a launch; counts and times a side, empty where a side has none."""

    links: tuple[str, ...]
    launch: str
    counts: tuple[str, ...]
    times: tuple[str, ...]


def chains(runs: Sequence[Profile]) -> tuple[list[Chain], int]:
    """Gather the dispatch chains of all events, those with most GPU time first, and how many are left out."""
    counts: list[Counter[tuple[tuple[str, ...], str]]] = [Counter() for _ in runs]
    spent: list[Counter[tuple[tuple[str, ...], str]]] = [Counter() for _ in runs]
    for side, run in enumerate(runs):
        for event in run.events:
            key = (event.chain, event.launch or "launch not recorded")
            counts[side][key] += 1
            spent[side][key] += event.gpu_ns
    keys = sorted({key for count in counts for key in count}, key=lambda key: (-sum(one[key] for one in spent), key))
    listed = [
        Chain(
            links=chain or ("no operator recorded",),
            launch=launch,
            counts=tuple(str(count[chain, launch]) if count[chain, launch] else "" for count in counts),
            times=tuple(
                time_text(one[chain, launch]) if count[chain, launch] else ""
                for one, count in zip(spent, counts, strict=True)
            ),
        )
        for chain, launch in keys[:MOST_CHAINS]
    ]
    return listed, max(0, len(keys) - MOST_CHAINS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A CPU operator that left, came, or is called another number of times."""

    what: str
    sign: str
    css: str
    operator: str
    calls: str
    launches: str
    before: str
    after: str
    change: str
    view: bool


def operators(diff: Diff) -> tuple[list[Operator], int]:
    """List the changes of the CPU side, the largest first, and how many are left out."""
    groups = (
        ("left", "\N{MINUS SIGN}", "removed", diff.dispatch.removed),
        ("came", "+", "added", diff.dispatch.added),
        ("calls differ", "~", "resized", diff.dispatch.changed),
    )
    found = [(what, sign, css, change) for what, sign, css, changes in groups for change in changes]
    found.sort(key=lambda one: -abs(one[3].delta_ns))
    return [_operator(*one) for one in found[:MOST_OPERATORS]], max(0, len(found) - MOST_OPERATORS)


def _operator(what: str, sign: str, css: str, change: OperatorChange) -> Operator:
    sides = (change.baseline, change.candidate)
    calls = [str(side.calls) for side in sides if side]
    launches = [str(side.launches) for side in sides if side]
    return Operator(
        what=what,
        sign=sign,
        css=css,
        operator=change.operator,
        calls=" \N{RIGHTWARDS ARROW} ".join(dict.fromkeys(calls)),
        launches=" \N{RIGHTWARDS ARROW} ".join(dict.fromkeys(launches)),
        before=time_text(change.baseline.own_ns) if change.baseline else "",
        after=time_text(change.candidate.own_ns) if change.candidate else "",
        change=phrases.signed_time(change.delta_ns),
        view=bare(change.operator)
        in ("t", "transpose", "as_strided", "view", "permute", "unsqueeze", "squeeze", "expand"),
    )
