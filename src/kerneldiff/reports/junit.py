"""The outcome of checks as a JUnit file, which GitLab, Jenkins and others show: one test case a check."""

from __future__ import annotations

from typing import Literal
from xml.etree import ElementTree as ET

from kerneldiff.checks.model import Finding, Outcome, Result
from kerneldiff.reports.checks_text import headline, title
from kerneldiff.reports.escape import xml_text

Inconclusive = Literal["pass", "fail"]
_LONGEST_ATTRIBUTE = 500


def render(outcome: Outcome, *, inconclusive: Inconclusive | None = None) -> str:
    """Write an outcome.

    A finding is a failure. What could not be decided is an error, as its exit status is; where it counts as passed it
    is skipped, with its reason, and where it counts as failed it is a failure.
    """
    suite = ET.Element("testsuite", {"name": "kerneldiff", "tests": str(len(outcome.results))})
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for result in outcome.results:
        case = ET.SubElement(
            suite, "testcase", {"classname": f"kerneldiff.{result.code}", "name": _attribute(title(result))}
        )
        kind = _kind(result, inconclusive)
        if kind is not None:
            counts[kind] += 1
            _answer(case, kind, result)
    plural = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    for what, number in counts.items():
        suite.set(plural[what], str(number))
    output = "\n".join([headline(outcome), *(f"note: {note}" for note in outcome.notes)])
    ET.SubElement(suite, "system-out").text = xml_text(output)
    root = ET.Element(
        "testsuites", {"name": "kerneldiff", **{key: suite.get(key, "") for key in ("tests", "failures", "errors")}}
    )
    root.append(suite)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _kind(result: Result, inconclusive: Inconclusive | None) -> Literal["failure", "error", "skipped"] | None:
    if result.status == "passed":
        return None
    if result.status == "failed" or inconclusive == "fail":
        return "failure"
    return "skipped" if inconclusive == "pass" else "error"


def _answer(case: ET.Element, kind: str, result: Result) -> None:
    first = result.findings[0].text if result.findings else result.open[0]
    attributes = {"message": _attribute(first)}
    if kind != "skipped":
        attributes["type"] = result.code
    texts = [finding_text(finding) for finding in result.findings] + list(result.open)
    ET.SubElement(case, kind, attributes).text = xml_text("\n\n".join(texts))


def finding_text(finding: Finding) -> str:
    """Write a finding as lines: expectation, finding, evidence."""
    times = f"{finding.count} times: " if finding.count > 1 else ""
    lines = [f"{times}{finding.text}"]
    for word, side in (("expected", finding.expected), ("found   ", finding.found)):
        lines += [f"{word if index == 0 else ' ' * len(word)}  {line}" for index, line in enumerate(side)]
    return "\n".join([*lines, *finding.evidence])


def _attribute(text: str) -> str:
    shown = xml_text(text.replace("\n", " "))
    return shown if len(shown) <= _LONGEST_ATTRIBUTE else f"{shown[: _LONGEST_ATTRIBUTE - 4]} ..."
