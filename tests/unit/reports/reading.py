"""A page as a reader without script has it: texts, ids, links, scripts."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "col", "br", "img", "hr"}


class Page(HTMLParser):
    """The elements of a page, checked for nesting while they are read."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.inside: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.misnested: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID:
            self.inside.append(tag)
        if tag in self.raw:
            self.raw[tag].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.inside or self.inside.pop() != tag:
            self.misnested.append(tag)

    def handle_data(self, data: str) -> None:
        if self.inside and self.inside[-1] in self.raw:
            self.raw[self.inside[-1]][-1] += data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.elements if name == tag]

    def classed(self, css: str) -> list[tuple[str, dict[str, str]]]:
        return [(tag, attrs) for tag, attrs in self.elements if css in attrs.get("class", "").split()]

    @property
    def policy(self) -> str:
        return next(a["content"] for a in self.all("meta") if a.get("http-equiv") == "Content-Security-Policy")


def digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def boxes(path: str) -> int:
    """How many shapes a path holds."""
    return len(re.findall("M", path))
