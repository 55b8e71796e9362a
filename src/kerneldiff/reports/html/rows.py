"""The table of GPU events side by side: one row a match, repeated stretches folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kerneldiff.diffs.model import Diff, Match, Relation
from kerneldiff.profiles.model import GpuEvent
from kerneldiff.reports import phrases
from kerneldiff.reports.text.folding import Block, repeats
from kerneldiff.units import time_text

# More rows than this are folded away for good: the page stays quick, the JSON has them all.
MOST_ROWS = 6_000
# A browser lays out only the stretches in sight, where there are many; each is this long.
STRETCH = 100
SHOWN_MEMBERS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One event of a match, or several at the same place of a repeated stretch with their times added up.

    Attributes:
        text: decoded label and operator; name: number of its decoded name, None when that is not on the page.
    """

    text: str
    time: str
    auxiliary: bool
    name: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One match, or ``times`` alike ones added up.

    Attributes:
        match: its number, of the first where there are several.
        orders: of folded rows, the places of the shown members among the match's events, for each side.
        bar: change in time as a share of the largest change of the table, -100 to 100.
    """

    match: int
    times: int
    relation: Relation
    sign: str
    facets: tuple[str, ...]
    moved: bool
    title: str
    ours: tuple[Member, ...]
    theirs: tuple[Member, ...]
    orders: tuple[str, str]
    twins: bool
    baseline_ns: int
    candidate_ns: int
    baseline: str
    candidate: str
    change: str
    bar: float
    note: str | None

    @property
    def delta_ns(self) -> int:
        """Candidate less baseline."""
        return self.candidate_ns - self.baseline_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A stretch of the table.

    Attributes:
        rows: what is shown; where the stretch repeats, the sums over its repetitions.
        start: number of its first match. times: how often it repeats, 1 for plain rows. The script makes the rows
            of the single repetitions when the stretch is unfolded.
    """

    rows: tuple[Row, ...]
    start: int
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The table, and how many matches have no row of their own (folded), or none at all (past the limit).

    Attributes:
        largest_ns: the change in time that fills a bar.
    """

    groups: tuple[Group, ...]
    largest_ns: int
    matches: int
    folded: int
    left_out: int

    @property
    def many(self) -> bool:
        """So many rows that a browser should not lay out all at once."""
        return sum(len(group.rows) for group in self.groups) > 4 * STRETCH


def event_table(diff: Diff, names: Mapping[str, int], *, most: int = MOST_ROWS) -> Table:
    """Lay out all matches in their order."""
    blocks = _joined(repeats([phrases.signature(diff, match) for match in diff.matches]))
    changes = (sum(m.delta_ns for m in _stack(diff, block, at)) for block in blocks for at in range(block.length))
    lays = _Layout(diff=diff, names=names, largest=phrases.bar_scale(diff, changes))
    groups: list[Group] = []
    room = most
    for block in blocks:
        rows = tuple(_row(lays, block.start + at, _stack(diff, block, at)) for at in range(block.length)[:room])
        size = STRETCH if block.times == 1 else max(1, len(rows))
        groups += [
            Group(rows=rows[first : first + size], start=block.start + first, times=block.times)
            for first in range(0, len(rows), size)
        ]
        room -= len(rows)
    shown = sum(len(group.rows) for group in groups)
    stood_for = sum(group.times * len(group.rows) for group in groups)
    return Table(
        groups=tuple(groups),
        largest_ns=lays.largest,
        matches=len(diff.matches),
        folded=stood_for - shown,
        left_out=len(diff.matches) - stood_for,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    diff: Diff
    names: Mapping[str, int]
    largest: int


def _joined(blocks: Sequence[Block]) -> list[Block]:
    """Join neighbouring rows that do not repeat; a pair of equal rows is no repetition worth a fold."""
    found: list[Block] = []
    for block in blocks:
        plain = block.times == 1 or (block.length == 1 and block.times == 2)
        if plain and found and found[-1].times == 1:
            found[-1] = Block(start=found[-1].start, length=found[-1].length + block.length * block.times, times=1)
        else:
            found.append(Block(start=block.start, length=block.length * block.times, times=1) if plain else block)
    return found


def _stack(diff: Diff, block: Block, at: int) -> list[Match]:
    return [diff.matches[block.start + at + block.length * turn] for turn in range(block.times)]


def _row(lays: _Layout, number: int, stack: Sequence[Match]) -> Row:
    first = stack[0]
    before = sum(match.baseline_ns for match in stack)
    after = sum(match.candidate_ns for match in stack)
    ours, our_order = _members(lays, [[lays.diff.baseline.events[i] for i in match.baseline] for match in stack])
    theirs, their_order = _members(lays, [[lays.diff.candidate.events[i] for i in match.candidate] for match in stack])
    twins = first.relation == "same" and [m.text for m in ours] == [m.text for m in theirs]
    return Row(
        match=number,
        times=len(stack),
        relation=first.relation,
        sign=phrases.SIGNS[first.relation],
        facets=first.facets,
        moved=any(match.moved for match in stack),
        title=phrases.headline(lays.diff, first),
        ours=ours,
        theirs=theirs,
        orders=(our_order, their_order),
        twins=twins,
        baseline_ns=before,
        candidate_ns=after,
        baseline=time_text(before) if first.baseline else "",
        candidate=time_text(after) if first.candidate else "",
        change=phrases.signed_time(after - before),
        bar=round(100 * (after - before) / lays.largest, 2),
        note=_note(first, len(stack)),
    )


def _note(match: Match, times: int) -> str | None:
    """Say what is unsure or worth knowing of a match, in one line."""
    if match.relation == "unproven":
        return match.reason
    saved = phrases.saved_text(match)
    parts = [
        f"{saved} each" if saved and times > 1 else saved,
        "matched by position" if match.confidence == "position" else None,
    ]
    if match.relation not in ("same", "fused", "split", "added", "removed"):
        parts += [
            f"{d.field} {d.baseline} \N{RIGHTWARDS ARROW} {d.candidate}"
            for d in match.differences
            if d.field not in ("name", "library") and d.baseline and d.candidate
        ][:3]
    return "; ".join(part for part in parts if part) or None


def _members(lays: _Layout, turns: Sequence[Sequence[GpuEvent]]) -> tuple[tuple[Member, ...], str]:
    """List the events of a match in launch order, what only helps behind the rest; and their places in that order."""
    listed = [
        Member(
            text=phrases.event_text(event),
            time=time_text(sum(events[index].gpu_ns for events in turns)),
            auxiliary=event.decoded.auxiliary or event.kind == "memset",
            name=lays.names.get(event.name),
        )
        for index, event in enumerate(turns[0])
    ]
    order = sorted(range(len(listed)), key=lambda index: listed[index].auxiliary)
    return tuple(listed[index] for index in order), " ".join(str(index) for index in order)
