"""The JUnit file: sound XML whatever a name holds, and counts that a server can trust."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kerneldiff.checks.model import Finding, Outcome, Result
from kerneldiff.reports import junit

FAILED = Result(
    code="KD104",
    name="lost-fusion",
    findings=(
        Finding(
            text="1 kernel became 2 kernels",
            expected=("one",),
            found=("two", "three"),
            evidence=("kernels: 1 -> 2",),
            count=3,
        ),
    ),
)
OPEN = Result(code="KD114", name="unproven-code", open=("no code hash",))
PASSED = Result(code="expect", name="kernels", subject="region fwd")
OUTCOME = Outcome(subject="new.json", against="old.json", results=(FAILED, OPEN, PASSED), notes=("a note",))


def suite(text: str) -> ET.Element:
    found = ET.fromstring(text).find("testsuite")  # noqa: S314 - our own text
    assert found is not None
    return found


def test_each_check_is_a_test_case_with_its_answer() -> None:
    found = suite(junit.render(OUTCOME))

    assert [(case.get("classname"), case.get("name")) for case in found.iter("testcase")] == [
        ("kerneldiff.KD104", "KD104 lost-fusion"),
        ("kerneldiff.KD114", "KD114 unproven-code"),
        ("kerneldiff.expect", "expect kernels (region fwd)"),
    ]
    failure = found.find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "1 kernel became 2 kernels"
    assert (
        failure.text
        == "3 times: 1 kernel became 2 kernels\nexpected  one\nfound     two\n          three\nkernels: 1 -> 2"
    )


@pytest.mark.parametrize(
    ("inconclusive", "counts"), [(None, ("1", "1", "0")), ("fail", ("2", "0", "0")), ("pass", ("1", "0", "1"))]
)
def test_what_could_not_be_decided_counts_as_it_was_asked_for(
    inconclusive: junit.Inconclusive | None, counts: tuple[str, str, str]
) -> None:
    found = suite(junit.render(OUTCOME, inconclusive=inconclusive))

    assert found.get("tests") == "3"
    assert (found.get("failures"), found.get("errors"), found.get("skipped")) == counts


@given(text=st.text(min_size=1))
@settings(max_examples=150, deadline=None)
def test_any_name_gives_sound_xml(text: str) -> None:
    finding = Finding(text=text, expected=(text,), found=(text,), evidence=(text,))
    results = (
        Result(code="KD104", name="lost-fusion", subject=text, findings=(finding,)),
        Result(code="x", name="y", open=(text,)),
    )

    found = suite(junit.render(Outcome(subject=text, against=text, results=results, notes=(text,))))

    assert len(list(found.iter("testcase"))) == 2
