"""Markdown for GitHub: the answer first, within its limits, and nothing in it acts."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt
from samples import SAMPLES, fusion, hostile, identical, irregular

from builders import GEMM, compare, kernel
from kerneldiff.reports import markdown

READER = MarkdownIt("commonmark", {"html": True}).enable("table")


@pytest.mark.parametrize("name", SAMPLES)
def test_it_fits_a_comment(name):
    assert len(markdown.render([SAMPLES[name]()]).encode()) < 65_536


@pytest.mark.parametrize("name", SAMPLES)
def test_headings_begin_at_the_third_level(name):
    levels = [line.split(" ")[0] for line in markdown.render([SAMPLES[name]()]).splitlines() if line.startswith("#")]

    assert levels
    assert set(levels) <= {"###", "####"}


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_folded_is_closed_again(name):
    text = markdown.render([SAMPLES[name]()])

    assert text.count("<details>") == text.count("</details>") == text.count("</summary>")


def test_many_long_names_are_cut_to_the_budget_and_counted():
    ours = [kernel(f"kernel_{i}_" + "y" * 300, 5.0 + i, operators=(f"op_{i}_" + "z" * 300,)) for i in range(320)]

    text = markdown.render([compare([GEMM, *ours], [GEMM], steps=1)])

    assert len(text.encode()) <= markdown.BUDGET
    assert re.search(r"and \d+ more rows", text)
    assert text.rstrip().endswith("</sub>")


def test_two_long_names_that_begin_alike_do_not_look_equal():
    ours = [kernel("k" * 3000 + end, 5.0, operators=("o" * 300 + end,)) for end in "ab"]

    rows = [
        line
        for line in markdown.render([compare([GEMM, *ours], [GEMM])]).splitlines()
        if "removed" in line and line.startswith("|")
    ]

    assert len(rows) == len(set(rows)) == 2


def test_ten_rows_stand_before_the_fold():
    answer = markdown.render([irregular()]).split("<details>")[0]
    rows = [line for line in answer.splitlines() if re.match(r"\| (\\[+-~]|&[lg]t;|\N{MINUS SIGN}|\?) ?", line)]

    assert len(rows) == markdown.TOP_ROWS


def test_identical_runs_need_no_table_of_changes():
    assert "has its equal in the baseline" in markdown.render([identical()])


def test_the_fusion_is_named_with_its_times():
    text = markdown.render([fusion()])

    assert "`gelu + mul`" in text
    assert "2 → 1" in text


def test_hostile_names_stay_text():
    text = markdown.render([hostile()])
    page = READER.render(text)

    assert not re.search(r"<(?!/?(?:p|h3|table|thead|tbody|tr|th|td|code|details|summary|sub|ul|li|strong)\b)", page)
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    assert not set(text) & set("\x1b\u202e\u2066\u200f\r\u2028")


def test_several_runs_begin_with_a_table_of_all():
    text = markdown.render([identical(), fusion()])

    assert text.startswith("| run | what changed |")
    assert text.count("### GPU work") == 2
