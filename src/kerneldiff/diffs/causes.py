"""What changed on the GPU, alike changes together, each as a clause of a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kerneldiff.diffs.model import Match
from kerneldiff.diffs.wording import (
    count,
    heavy_types,
    kernels_of,
    listed,
    main_of,
    provider,
    subject,
    type_name,
    work_of,
)
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.units import bytes_text, time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Matches that changed alike.

    Attributes:
        clause: what happened, in the past tense, without a full stop.
        relation: of the matches. places: how many they are.
        delta_ns: GPU time, candidate less baseline. bytes_saved: sum, None where shapes do not tell.
    """

    clause: str
    relation: str
    places: int
    delta_ns: int
    bytes_saved: int | None

    @property
    def text(self) -> str:
        """The clause with how often and what it saves."""
        often = f" ({self.places} times)" if self.places > 1 else ""
        saved = self.bytes_saved
        saving = f", which saves {bytes_text(saved)} of memory traffic" if saved and self.relation == "fused" else ""
        return f"{self.clause}{often}{saving}"

    @property
    def signed(self) -> str:
        """The difference in GPU time with its sign."""
        return f"{'+' if self.delta_ns > 0 else ''}{time_text(self.delta_ns)} of GPU time"


def causes(baseline: Profile, candidate: Profile, matches: Sequence[Match]) -> list[Cause]:
    """Put alike changes together, the largest difference in GPU time first."""
    groups: dict[tuple[str, str], list[Match]] = {}
    for match in matches:
        if match.relation not in ("same", "unproven"):
            groups.setdefault((match.relation, _clause(match, baseline, candidate)), []).append(match)
    found = [
        Cause(
            clause=clause if relation not in ("added", "removed") else _arrivals(group, baseline, candidate),
            relation=relation,
            places=len(group) if relation not in ("added", "removed") else 1,
            delta_ns=sum(match.delta_ns for match in group),
            bytes_saved=_saved(group),
        )
        for (relation, clause), group in groups.items()
    ]
    return sorted(found, key=lambda cause: -abs(cause.delta_ns))


_SUMMED = {
    "fused": "kernels were fused in {} places",
    "split": "kernels were split up in {} places",
    "recompiled": "{} compiled kernels have other code",
    "reselected": "the libraries chose other kernels in {} places",
    "reimplemented": "kernels come from other providers in {} places",
    "resized": "{} kernels work on another amount of data",
}


def by_relation(found: Sequence[Cause]) -> list[Cause]:
    """Put all causes of one relation together, where no single one explains much; the largest difference first."""
    summed = []
    for relation, clause in _SUMMED.items():
        group = [cause for cause in found if cause.relation == relation]
        places = sum(cause.places for cause in group)
        if len(group) > 1:
            known = [cause.bytes_saved for cause in group if cause.bytes_saved is not None]
            summed.append(
                Cause(
                    clause=clause.format(places),
                    relation=relation,
                    places=1,
                    delta_ns=sum(cause.delta_ns for cause in group),
                    bytes_saved=sum(known) if len(known) == len(group) else None,
                )
            )
    return sorted(summed, key=lambda cause: -abs(cause.delta_ns))


def _saved(group: Sequence[Match]) -> int | None:
    known = [match.bytes_saved for match in group if match.bytes_saved is not None]
    return sum(known) if len(known) == len(group) else None


def _clause(match: Match, baseline: Profile, candidate: Profile) -> str:
    ours = [baseline.events[i] for i in match.baseline]
    theirs = [candidate.events[i] for i in match.candidate]
    what = subject(match, baseline, candidate)
    runs, comes, works = ("run", "come", "work") if " and " in what else ("runs", "comes", "works")
    if match.relation == "fused":
        return f"{what} became {count(kernels_of(theirs), 'kernel')} instead of {kernels_of(ours)}"
    if match.relation == "split":
        return f"{what} became {count(kernels_of(theirs), 'kernel')}{_among(ours, theirs)}"
    if match.relation == "recompiled":
        return f"the compiled kernel for {what} has other code{_differing(match)}"
    if match.relation == "reselected":
        return f"{what} {runs} another kernel of {provider(main_of(theirs))}{_differing(match)}"
    if match.relation == "reimplemented":
        one, other = provider(main_of(ours)), provider(main_of(theirs))
        return f"{what} {comes} from " + (f"{other} instead of {one}" if one != other else f"another kernel of {other}")
    if match.relation == "resized":
        return f"{what} {works} on another amount of data"
    return match.relation


def _among(ours: Sequence[GpuEvent], theirs: Sequence[GpuEvent]) -> str:
    """Say which of the new kernels are products of a type that was not there before."""
    fresh = Counter(heavy_types(theirs)) - Counter(heavy_types(ours))
    if not fresh or len(theirs) < 2:
        return ""
    kind, number = fresh.most_common(1)[0]
    return f", {number} of them {count(number, kind).partition(' ')[2]}"


def _differing(match: Match) -> str:
    """Name the facts that differ, where few do."""
    told = {"tile": "tile", "configuration": "configuration", "registers": "registers", "block": "block"}
    parts = [
        f"{told[one.field]} {one.baseline} -> {one.candidate}"
        for one in match.differences
        if one.field in told and one.baseline and one.candidate
    ]
    return f" ({', '.join(parts[:2])})" if parts else ""


def _arrivals(group: Sequence[Match], baseline: Profile, candidate: Profile) -> str:
    events = [
        side.events[i]
        for match in group
        for side, members in ((baseline, match.baseline), (candidate, match.candidate))
        for i in members
    ]
    came = group[0].relation == "added"
    kernels = kernels_of(events)
    parts = []
    if kernels:
        names = work_of([event for event in events if event.kind == "kernel"])
        parts.append(_kernels(kernels, names))
    for kind, one, many in (("memcpy", "memory copy", "memory copies"), ("memset", "memory set", "memory sets")):
        number = sum(event.kind == kind for event in events)
        if number:
            parts.append(count(number, one, many))
    verb = ("were" if len(events) > 1 else "was") + (" added" if came else " removed")
    return f"{' and '.join(parts)} {verb}"


def _kernels(number: int, names: Sequence[str]) -> str:
    """Count kernels by what they do: ``3 layout conversions``, ``4 fill kernels``, ``2 kernels (add and mul)``."""
    if len(names) != 1:
        return f"{count(number, 'kernel')}{f' ({listed(names, 3)})' if names else ''}"
    return count(number, names[0] if " " in names[0] else f"{names[0]} kernel")


def arithmetic(matches: Sequence[Match]) -> str | None:
    """Name the change of types of all matches whose arithmetic changed; None where they differ or are not known."""
    pairs = {
        (difference.baseline, difference.candidate)
        for match in matches
        if "precision" in match.facets
        for difference in match.differences
        if difference.field == "dtype_in"
    }
    known = sorted(f"{type_name(one)} to {type_name(other)}" for one, other in pairs if one and other)
    return known[0] if len(known) == 1 else None
