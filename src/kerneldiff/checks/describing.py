"""GPU events and matches in words, for findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from kerneldiff.checks.model import Finding
from kerneldiff.diffs.model import Diff, Match
from kerneldiff.diffs.operators import bare
from kerneldiff.profiles.model import GpuEvent

_MANY = 12


def event_text(event: GpuEvent) -> str:
    """Give the decoded label of an event and the operator that launched it."""
    text = event.decoded.label or event.name
    operator = event.operator
    return text if operator is None or operator.startswith("triton_") else f"{text} · {operator.removeprefix('aten::')}"


def events_text(events: Sequence[GpuEvent]) -> tuple[str, ...]:
    """Give one line an event, equal neighbours in one; a long list is counted at its end."""
    runs = [(text, len(list(run))) for text, run in groupby(event_text(event) for event in events)]
    lines = [f"{count} x {text}" if count > 1 else text for text, count in runs[:_MANY]]
    rest = sum(count for _, count in runs[_MANY:])
    return (*lines, f"... and {rest} more") if rest else tuple(lines)


def counted_text(counts: Counter[str]) -> tuple[str, ...]:
    """Give one line a text with its number, the most frequent first; a long list is counted at its end."""
    listed = counts.most_common()
    lines = [f"{count} x {text}" if count > 1 else text for text, count in listed[:_MANY]]
    rest = sum(count for _, count in listed[_MANY:])
    return (*lines, f"... and {rest} more") if rest else tuple(lines)


def sides(diff: Diff, match: Match) -> tuple[list[GpuEvent], list[GpuEvent]]:
    """Give the events of both sides of a match."""
    return [diff.baseline.events[i] for i in match.baseline], [diff.candidate.events[i] for i in match.candidate]


def match_finding(diff: Diff, match: Match, text: str | None = None) -> Finding:
    """Describe a match as a finding."""
    ours, theirs = sides(diff, match)
    differences = tuple(
        f"{one.field}: {one.baseline or _absent(one.field)} -> {one.candidate or _absent(one.field)}"
        for one in match.differences
    )
    facets = (f"facets: {', '.join(match.facets)}",) if match.facets else ()
    unsure = ("matched by position only",) if match.confidence == "position" else ()
    return Finding(
        text=text or match_text(match, ours, theirs),
        expected=events_text(ours) or ("nothing",),
        found=events_text(theirs) or ("nothing",),
        evidence=(*differences, *facets, *unsure),
    )


def _absent(field: str) -> str:
    return "none" if field == "auxiliary" else "not said"


def match_text(match: Match, ours: Sequence[GpuEvent], theirs: Sequence[GpuEvent]) -> str:
    """Say in one sentence what became of the work of a match."""
    operators = (*match.fused_operators, *match.operators)
    names = list(dict.fromkeys(bare(name) for name in operators if not name.startswith("triton_")))
    counts = f"{_count(ours)} became {_count(theirs)}"
    of = f" ({', '.join(names[:4])}{' ...' if len(names) > 4 else ''})" if names else ""
    return {
        "same": f"the same work{of}",
        "unproven": f"not proved to be the same{of}",
        "resized": f"the same code on another amount of data{of}",
        "recompiled": f"compiled to other code{of}",
        "reselected": f"another kernel of the library was chosen{of}",
        "reimplemented": f"another implementation does the work{of}",
        "fused": f"{counts}{of}",
        "split": f"{counts}{of}",
        "added": f"new GPU work{of}",
        "removed": f"GPU work is gone{of}",
    }[match.relation]


def _count(events: Sequence[GpuEvent]) -> str:
    """Count the main events: kernels without their helpers, or whatever there is."""
    kernels = [event for event in events if event.kind == "kernel" and not event.decoded.auxiliary]
    what = "kernel" if kernels else "GPU event"
    number = len(kernels or events)
    return f"{number} {what}{'' if number == 1 else 's'}"
