"""What is escaped for a place shows there as it is, and does nothing else."""

from __future__ import annotations

import html
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from reading import Page
from samples import HOSTILE

from kerneldiff.reports.escape import html_attribute, html_text, json_in_page, markdown_cell, markdown_code, terminal

TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="<>&\"'`|*_[]()#!~:@$\\/-+=.1a {}%\n\x1b\u202e\u2028\ud800", max_size=40),
    st.sampled_from(list(HOSTILE.values())),
)
RELAXED = settings(deadline=None)
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@RELAXED
@given(TEXTS)
def test_terminal_text_has_nothing_that_cannot_be_seen(text):
    assert terminal(text).isprintable()


@RELAXED
@given(TEXTS)
def test_html_text_reads_back_as_the_visible_text(text):
    page = Page(f"<p>{html_text(text)}</p>")

    assert "".join(page.texts) == terminal(text)
    assert [tag for tag, _ in page.elements] == ["p"]


@RELAXED
@given(TEXTS)
def test_html_attribute_reads_back_as_the_visible_text(text):
    page = Page(f'<p title="{html_attribute(text)}">')

    assert page.elements == [("p", {"title": terminal(text)})]


@RELAXED
@given(st.lists(TEXTS.map(terminal)))
def test_json_in_page_reads_back_and_has_no_markup(texts):
    written = json_in_page(texts)

    assert json.loads(written) == texts
    assert not set(written) & set("<>&\u2028\u2029")


def tokens(source: str) -> list[str]:
    found = []
    for token in READER.parse(source):
        found += [child.type for child in token.children or []] if token.type == "inline" else [token.type]
    return found


def shown(source: str) -> str:
    """What a reader sees, without the spaces of no width that keep names from becoming links."""
    return html.unescape(re.sub(r"<[^>]*>", "", READER.render(source))).replace("\u200b", "")


@RELAXED
@given(TEXTS)
def test_markdown_text_is_plain_text_at_the_start_of_a_line_too(text):
    source = markdown_cell(text)
    wanted = " ".join(terminal(text).split(" ")).strip()

    assert set(tokens(source)) <= {"paragraph_open", "text", "text_special", "paragraph_close"}
    assert shown(source).strip("\n") == wanted.strip("\n") or not wanted


@RELAXED
@given(TEXTS)
def test_markdown_cells_stay_in_their_column(text):
    source = f"| a | b |\n| --- | --- |\n| {markdown_cell(text)} | {markdown_code(text)} |\n"
    row = READER.render(source).split("<tbody>")[1]

    assert row.count("<td>") == 2
    assert len(re.findall("<(?!/?(?:tr|td|code|tbody|table))", row)) == 0


@RELAXED
@given(TEXTS)
def test_markdown_code_shows_the_text_as_code(text):
    written = markdown_code(text)

    assert shown(written).strip() == terminal(text).strip()
    assert "\n" not in written


@pytest.mark.parametrize(
    "text", ["@user", "a@b", "#12", "owner/repo#1", "https://evil.example", "www.evil.example", ":tada:", "::error::x"]
)
def test_nothing_in_markdown_text_names_a_person_an_issue_or_an_address(text):
    rendered = shown(markdown_cell(text))
    raw = html.unescape(READER.render(markdown_cell(text)))

    assert rendered.strip() == text
    assert not re.search(r"@\w|#\d|://\w|www\.\w|:\w+:|^<p>::", raw)
