"""Just enough C++ to read a demangled kernel name: the function, its template arguments, its parameters.

Every function here is linear in the length of the text and tolerates text that is cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from kerneldiff.names.patterns import Pattern

_OPENING = {"<": ">", "(": ")", "[": "]", "{": "}"}
_CLOSING = {close: opening for opening, close in _OPENING.items()}
_ANONYMOUS = ("(anonymous namespace)", "<unnamed>")
_CAST = Pattern(r"^\((?:unsigned |signed )?[A-Za-z_][\w: ]*\)(?=-?\w)")
_INTEGER = Pattern(r"-?\d+(?=[uUlL]*$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One template argument or parameter: its text and where it begins in the name."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Offset behind the last character."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A demangled function.

    Attributes:
        scope: namespaces, joined by ``::`` (``at::native``); empty when there are none.
        function: the bare name of the function.
        start: where ``function`` begins in the text.
        arguments: its template arguments.
        parameters: its parameters; empty when the list was dropped.
    """

    scope: str
    function: str
    start: int
    arguments: tuple[Argument, ...]
    parameters: tuple[Argument, ...]

    @property
    def end(self) -> int:
        """Offset behind the bare name."""
        return self.start + len(self.function)

    def argument(self, index: int) -> str | None:
        """The text of one template argument, without a cast in front, or None when there are fewer."""
        return without_cast(self.arguments[index].text) if index < len(self.arguments) else None

    def parameter(self, index: int) -> str | None:
        """The text of one parameter, or None when there are fewer."""
        return self.parameters[index].text if index < len(self.parameters) else None


def without_cast(text: str) -> str:
    """``(int)4`` is ``4``: Nsight Systems spells integers with a cast, Kineto without."""
    return _CAST.sub("", text)


def integer(text: str | None) -> int | None:
    """The value of an integer argument in any spelling (``4``, ``4u``, ``(unsigned long)4``)."""
    found = None if text is None else _INTEGER.match(without_cast(text.strip()))
    return int(found[0][:18]) if found else None


def boolean(text: str | None) -> bool | None:
    """The value of a boolean argument in any spelling (``true``, ``(bool)1``), None for anything else."""
    return None if text is None else {"true": True, "1": True, "false": False, "0": False}.get(without_cast(text))


def closing(text: str, start: int) -> int:
    """Offset of the bracket that closes the one at ``start``; the length of the text when it never closes."""
    stack: list[str] = []
    for index in range(start, len(text)):
        character = text[index]
        if character in _OPENING:
            if not (character == "<" and text.startswith("operator", max(index - 8, 0))):
                stack.append(character)
        elif character in _CLOSING:
            if character == ">" and (not stack or stack[-1] != "<"):
                continue
            opening = _CLOSING[character]
            while stack and stack.pop() != opening:
                continue
            if not stack:
                return index
    return len(text)


def split(text: str, start: int, end: int) -> tuple[Argument, ...]:
    """The comma-separated pieces of ``text[start:end]``, commas inside brackets left alone."""
    pieces: list[Argument] = []
    stack: list[str] = []
    begin = start
    for index in range(start, min(end, len(text))):
        character = text[index]
        if character == "," and not stack:
            pieces.append(_trimmed(text, begin, index))
            begin = index + 1
        elif character in _OPENING:
            stack.append(character)
        elif character in _CLOSING and stack and (character != ">" or stack[-1] == "<"):
            opening = _CLOSING[character]
            while stack and stack.pop() != opening:
                continue
    if text[begin:end].strip():
        pieces.append(_trimmed(text, begin, end))
    return tuple(pieces)


def _trimmed(text: str, start: int, end: int) -> Argument:
    piece = text[start:end]
    return Argument(text=piece.strip(), start=start + len(piece) - len(piece.lstrip()))


def template(text: str, head: str, start: int = 0) -> tuple[Argument, ...]:
    """The arguments of the first ``head<...>`` in the text, empty when there is none.

    ``head`` must begin a word: ``Kernel_traits`` is not found inside ``Flash_kernel_traits``.
    """
    place = text.find(head + "<", start)
    while place > 0 and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place = text.find(head + "<", place + 1)
    if place < 0:
        return ()
    opening = place + len(head)
    return split(text, opening + 1, closing(text, opening))


@lru_cache(maxsize=1024)
def signature(text: str) -> Signature | None:
    """Reads ``[void] scope::function<arguments>(parameters)``; None when the text is not C++."""
    arguments: tuple[Argument, ...] = ()
    word, index, bracket = 0, 0, None
    parameters: tuple[Argument, ...] = ()
    stop = len(text)
    while index < len(text):
        character = text[index]
        skipped = next((length for length in map(len, _ANONYMOUS) if text[index : index + length] in _ANONYMOUS), 0)
        if skipped:
            index += skipped
        elif character == "<":
            end = closing(text, index)
            bracket = (index, end)
            index = end + 1
        elif character == "(":
            stop = index
            parameters = split(text, index + 1, closing(text, index))
            break
        elif character == " ":
            word, bracket = index + 1, None
            index += 1
        else:
            index += 1
    if bracket and text[bracket[1] + 1 : stop].strip() == "":
        arguments = split(text, bracket[0] + 1, bracket[1])
        stop = bracket[0]
    qualified = text[word:stop]
    scope, _, function = qualified.rpartition("::")
    if not function.replace("_", "").isalnum():
        return None
    return Signature(
        scope=scope,
        function=function,
        start=word + len(qualified) - len(function),
        arguments=arguments,
        parameters=parameters,
    )
