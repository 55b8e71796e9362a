"""Markdown for a pull request, an issue or a job summary: the answer first, ten rows, the rest folded, within limits.

GitHub takes 65,536 characters for a comment and 1 MiB for a job summary; the smaller one counts here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from kerneldiff import __version__
from kerneldiff.diffs.model import Diff, Match
from kerneldiff.profiles.model import Profile
from kerneldiff.reports import phrases
from kerneldiff.reports.escape import markdown_cell, markdown_code
from kerneldiff.reports.text.setups import changed, stayed
from kerneldiff.units import time_text

# Bytes, not characters, so that no way of counting finds too many; what is left over is for the last lines.
BUDGET = 60_000
TOP_ROWS = 10
_LONGEST_SUMMARY = 2_000
_MOST_POINTS = 8
# What the lines that close a part may take.
_RESERVE = 600
_WORK = {"same": "is the same", "changed": "changed", "unproven": "is not proved equal", "unknown": "is not known"}
_CALLS = {"faster": "▼ faster", "slower": "▲ slower", "equivalent": "≈ equivalent", "inconclusive": "? inconclusive"}


def render(diffs: Sequence[Diff]) -> str:
    """Write one comparison, or several against one baseline."""
    page = _Page(budget=BUDGET)
    if len(diffs) > 1:
        page.table(("run", "what changed", "what stayed the same"), [_overview(diff) for diff in diffs])
    for number, diff in enumerate(diffs):
        page.limit = BUDGET * (number + 1) // len(diffs)
        _answer(page, diff)
        _details(page, diff)
    page.add(f"<sub>kerneldiff {__version__}</sub>")
    return page.text()


@dataclass(slots=True)
class _Page:
    """Lines of Markdown within a budget of bytes; ``limit`` is how far the part that is being written may go."""

    budget: int
    limit: int = 0
    used: int = 0
    lines: list[str] = field(default_factory=list)

    def add(self, *lines: str) -> None:
        for line in lines:
            self.lines.append(line)
            self.used += len(line.encode("utf-8")) + 1

    def room(self, text: str) -> bool:
        return self.used + len(text.encode("utf-8")) + _RESERVE <= (self.limit or self.budget)

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Add a table; rows that find no room are counted. Cells are escaped by who makes them."""
        if self.lines and self.lines[-1]:
            self.add("")
        self.add(
            f"| {' | '.join(head)} |",
            "|" + "|".join(" --- " if i < 2 or "stayed" in name else " ---: " for i, name in enumerate(head)) + "|",
        )
        left_out = 0
        for row in rows:
            line = f"| {' | '.join(row)} |"
            if left_out or not self.room(line):
                left_out += 1
            else:
                self.add(line)
        self.add("")
        if left_out:
            self.add(f"and {left_out} more rows; `kerneldiff compare --json` has them all", "")

    def folded(self, title: str, write: Callable[[], None]) -> None:
        """Add a part that opens on a click, unless there is no room for it."""
        if not self.room(title):
            return
        self.add("<details>", f"<summary>{title}</summary>", "")
        write()
        self.add("</details>", "")

    def folded_lines(self, title: str, lines: Sequence[str]) -> None:
        """Add a part of some lines that opens on a click, unless there is no room for all of them."""
        if self.room("\n".join((title, *lines))):
            self.folded(title, lambda: self.add(*lines, ""))

    def text(self) -> str:
        return "\n".join(self.lines).strip() + "\n"


def _overview(diff: Diff) -> list[str]:
    return [
        markdown_code(phrases.clipped(phrases.run_name(diff.candidate))),
        markdown_cell(phrases.clipped("; ".join(changed(diff)), 400)),
        markdown_cell(phrases.clipped("; ".join(stayed(diff)), 400)),
    ]


def _answer(page: _Page, diff: Diff) -> None:
    changes = f" ({', '.join(diff.verdict.changes)})" if diff.verdict.changes else ""
    page.add(f"### GPU work {_WORK[diff.verdict.gpu_work]}{changes}", "")
    page.add(markdown_cell(phrases.clipped(diff.verdict.summary, _LONGEST_SUMMARY)), "")
    points = [f"- {markdown_cell(phrases.clipped(point, 400))}" for point in phrases.points(diff)[:_MOST_POINTS]]
    page.add(*points, *([""] if points else []))
    names = [markdown_code(phrases.clipped(phrases.run_name(run))) for run in (diff.baseline, diff.candidate)]
    page.add(
        f"{names[0]} → {names[1]}, kernels a step: **{phrases.kernels_text(diff.baseline)} → {phrases.kernels_text(diff.candidate)}**"
    )
    page.table(("a step", "call", "baseline", "candidate", "change", "95 % interval"), _times(diff))
    if not diff.comparable.ok:
        told = "; ".join(f"{one.field}: {one.baseline} and {one.candidate}" for one in diff.comparable.differences)
        page.add(f"**The recordings differ in more than the program:** {markdown_cell(phrases.clipped(told, 600))}", "")
    ranked = phrases.alike(diff)
    if ranked:
        page.table(_HEAD, [_change(diff, stack) for stack in ranked[:TOP_ROWS]])
    elif diff.matches:
        page.add("Every GPU event of the candidate has its equal in the baseline.", "")


def _times(diff: Diff) -> list[list[str]]:
    calls = (
        ("GPU time", diff.times.gpu),
        ("GPU busy", diff.times.gpu_busy),
        ("CPU dispatch", diff.times.cpu),
        ("step time", diff.times.step),
    )
    return [
        [
            name,
            _CALLS[call.call],
            _ns(call.baseline_ns),
            _ns(call.candidate_ns),
            phrases.change_text(call.ratio) if call.ratio else "",
            phrases.interval_text(call),
        ]
        for name, call in calls
    ]


_HEAD = ("relation", "what", "events", "baseline", "candidate", "change")


def _change(diff: Diff, stack: Sequence[Match]) -> list[str]:
    first = stack[0]
    before, after = (sum(getattr(match, side) for match in stack) for side in ("baseline_ns", "candidate_ns"))
    notes = [*first.facets, phrases.saved_text(first)]
    told = "".join(f", {note}" for note in notes if note)
    return [
        f"{markdown_cell(phrases.SIGNS[first.relation])} {first.relation}"
        + (f" \N{MULTIPLICATION SIGN}{len(stack)}" if len(stack) > 1 else ""),
        markdown_code(phrases.clipped(phrases.headline(diff, first))) + markdown_cell(told),
        f"{len(first.baseline)} → {len(first.candidate)}",
        time_text(before) if first.baseline else "",
        time_text(after) if first.candidate else "",
        phrases.signed_time(after - before),
    ]


def _details(page: _Page, diff: Diff) -> None:
    rest = phrases.alike(diff)[TOP_ROWS:]
    if rest:
        page.folded(
            f"{len(rest)} more kinds of change", lambda: page.table(_HEAD, (_change(diff, stack) for stack in rest))
        )
    dispatch = diff.dispatch
    if dispatch.removed or dispatch.added or dispatch.changed:
        count = len(dispatch.removed) + len(dispatch.added) + len(dispatch.changed)
        page.folded(
            f"{count} CPU operators left, came, or are called another number of times",
            lambda: page.table(("", "operator", "calls", "GPU events", "own time"), _operators(diff)),
        )
    page.folded_lines("What the calls rest on", _reasons(diff))
    if diff.notes:
        page.folded(f"{len(diff.notes)} note{'s' if len(diff.notes) > 1 else ''}", lambda: _notes(page, diff))
    page.folded_lines("The runs", [_run(who, run) for who, run in _sides(diff)])


def _operators(diff: Diff) -> list[list[str]]:
    groups = (("left", diff.dispatch.removed), ("came", diff.dispatch.added), ("calls differ", diff.dispatch.changed))
    found = sorted(
        ((word, change) for word, changes in groups for change in changes), key=lambda one: -abs(one[1].delta_ns)
    )
    rows = []
    for word, change in found:
        sides = [side for side in (change.baseline, change.candidate) if side]
        calls = " → ".join(dict.fromkeys(str(side.calls) for side in sides))
        launches = " → ".join(dict.fromkeys(str(side.launches) for side in sides))
        rows.append(
            [
                word,
                markdown_code(phrases.clipped(change.operator)),
                calls,
                launches,
                phrases.signed_time(change.delta_ns),
            ]
        )
    return rows


def _reasons(diff: Diff) -> list[str]:
    calls = (
        ("GPU time", diff.times.gpu),
        ("GPU busy", diff.times.gpu_busy),
        ("CPU dispatch", diff.times.cpu),
        ("step time", diff.times.step),
    )
    told = [f"- {name}: {markdown_cell(phrases.clipped(call.reason, 400))}" for name, call in calls]
    return told + [f"- {markdown_cell(phrases.clipped(reason, 400))}" for reason in diff.verdict.reasons[4:10]]


def _notes(page: _Page, diff: Diff) -> None:
    left_out = 0
    for note in diff.notes:
        line = f"- {markdown_cell(phrases.clipped(note.text, 600))}"
        if left_out or not page.room(line):
            left_out += 1
        else:
            page.add(line)
    page.add(*([f"- and {left_out} more"] if left_out else []), "")


def _sides(diff: Diff) -> tuple[tuple[str, Profile], tuple[str, Profile]]:
    return ("baseline", diff.baseline), ("candidate", diff.candidate)


def _run(who: str, run: Profile) -> str:
    facts = "; ".join(phrases.run_facts(run))
    others = len(run.events) - run.kernels
    pace = "" if run.bound == "unknown" else f"; the {run.bound.upper()} sets the pace while profiled"
    return (
        f"- {who}: {markdown_code(phrases.clipped(phrases.run_name(run)))}: {markdown_cell(phrases.clipped(facts, 400))}; "
        f"{run.kernels} kernels, {others} copies and sets a step{pace}"
    )


def _ns(value: int | None) -> str:
    return "not known" if value is None else time_text(value)
