"""The outcome of checks for GitHub Actions: a job summary within its size, annotations within their number.

Limits: a summary above 1 MiB is dropped whole
(https://docs.github.com/actions/reference/workflow-commands-for-github-actions), and of many annotations only the
first ones of a step are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2s
from typing import Final

from kerneldiff.checks.model import Finding, Outcome, Result, Status
from kerneldiff.reports.checks_text import headline, title
from kerneldiff.reports.escape import github_data, github_property, markdown_cell
from kerneldiff.reports.junit import finding_text

MOST_ANNOTATIONS: Final = 5
SUMMARY_BYTES: Final = 1024 * 1024
# For the lines that say what was left out.
_RESERVE: Final = 2_000
_TOP: Final = 10
_LONGEST_CELL: Final = 300
_LONGEST_MESSAGE: Final = 1_500
_WORDS: Final[dict[Status, str]] = {"failed": "failed", "inconclusive": "could not be decided", "passed": "passed"}


def commands(outcome: Outcome) -> str:
    """Write workflow commands: at most five, failures first."""
    lines = []
    results = (*outcome.of("failed"), *outcome.of("inconclusive"))
    shown = results if len(results) <= MOST_ANNOTATIONS else results[: MOST_ANNOTATIONS - 1]
    for result in shown:
        level = "error" if result.status == "failed" else "warning"
        texts = [finding_text(finding) for finding in result.findings] or list(result.open)
        more = f"\n... and {len(texts) - 1} more" if len(texts) > 1 else ""
        message = _cut(texts[0], _LONGEST_MESSAGE) + more
        lines.append(f"::{level} title={github_property(_cut(title(result), _LONGEST_CELL))}::{github_data(message)}")
    if len(shown) < len(results):
        rest = f"{len(results) - len(shown)} more checks failed or could not be decided: see the job summary"
        lines.append(f"::error title=kerneldiff::{github_data(rest)}" if outcome.of("failed") else f"::warning::{rest}")
    return "".join(f"{line}\n" for line in lines)


def shielded(text: str) -> str:
    """Wrap text for the log so that no name in it is taken for a workflow command.

    The word that ends the shield depends on the whole text, so that the text cannot hold it.
    """
    token = blake2s(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"::stop-commands::{token}\n{text}\n::{token}::\n"


def summary(outcome: Outcome, *, budget: int = SUMMARY_BYTES) -> str:
    """Write the job summary as Markdown of at most ``budget`` bytes; what finds no room is counted."""
    page = _Page(budget - _RESERVE)
    page.add(
        f"### kerneldiff: {_WORDS[outcome.status]}\n\n{markdown_cell(_cut(headline(outcome), _LONGEST_MESSAGE))}\n\n"
    )
    rows = [(result, finding) for result in outcome.results for finding in result.findings]
    if rows:
        page.add("| check | finding | expected | found |\n| --- | --- | --- | --- |\n")
        for result, finding in rows[:_TOP]:
            page.add(_row(result, finding))
        page.add("\n")
    for result in outcome.of("inconclusive"):
        for reason in result.open:
            page.add(f"- **{markdown_cell(title(result))}** could not be decided: {markdown_cell(_cut(reason, 600))}\n")
    page.must("\n<details><summary>All checks, with evidence</summary>\n\n")
    for part in _details(outcome):
        page.add(part)
    page.must("\n</details>\n")
    if page.left_out:
        page.must(f"\n{page.left_out} more parts found no room in the summary; the log has them all.\n")
    return page.text()


def _row(result: Result, finding: Finding) -> str:
    times = f"{finding.count} times: " if finding.count > 1 else ""
    cells = (title(result), f"{times}{finding.text}", _lines(finding.expected), _lines(finding.found))
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |\n"


def _lines(lines: tuple[str, ...]) -> str:
    return "\n".join(lines[:6]) + (f"\n... {len(lines) - 6} more" if len(lines) > 6 else "")


def _cell(text: str) -> str:
    return "<br>".join(markdown_cell(_cut(line, _LONGEST_CELL)) for line in text.split("\n"))


def _details(outcome: Outcome) -> Iterator[str]:
    for result in outcome.results:
        yield f"\n**{markdown_cell(title(result))}**: {_WORDS[result.status]}\n"
        for finding in result.findings:
            yield f"\n{_indented(finding_text(finding))}\n"
    for note in outcome.notes:
        yield f"\n- {markdown_cell(_cut(note, 1_000))}\n"


def _indented(text: str) -> str:
    """Show lines as a list: a block of code could be ended by a name."""
    return "\n".join(f"- {markdown_cell(_cut(line, _LONGEST_CELL))}" for line in text.split("\n"))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 4]} ..."


class _Page:
    """Parts within a budget of bytes."""

    def __init__(self, budget: int) -> None:
        self.room = budget
        self.parts: list[str] = []
        self.left_out = 0

    def add(self, part: str) -> None:
        size = len(part.encode("utf-8", "replace"))
        if self.left_out or size > self.room:
            self.left_out += 1
            return
        self.room -= size
        self.parts.append(part)

    def must(self, part: str) -> None:
        """Add a part that holds the page together; the reserve is for it."""
        self.parts.append(part)

    def text(self) -> str:
        return "".join(self.parts)
