"""The pages on checks show what the commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from doc_blocks import PAGES, rewritten
from kerneldiff.checks.expectations.model import GEMM_KEYS, KEYS
from kerneldiff.checks.policy import KEYS as POLICY_KEYS
from kerneldiff.checks.rules import RULES

PAGE = {path.name: path for path in PAGES}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_shows_the_output_of_its_commands(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert rewritten(text, tmp_path) == text, "write it anew with: python tests/write_check_pages.py"


def test_all_rules_and_settings_are_on_the_page_of_checks() -> None:
    text = PAGE["checks.md"].read_text(encoding="utf-8")

    assert [rule.code for rule in RULES if f"checks/{rule.code}-{rule.name}.md" not in text] == []
    assert [key for key in POLICY_KEYS if f"`{key}`" not in text] == []


def test_all_keys_are_on_the_page_of_expectations() -> None:
    text = PAGE["expectations.md"].read_text(encoding="utf-8")

    assert [key for key in (*KEYS, *GEMM_KEYS) if f"`{key}`" not in text] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+\.md)", path.read_text(encoding="utf-8"))

    assert [link for link in links if not (path.parent / link).is_file()] == []
