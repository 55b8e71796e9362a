"""Escaping of untrusted text: one function for each place where it is shown.

Everything that came from a trace (names, paths, annotations) is somebody else's text.
"""

from __future__ import annotations

import unicodedata

# Cc control, Cf format (bidirectional marks, zero width), Cs lone surrogates, Zl and Zp line and paragraph separators,
# Co private use, Cn unassigned: none of them shows what it is.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"})


def terminal(text: str) -> str:
    r"""Make text harmless for a terminal: what cannot be seen is written as an escape.

    >>> terminal("gemm\x1b[31m"), terminal("a\nb"), terminal("x\u202ey")
    ('gemm\\x1b[31m', 'a\\nb', 'x\\u202ey')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_seen(char) for char in text)


def _seen(char: str) -> str:
    if unicodedata.category(char) not in _HIDDEN:
        return char
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
