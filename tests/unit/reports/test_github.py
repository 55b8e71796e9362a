"""What GitHub gets: a summary within its size, few annotations, and no name that is a command or Markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import HOSTILE

from kerneldiff.checks.model import Finding, Outcome, Result
from kerneldiff.reports import github


def failed(number: int, text: str = "found") -> Result:
    return Result(code=f"KD{number}", name="rule", findings=(Finding(text=text, expected=(text,), found=(text,)),))


def outcome(*results: Result, notes: tuple[str, ...] = ()) -> Outcome:
    return Outcome(subject="new.json", against="old.json", results=results, notes=notes)


OPEN = Result(code="KD114", name="unproven-code", open=("no code hash",))
COMMAND = re.compile(r"::(error|warning)( title=[^\s,:][^,:]*)?::[^\r\n]*")


def test_failures_are_errors_and_open_questions_are_warnings() -> None:
    assert github.commands(outcome(OPEN, failed(104))).splitlines() == [
        "::error title=KD104 rule::found%0Aexpected  found%0Afound     found",
        "::warning title=KD114 unproven-code::no code hash",
    ]


def test_at_most_five_annotations_are_written_and_the_rest_is_counted() -> None:
    lines = github.commands(outcome(*(failed(100 + i) for i in range(9)))).splitlines()

    assert len(lines) == 5
    assert lines[-1] == "::error title=kerneldiff::5 more checks failed or could not be decided: see the job summary"


@given(text=st.text(min_size=1) | st.sampled_from(sorted(HOSTILE.values())))
@settings(max_examples=150, deadline=None)
def test_no_name_ends_a_command_or_begins_one(text: str) -> None:
    result = Result(code="KD104", name="rule", subject=text, findings=(Finding(text=text, expected=(text,)),))

    lines = github.commands(outcome(result)).split("\n")

    assert len(lines) == 2
    assert COMMAND.fullmatch(lines[0])
    assert "%" not in re.sub(r"%(25|0A|3A|2C)", "", lines[0])


def test_the_log_is_shielded_by_a_word_that_it_does_not_hold() -> None:
    shielded = github.shielded("one\n::error::owned")

    first, *inside, last, end = shielded.split("\n")
    token = first.removeprefix("::stop-commands::")
    assert (last, end) == (f"::{token}::", "")
    assert inside == ["one", "::error::owned"]
    assert token not in "\n".join(inside)


def test_the_summary_says_the_answer_first_and_shows_ten_findings() -> None:
    text = github.summary(outcome(*(failed(100 + i) for i in range(12)), OPEN, notes=("a note",)))

    assert text.startswith("### kerneldiff: failed\n")
    assert sum(line.startswith("| KD1") for line in text.split("\n")) == 10
    assert "**KD114 unproven-code** could not be decided: no code hash" in text
    assert text.rstrip().endswith("</details>")


@pytest.mark.parametrize("budget", [github.SUMMARY_BYTES, 20_000])
def test_the_summary_stays_within_its_size_and_says_what_it_leaves_out(budget: int) -> None:
    many = outcome(*(failed(104, "\N{GREEK SMALL LETTER OMEGA}" * 4_000) for _ in range(3_000)))

    text = github.summary(many, budget=budget)

    assert len(text.encode("utf-8")) <= budget
    assert re.search(r"\d+ more parts found no room in the summary", text)
    assert text.count("<details>") == text.count("</details>")


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_name_is_text_in_the_summary(name: str) -> None:
    text = github.summary(outcome(failed(104, HOSTILE[name]), notes=(HOSTILE[name],)))

    assert "<script>" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "@user" not in text
    row = next(line for line in text.split("\n") if line.startswith("| KD104"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 5


@pytest.mark.parametrize(("text", "shown"), [("553.9 us", "553.9 us"), ("3. x", "3&#8203;. x"), ("-1", "\\-1")])
def test_a_number_at_the_start_of_a_cell_is_text_and_no_list(text: str, shown: str) -> None:
    assert f"| {shown} |" in github.summary(outcome(failed(104, text)))
