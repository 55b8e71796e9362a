"""The outcome of checks in a terminal: what failed first, expectation and finding beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TextIO

from rich.cells import cell_len
from rich.text import Text

from kerneldiff.checks.model import Finding, Outcome, Result, Status
from kerneldiff.reports.text.layout import Column, heading, make_console, paragraph, print_lines, row, wrap

SIGNS: Final[dict[Status, str]] = {"failed": "FAIL", "inconclusive": "OPEN", "passed": "pass"}
_STYLES: Final[dict[Status, str]] = {"failed": "bold yellow", "inconclusive": "magenta", "passed": "dim"}
_MOST_FINDINGS: Final = 20


def show(outcome: Outcome, file: TextIO, *, everything: bool = False) -> None:
    """Print an outcome to a stream."""
    console = make_console(file)
    print_lines(console, render(outcome, console.width, everything=everything))


def plain(outcome: Outcome, width: int = 100, *, everything: bool = False) -> str:
    """Give the outcome as plain text."""
    return "\n".join(line.plain for line in render(outcome, width, everything=everything))


def render(outcome: Outcome, total: int, *, everything: bool = False) -> list[Text]:
    """Lay out an outcome in lines of at most ``total`` cells."""
    lines = paragraph(headline(outcome), total, indent=6, first=SIGNS[outcome.status], style="bold")
    for result in sorted(outcome.results, key=lambda one: ("failed", "inconclusive", "passed").index(one.status)):
        lines += _result(result, total, everything=everything)
    if outcome.notes:
        lines += [Text(), heading("Notes")]
        for note in outcome.notes:
            lines += paragraph(note, total, indent=2, first="-", style="dim")
    return lines


def headline(outcome: Outcome) -> str:
    """Say the outcome in one line."""
    counts = [
        f"{len(found)} {word}"
        for word, found in (
            ("failed", outcome.of("failed")),
            ("could not be decided", outcome.of("inconclusive")),
            ("passed", outcome.of("passed")),
        )
        if found
    ]
    return f"{outcome.subject} against {outcome.against}: {', '.join(counts) or 'nothing to check'}"


def title(result: Result) -> str:
    """Name a check."""
    return f"{result.code} {result.name}" + (f" ({result.subject})" if result.subject else "")


def _result(result: Result, total: int, *, everything: bool) -> list[Text]:
    style = _STYLES[result.status]
    if result.status == "passed":
        return paragraph(title(result), total, indent=6, first="pass", style=style)
    lines = [Text(), *paragraph(title(result), total, indent=6, first=SIGNS[result.status], style=style)]
    shown = result.findings if everything else result.findings[:_MOST_FINDINGS]
    for finding in shown:
        lines += _finding(finding, total)
    if len(shown) < len(result.findings):
        rest = len(result.findings) - len(shown)
        lines += paragraph(f"... and {rest} more findings; --all shows them", total, indent=6, style="dim")
    for reason in result.open:
        lines += paragraph(reason, total, indent=6, first="    ?", style="magenta")
    return lines


def _finding(finding: Finding, total: int) -> list[Text]:
    times = f"{finding.count} times: " if finding.count > 1 else ""
    lines = paragraph(f"{times}{finding.text}", total, indent=6, first="    -")
    if finding.expected or finding.found:
        lines += beside(finding.expected, finding.found, total)
    for fact in finding.evidence:
        lines += paragraph(fact, total, indent=8, style="dim")
    return lines


def beside(expected: Sequence[str], found: Sequence[str], total: int) -> list[Text]:
    """Lay out two lists of lines beside each other, under ``expected`` and ``found``."""
    half = (total - 9) // 2
    columns = (Column(width=7), Column(width=half), Column(width=None))
    lines = row(("", "expected", "found"), columns, total, ("", "dim", "dim"))
    sides = [[part for line in side for part in _hanging(line, half)] for side in (expected, found)]
    for index in range(max(len(side) for side in sides)):
        cells = ("", *(side[index] if index < len(side) else "" for side in sides))
        lines += [_joined(cells, half)]
    return lines


def _hanging(line: str, width: int) -> list[str]:
    """Wrap a line with its further parts indented, so that it is seen where an entry begins."""
    first, *rest = wrap(line, width)
    return [first, *(f"  {part}" for text in [" ".join(rest)] if rest for part in wrap(text, width - 2))]


def _joined(cells: Sequence[str], half: int) -> Text:
    return Text(f"{'':7} {cells[1]}{' ' * (half - cell_len(cells[1]))} {cells[2]}".rstrip())
