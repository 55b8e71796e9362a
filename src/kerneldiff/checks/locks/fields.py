"""One event as one line: fields between bars, facts as ``key=value``, and escapes for what a name may hold.

    label | operators | facts | name

The label is for people and is not read back. Shapes are written ``2x66x1``, several ``[8192x768, -, ?]`` without
blanks: ``-`` is a scalar or an absent tensor, ``?`` is what the trace does not say.
"""

from __future__ import annotations

import re
from typing import Final

from kerneldiff.profiles.model import Dims

BAR: Final = " | "
ARROW: Final = " > "
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")


def escape(text: str, also: str = "") -> str:
    r"""Write text so that it holds no bar, no backslash of its own and nothing that cannot be seen.

    >>> escape("a | b\n"), escape("x y", " ")
    ('a \\x7c b\\x0a', 'x\\x20y')
    """
    return "".join(_escaped(char) if char in "|\\" or char in also or not char.isprintable() else char for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def unescape(text: str) -> str:
    r"""Read what ``escape`` wrote.

    >>> unescape("a \\x7c b\\x0a")
    'a | b\n'
    """
    return _ESCAPE.sub(lambda found: _char(next(part for part in found.groups() if part)), text)


def _char(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if code <= 0x10FFFF else "\ufffd"


def edges(text: str) -> str:
    r"""Escape a blank at either end, which splitting would take away.

    >>> edges(" a b ")
    '\\x20a b\\x20'
    """
    inner = text.strip(" ")
    if inner == text:
        return text
    if not inner:
        return "\\x20" * len(text)
    before, after = len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" "))
    return "\\x20" * before + inner + "\\x20" * after


def dims_text(dims: Dims | None) -> str:
    """Write one shape.

    >>> dims_text((2, 66, 1)), dims_text(()), dims_text(None)
    ('2x66x1', '-', '?')
    """
    if dims is None:
        return "?"
    return "x".join(str(size) for size in dims) or "-"


def dims_of(text: str) -> Dims | None:
    """Read one shape.

    Raises:
        ValueError: when it is none.
    """
    if text == "?":
        return None
    return () if text == "-" else tuple(int(size) for size in text.split("x"))


def shapes_text(shapes: tuple[Dims | None, ...]) -> str:
    """Write several shapes.

    >>> shapes_text(((8192, 768), (), None))
    '[8192x768,-,?]'
    """
    return f"[{','.join(dims_text(dims) for dims in shapes)}]"


def shapes_of(text: str) -> tuple[Dims | None, ...]:
    """Read several shapes.

    Raises:
        ValueError: when they are none.
    """
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(text)
    inner = text[1:-1]
    return tuple(dims_of(part) for part in inner.split(",")) if inner else ()
