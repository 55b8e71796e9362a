"""The GPU events of two runs side by side, in launch order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import groupby

from rich.text import Text

from kerneldiff.diffs.model import Diff, Match, Relation
from kerneldiff.diffs.operators import bare
from kerneldiff.profiles.model import GpuEvent
from kerneldiff.reports.text.folding import Block, repeats
from kerneldiff.reports.text.layout import RELATION_SIGNS, RELATION_STYLES, Column, row
from kerneldiff.units import time_text

COLUMNS = (
    Column(width=15),
    Column(width=None),
    Column(width=9, right=True),
    Column(width=9, right=True),
    Column(width=9, right=True),
)
_FOLD_SAME = 4


def side_by_side(diff: Diff, total: int, *, everything: bool) -> list[Text]:
    """Lay out all matches; runs of ``same`` and repeated patterns fold unless everything is asked for."""
    lines = row(("", "kernel, operator", "baseline", "candidate", "change"), COLUMNS, total, ("dim",) * 5)
    matches = diff.matches
    blocks = [Block(start=i, length=1, times=1) for i in range(len(matches))]
    if not everything:
        blocks = repeats([signature(diff, match) for match in matches])
    for run in _joined(blocks):
        stacks = [
            [matches[run.start + at + run.length * turn] for turn in range(run.times)] for at in range(run.length)
        ]
        if run.times > 1 and (run.length > 1 or run.times > 2):
            what = "row" if run.length == 1 else f"{run.length} rows"
            lines.append(Text(f"  {run.times} times the next {what} (times added up):", style="dim italic"))
        lines += _stacks(diff, stacks, total, everything=everything)
    return lines


def _joined(blocks: Sequence[Block]) -> list[Block]:
    """Join neighbouring single rows, so that runs of ``same`` can fold across them."""
    found: list[Block] = []
    for block in blocks:
        if found and block.times == 1 and found[-1].times == 1:
            found[-1] = Block(start=found[-1].start, length=found[-1].length + block.length, times=1)
        else:
            found.append(block)
    return found


def signature(diff: Diff, match: Match) -> Hashable:
    """Give what makes two matches look alike: relation, and labels and operators of both sides."""
    return (
        match.relation,
        match.facets,
        _looks(diff.baseline.events, match.baseline),
        _looks(diff.candidate.events, match.candidate),
    )


def _looks(events: Sequence[GpuEvent], members: Sequence[int]) -> tuple[tuple[str, str | None], ...]:
    return tuple((events[i].decoded.label, events[i].operator) for i in members)


def _stacks(diff: Diff, stacks: Sequence[Sequence[Match]], total: int, *, everything: bool) -> list[Text]:
    """Lay out rows, each the sum of matches that look alike."""
    lines: list[Text] = []
    for relation, run in groupby(stacks, key=lambda stack: stack[0].relation):
        group = list(run)
        if relation == "same" and len(group) >= _FOLD_SAME and not everything:
            count = sum(len(stack) for stack in group)
            lines += _sum_row(
                f"{count} equal GPU events or groups", "same", [m for stack in group for m in stack], total
            )
        else:
            for stack in group:
                lines += match_rows(diff, stack, total)
    return lines


def match_rows(diff: Diff, stack: Sequence[Match], total: int) -> list[Text]:
    """Lay out one match, or several that look alike with their times added up."""
    first = stack[0]
    ours = [diff.baseline.events[i] for i in first.baseline]
    theirs = [diff.candidate.events[i] for i in first.candidate]
    if first.relation in ("same", "unproven"):
        return _sum_row(_name(theirs), first.relation, stack, total)
    if first.relation in ("added", "removed"):
        return _sum_row(_name(ours or theirs), first.relation, stack, total)
    head = _headline(first)
    lines = _sum_row(head, first.relation, stack, total)
    lines += _members("-", ours, [[diff.baseline.events[i] for i in m.baseline] for m in stack], total, side=0)
    lines += _members("+", theirs, [[diff.candidate.events[i] for i in m.candidate] for m in stack], total, side=1)
    return lines


def _headline(match: Match) -> str:
    if match.relation in ("fused", "split"):
        names = " + ".join(dict.fromkeys(bare(name) for name in match.fused_operators)) or "by position"
    else:
        shown = [d for d in match.differences if d.field not in ("name", "library") and d.baseline and d.candidate]
        names = ", ".join(f"{d.field} {d.baseline} -> {d.candidate}" for d in shown[:3]) or ", ".join(
            bare(name) for name in match.operators[-1:]
        )
    facets = f" [{', '.join(match.facets)}]" if match.facets else ""
    unsure = " (by position)" if match.confidence == "position" else ""
    return f"{names}{facets}{unsure}"


def _name(events: Sequence[GpuEvent]) -> str:
    """Name the main event of a row by its decoded label and its operator, with the helpers counted."""
    mains = [event for event in events if not (event.decoded.auxiliary or event.kind == "memset")] or list(events)
    text = label(mains[0])
    rest = len(events) - 1
    return f"{text} (+{rest} helper{'s' if rest > 1 else ''})" if rest else text


def label(event: GpuEvent) -> str:
    """Give the decoded label of an event and the operator that launched it."""
    text = event.decoded.label or event.name
    operator = event.operator
    if operator and not operator.startswith("triton_"):
        return f"{text} · {operator.removeprefix('aten::')}"
    return text


def _sum_row(text: str, relation: Relation, stack: Sequence[Match], total: int) -> list[Text]:
    before = sum(match.baseline_ns for match in stack) if any(match.baseline for match in stack) else None
    after = sum(match.candidate_ns for match in stack) if any(match.candidate for match in stack) else None
    change = (after or 0) - (before or 0)
    style = RELATION_STYLES[relation]
    cells = (
        f"{RELATION_SIGNS[relation]} {relation}",
        text,
        "" if before is None else time_text(before),
        "" if after is None else time_text(after),
        signed(change),
    )
    return row(cells, COLUMNS, total, (style, "dim" if relation == "same" else "", "", "", style))


def _members(
    sign: str, shown: Sequence[GpuEvent], stack: Sequence[Sequence[GpuEvent]], total: int, *, side: int
) -> list[Text]:
    lines = []
    for index, event in enumerate(shown):
        spent = time_text(sum(events[index].gpu_ns for events in stack))
        cells = (f"     {sign}", label(event), spent if side == 0 else "", spent if side == 1 else "", "")
        lines += row(cells, COLUMNS, total, ("dim", "dim", "dim", "dim", ""))
    return lines


def signed(ns: int) -> str:
    """Write a change in time with its sign."""
    return f"{'+' if ns > 0 else ''}{time_text(ns)}" if ns else "0"
