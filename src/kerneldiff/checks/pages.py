"""A rule's docstring as a page: its parts, as text for a terminal and as Markdown."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Final

from kerneldiff.checks.rules.model import Rule

HEADINGS: Final = ("What it does", "Why it matters", "Example", "What to do")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A rule's page.

    Attributes:
        title: ``KD104 lost-fusion``; summary: one sentence; parts: heading and text, in the order of ``HEADINGS``.
    """

    title: str
    summary: str
    parts: tuple[tuple[str, str], ...]


def page_of(rule: Rule) -> Page:
    """Take a rule's docstring apart.

    Raises:
        ValueError: when it does not have its four parts; a test sees to it that all have.
    """
    first, _, rest = inspect.cleandoc(rule.document).partition("\n")
    title, _, summary = first.partition(": ")
    parts: list[tuple[str, list[str]]] = []
    for line in rest.split("\n"):
        if line in HEADINGS:
            parts.append((line, []))
        elif parts:
            parts[-1][1].append(line)
    found = tuple((heading, inspect.cleandoc("\n" + "\n".join(lines)).strip("\n")) for heading, lines in parts)
    if title != f"{rule.code} {rule.name}" or tuple(heading for heading, _ in found) != HEADINGS:
        msg = f"{rule.code}: the docstring lacks its title or one of {', '.join(HEADINGS)}"
        raise ValueError(msg)
    return Page(title=title, summary=summary, parts=found)


def as_text(page: Page) -> str:
    """Write a page for a terminal."""
    parts = [f"{heading}\n{_indented(text)}" for heading, text in page.parts]
    text = "\n\n".join([f"{page.title}\n{page.summary[0].upper()}{page.summary[1:]}", *parts]) + "\n"
    return text.replace("``", "")


def as_markdown(page: Page) -> str:
    """Write a page as Markdown; the example is a block of code."""
    parts = [
        f"## {heading}\n\n" + (f"```text\n{text}\n```" if heading == "Example" else text)
        for heading, text in page.parts
    ]
    head = f"# {page.title}\n\n{page.summary[0].upper()}{page.summary[1:]}"
    made = "<!-- Made from the docstring of the rule: edit it there. -->"
    return "\n\n".join([made, head, *parts]) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))


def file_name(rule: Rule) -> str:
    """Name the file of a rule's page."""
    return f"{rule.code}-{rule.name}.md"
