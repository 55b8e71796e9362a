"""The sections of a comparison in the terminal: runs, verdict, changes, times, CPU side, notes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePath

from rich.text import Text

from kerneldiff.diffs.model import Diff, Match, OperatorChange
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.profiles.model import Profile
from kerneldiff.reports.text.layout import CALL_STYLES, Column, heading, paragraph, row
from kerneldiff.reports.text.rows import match_rows, signature, signed
from kerneldiff.units import percent_text, time_text

_WORK_STYLES = {"same": "bold cyan", "changed": "bold yellow", "unproven": "bold magenta", "unknown": "bold magenta"}
_MOST_CHANGES = 12
_MOST_OPERATORS = 8
_MOST_NOTES = 8


def runs(diff: Diff, total: int) -> list[Text]:
    """Say what was compared."""
    lines = []
    for who, run in (("baseline", diff.baseline), ("candidate", diff.candidate)):
        lines += paragraph(describe(run), total, indent=11, first=who)
    return lines


def describe(run: Profile) -> str:
    """Describe a run in a few words: files, device, steps, kernels, and what is missing."""
    name = (
        PurePath(run.paths[0]).name
        if len(run.paths) == 1
        else f"{PurePath(run.paths[0]).parent} ({len(run.paths)} recordings)"
    )
    steps = "no step marks" if "steps" in run.missing else _count(run.steps, "step", "steps")
    if run.complete_steps != run.steps and "steps" not in run.missing:
        steps += f", {run.complete_steps} complete"
    if run.alike != run.complete_steps:
        steps += f", {run.alike} alike"
    on_cpu = sum(event.kind == "cpu_kernel" for event in run.events)
    others = len(run.events) - run.kernels - on_cpu
    kernels = _count(run.kernels, "kernel", "kernels")
    kernels += f" and {_count(others, 'copy or set', 'copies or sets')} a step" if others else " a step"
    kernels = f"{_count(on_cpu, 'CPU kernel', 'CPU kernels')} a step" if on_cpu else kernels
    lacks = f", lacks {', '.join(fact.replace('_', ' ') for fact in run.missing)}" if run.missing else ""
    return f"{name}: {run.device or 'device not named'}, {steps}, {kernels if run.events else 'no GPU events'}{lacks}"


def setup_name(run: Profile) -> str:
    """Name a run by its file, or by its folder where it is several recordings."""
    path = PurePath(run.paths[0])
    if len(run.paths) > 1:
        return path.parent.name
    return path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".pt.trace")


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def verdict(diff: Diff, total: int) -> list[Text]:
    """Say the verdict, and why it is open where it is."""
    answer = diff.verdict
    title = Text("GPU work: ", style="bold")
    title.append(answer.gpu_work.upper(), style=_WORK_STYLES[answer.gpu_work])
    lines = [title]
    if answer.changes:
        lines = paragraph(f"({', '.join(answer.changes)})", total, indent=18, first=title.plain)
        lines[0].stylize(_WORK_STYLES[answer.gpu_work], len("GPU work: "), len(title.plain))
    lines += paragraph(answer.summary, total)
    for more in (*answer.reasons[1:4], *answer.details):
        lines += paragraph(more, total, indent=2, first="-")
    return lines


def changes(diff: Diff, total: int) -> list[Text]:
    """List what changed, alike changes together, the largest first."""
    groups: dict[object, list[Match]] = defaultdict(list)
    for match in diff.matches:
        if match.relation != "same":
            groups[signature(diff, match)].append(match)
    if not groups or len(diff.matches) <= 15:
        return []  # a short list is read as it stands, in launch order
    ranked = sorted(groups.values(), key=lambda stack: -abs(sum(match.delta_ns for match in stack)))
    lines = [heading("What changed most, alike changes together")]
    for stack in ranked[:_MOST_CHANGES]:
        rows = match_rows(diff, stack, total)
        if len(stack) > 1:
            rows = _counted(rows, len(stack))
        lines += rows[:10]
        if len(rows) > 10:
            lines.append(Text(f"       ... {len(rows) - 10} more lines; --all shows them", style="dim"))
    if len(ranked) > _MOST_CHANGES:
        rest = ranked[_MOST_CHANGES:]
        spent = signed(sum(match.delta_ns for stack in rest for match in stack))
        lines.append(Text(f"  and {len(rest)} more kinds of change ({spent})", style="dim"))
    return lines


def _counted(rows: Sequence[Text], count: int) -> list[Text]:
    """Write "x4" into the free end of the first column, of the first row that has room there."""
    mark = f"x{count}"
    at = 15 - len(mark)
    for index, line in enumerate(rows):
        if not line.plain[at - 1 : 15].strip():
            return [*rows[:index], Text.assemble(line[:at], (mark, "bold"), line[15:]), *rows[index + 1 :]]
    return list(rows)


_TIME_COLUMNS = (
    Column(width=13),
    Column(width=9, right=True),
    Column(width=9, right=True),
    Column(width=9, right=True),
    Column(width=13),
    Column(width=None),
)


_WIDE_ENOUGH = 75


def times(diff: Diff, total: int) -> list[Text]:
    """Say the four times with their calls and intervals, and what would settle what is open."""
    lines = [heading("Times a step")]
    names = (
        ("GPU time", diff.times.gpu),
        ("GPU busy", diff.times.gpu_busy),
        ("CPU dispatch", diff.times.cpu),
        ("step time", diff.times.step),
    )
    for name, call in names:
        change = percent_text(call.ratio) if call.ratio else ""
        cells = (name, _ns(call.baseline_ns), _ns(call.candidate_ns), change, call.call, interval(call))
        shown = 6 if total >= _WIDE_ENOUGH else 5  # the interval is in --json too
        lines += row(cells[:shown], _TIME_COLUMNS[:shown], total, ("", "", "", "", CALL_STYLES[call.call], "dim"))
    for reason in _open_reasons(diff):
        lines += paragraph(reason, total, indent=2, style="dim")
    lines.append(
        Text(
            f"  sets the pace, while profiled: baseline {diff.baseline.bound}, candidate {diff.candidate.bound}",
            style="dim",
        )
    )
    return lines


def _ns(value: int | None) -> str:
    return "not known" if value is None else time_text(value)


def _open_reasons(diff: Diff) -> list[str]:
    """Say once for the GPU and once for the CPU side why a call is open."""
    found: list[str] = []
    for name, call in (("GPU time", diff.times.gpu), ("step time", diff.times.step), ("CPU dispatch", diff.times.cpu)):
        on_cpu = name != "GPU time"
        if call.call == "inconclusive" and not (on_cpu and any(line.startswith("step time") for line in found)):
            found.append(f"{name}: {call.reason}.")
    return found


def interval(call: TimeCall) -> str:
    """Write the interval of a ratio in percent, or as factors where it is wide.

    An interval of 0.99 to 1.02 reads "-1.0 to +2.0 %", one of 0.5 to 3.0 "x0.50 to x3.00".
    """
    if call.interval is None:
        return ""
    low, high = call.interval
    if high > 2 or low < 0.5:
        return f"x{low:.2f} to x{high:.2f}" if high < 100 else f"x{low:.2f} or more"
    return f"{(low - 1) * 100:+.1f} to {(high - 1) * 100:+.1f} %"


_CPU_COLUMNS = (
    Column(width=7),
    Column(width=None),
    Column(width=7, right=True),
    Column(width=10, right=True),
    Column(width=9, right=True),
)


def dispatch(diff: Diff, total: int) -> list[Text]:
    """List the CPU operators that left, came, or are called another number of times."""
    sides = (("left", diff.dispatch.removed), ("came", diff.dispatch.added), ("calls", diff.dispatch.changed))
    if not any(found for _, found in sides):
        return []
    lines = [heading("CPU operators a step (own time, without operators inside)")]
    lines += row(("", "operator", "calls", "launches", "own time"), _CPU_COLUMNS, total, ("dim",) * 5)
    for word, found in sides:
        lines += _operators(word, found, total)
    return lines


def _operators(word: str, found: Sequence[OperatorChange], total: int) -> list[Text]:
    ranked = sorted(found, key=lambda change: -abs(change.delta_ns))
    lines = []
    for change in ranked[:_MOST_OPERATORS]:
        stat = change.candidate or change.baseline
        assert stat is not None  # noqa: S101 - a change has at least one side
        both = change.baseline is not None and change.candidate is not None
        calls = f"{change.baseline.calls}>{stat.calls}" if both and change.baseline else str(stat.calls)
        spent = signed(change.delta_ns) if both else time_text(stat.own_ns)
        lines += row((word, stat.operator, calls, str(stat.launches), spent), _CPU_COLUMNS, total, ("dim",))
    rest = ranked[_MOST_OPERATORS:]
    if rest:
        spent = time_text(abs(sum(change.delta_ns for change in rest)))
        lines.append(Text(f"        and {len(rest)} more ({spent})", style="dim"))
    return lines


def notes(diff: Diff, total: int) -> list[Text]:
    """List the notes."""
    if not diff.notes:
        return []
    lines = [heading("Notes")]
    for note in diff.notes[:_MOST_NOTES]:
        lines += paragraph(note.text, total, indent=2, first="-")
    if len(diff.notes) > _MOST_NOTES:
        lines.append(Text(f"  and {len(diff.notes) - _MOST_NOTES} more; --json has them all", style="dim"))
    return lines
