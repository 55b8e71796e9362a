"""Known ways in which writers break JSON, and the repair of each.

Nothing here guesses: a text that these repairs do not make sound stays broken. Sources of the damage:
bare words: https://github.com/pytorch/kineto/issues/105 and /133; an absent value: https://github.com/pytorch/pytorch/issues/172353;
backslashes of Windows paths: https://github.com/pytorch/kineto/issues/336, /617, /750.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from kerneldiff.traces.findings import Findings

# Possessive throughout: hostile text must not make the expressions go back.
STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# With raw backslashes, \" ends a text when JSON goes on after it ("C:\dir\"), and is a quotation mark when it does not.
LITERAL_STRING: Final = rb'"(?:[^"\\]++|\\(?!")|\\"(?!\s*+[,:}\]]))*+(?:\\(?="\s*+[,:}\]]))?+"'
# Such as inf, -nan(ind), 1.#INF, N/A, None, or a description without its quotes.
BARE_WORD: Final = rb"(?:[-+]?[A-Za-z_][\w./\-]*+(?:\(\w*\))?|[-+]?\d\.\#\w+)(?=\s*+[,}\]])"
EMPTY: Final = rb":(?=\s*+[,}])"
TRAILING_COMMA: Final = rb",(?=\s*+[}\]])"
# Text that needs no repair, in one match as long as possible.
CLEAN: Final = (
    rb'(?:"[^"\\\x00-\x1f\x80-\xff]*+"|[\s\[\]{}]++|,(?!\s*+[}\]])|:(?!\s*+[,}])'
    rb"|-?\d[\d.eE+\-]*+(?!\#)|true|false|null)++"
)

# A string that never ends, a word that nobody knows.
HOPELESS: Final = rb'".*+|\w++'


def tokens(string: bytes) -> re.Pattern[bytes]:
    """Return the expression for all parts of a text; the groups tell what needs a look."""
    parts = (CLEAN, string, BARE_WORD, EMPTY, TRAILING_COMMA, HOPELESS)
    return re.compile(b"%s|(%s)|(%s)|(%s)|(%s)|%s" % parts, re.DOTALL)


TOKEN: Final = tokens(STRING)
LITERAL_TOKEN: Final = tokens(LITERAL_STRING)
ESCAPE: Final = re.compile(rb'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)', re.DOTALL)
# What may be the end of a text that ends in a backslash.
ESCAPED_QUOTE: Final = re.compile(rb'\\"\s*+[,:}\]]')
CONTROL: Final = re.compile(rb"[\x00-\x1f]")
LONE_SURROGATE: Final = re.compile(
    rb"(?<!\\)((?:\\\\)*)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


class RawBackslashesError(Exception):
    """A text has an escape that JSON does not know: backslashes are not escaped in this file."""


class Repairer:
    """Repairs texts of one file.

    Attributes:
        literal: True once an escape was met that JSON does not know. From then on each backslash stands for itself.
        strings_before: how many strings had been decoded until then.
    """

    def __init__(self, count_strings: Callable[[], int]) -> None:
        self.literal = False
        self.strings_before = 0
        self._count_strings = count_strings

    def is_needed(self, text: bytes | memoryview) -> bool:
        """Tell whether this text must be repaired even if it decodes: what looks like an escape is none."""
        return self.literal and b"\\" in bytes(text)

    def repair(self, text: bytes, offset: int, findings: Findings) -> bytes:
        """Return the text with the known repairs made, and counted in the findings."""
        if not self.literal:
            found = Findings()
            try:
                result = repaired(text, offset, found, literal=False)
            except RawBackslashesError:
                self.take_literally()
            else:
                findings.merge(found)
                return result
        return repaired(text, offset, findings, literal=True)

    def may_be_literal(self, text: bytes | memoryview) -> bool:
        """Tell whether reading backslashes as themselves is worth a try."""
        return not self.literal and ESCAPED_QUOTE.search(text) is not None

    def take_literally(self) -> None:
        """From now on read each backslash as itself."""
        self.literal = True
        self.strings_before = self._count_strings()

    def take_back(self) -> None:
        """Read backslashes as escapes again."""
        self.literal = False
        self.strings_before = 0


def repaired(text: bytes, offset: int, findings: Findings, *, literal: bool) -> bytes:
    """Return the text with the known repairs made and counted.

    Raises:
        RawBackslashesError: when not ``literal`` and an escape is unknown; repair again with ``literal``.
    """

    def fix(match: re.Match[bytes]) -> bytes:
        place = offset + match.start()
        if match.lastindex is None:
            return match[0]
        if match[2] is not None:
            findings.add("bare-word", place)
            return b"null"
        if match[3] is not None:
            findings.add("empty-value", place)
            return b":null"
        if match[4] is not None:
            findings.add("trailing-comma", place)
            return b""
        return fixed_string(match[1], place, findings, literal=literal)

    return (LITERAL_TOKEN if literal else TOKEN).sub(fix, text)


def fixed_string(token: bytes, place: int, findings: Findings, *, literal: bool) -> bytes:
    """Return one JSON string, quotes included, made sound."""
    if b"\\" in token:
        if literal:
            findings.add("raw-backslashes", place)
            inner = token[1:-1].replace(b'\\"', b'"')
            token = b'"' + inner.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
        else:
            token = checked_escapes(token, place, findings)
    if CONTROL.search(token):
        findings.add("control-characters", place)
        token = CONTROL.sub(lambda match: b"\\u%04x" % match[0][0], token)
    if not token.isascii():
        try:
            token.decode("utf-8")
        except UnicodeDecodeError:
            findings.add("invalid-utf8", place)
            token = token.decode("utf-8", "replace").encode()
    return token


def checked_escapes(token: bytes, place: int, findings: Findings) -> bytes:
    """Return the string with lone surrogates replaced; raise RawBackslashesError for an unknown escape."""
    if any(match[1] is None for match in ESCAPE.finditer(token)):
        raise RawBackslashesError
    result = LONE_SURROGATE.sub(lambda match: match[0] if match[2] else match[1] + b"\\ufffd", token)
    if result != token:
        findings.add("lone-surrogates", place)
    return result


def has_lone_surrogate(text: bytes) -> bool:
    """Tell whether some escape is half of a surrogate pair."""
    return (b"\\ud" in text or b"\\uD" in text) and any(match[2] is None for match in LONE_SURROGATE.finditer(text))


def as_written(text: str) -> str:
    """Return a text as it stands in the file, that was decoded before backslashes were known to stand for themselves."""
    escapes = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
    return "".join(escapes.get(character, character) for character in text)
