"""The table at the end: each setup, what changed, and what stayed the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from kerneldiff.diffs.model import Diff, Match
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.reports.escape import terminal
from kerneldiff.reports.text.layout import Column, heading, row
from kerneldiff.units import percent_text, time_text

_MOST_NAMED = 4


def table(diffs: Sequence[Diff], labels: Sequence[str], total: int) -> list[Text]:
    """Lay out the table.

    Args:
        diffs: each against the same baseline.
        labels: of the baseline, then one a diff.
        total: cells.
    """
    if not diffs:
        return []
    width = min(28, max(len(label) for label in labels))
    rest = total - width - 2
    columns = (Column(width=width), Column(width=rest // 2), Column(width=rest - rest // 2))
    lines = [heading(f"Against {terminal(labels[0])}")]
    lines += row(("setup", "what changed", "what stayed the same"), columns, total, ("dim",) * 3)
    for diff, label in zip(diffs, labels[1:], strict=True):
        lines += row((label, "; ".join(changed(diff)), "; ".join(stayed(diff))), columns, total)
    return lines


def changed(diff: Diff) -> list[str]:
    """List in a few words what changed, the GPU's work first."""
    found = []
    groups: Counter[str] = Counter(_said(match) for match in diff.matches if match.relation not in ("same", "unproven"))
    found += [f"{text} ({count} times)" if count > 1 else text for text, count in groups.most_common(_MOST_NAMED)]
    if len(groups) > _MOST_NAMED:
        found.append(f"{len(groups) - _MOST_NAMED} more kinds of change")
    if "captured" in diff.verdict.changes:
        found.append("launched by replaying a CUDA graph")
    if diff.dispatch.removed:
        found.append(f"{_named([one.operator for one in diff.dispatch.removed])} left the CPU side")
    if diff.dispatch.added:
        found.append(f"{len(diff.dispatch.added)} CPU operators came")
    found += [text for name, call in _times(diff) if (text := _moved(name, call))]
    return found or ["nothing"]


def _said(match: Match) -> str:
    what = match.fused_operators or match.operators
    return f"{match.relation}: {_named(what)}" if what else match.relation


def _named(operators: Sequence[str]) -> str:
    bare = list(dict.fromkeys(name.rpartition("::")[2] for name in operators))
    return ", ".join(bare[:_MOST_NAMED]) + (" ..." if len(bare) > _MOST_NAMED else "")


def stayed(diff: Diff) -> list[str]:
    """List in a few words what stayed the same."""
    found = []
    for relation, words in (("same", "proved equal"), ("unproven", "without a seen difference")):
        matches = [match for match in diff.matches if match.relation == relation]
        if matches:
            kernels = (
                f"{len(matches)} of {len(diff.matches)} GPU events"
                if not _on_cpu(diff)
                else f"{len(matches)} of {len(diff.matches)} CPU kernels"
            )
            operators = [name for match in matches for name in match.operators[-1:]]
            named = f" ({_named(operators)})" if operators else ""
            found.append(f"{kernels} {words}{named}")
    found += [
        f"{name} ({time_text(call.candidate_ns or 0)})" for name, call in _times(diff) if call.call == "equivalent"
    ]
    return found or ["nothing"]


def _on_cpu(diff: Diff) -> bool:
    return any(event.kind == "cpu_kernel" for event in diff.candidate.events)


def _times(diff: Diff) -> list[tuple[str, TimeCall]]:
    return [("GPU time", diff.times.gpu), ("CPU time", diff.times.cpu), ("step time", diff.times.step)]


def _moved(name: str, call: TimeCall) -> str | None:
    if call.call not in ("faster", "slower") or call.ratio is None:
        return None
    span = f"{time_text(call.baseline_ns or 0)} to {time_text(call.candidate_ns or 0)}"
    return f"{name} {span} ({percent_text(call.ratio)})"
