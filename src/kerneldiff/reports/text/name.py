"""A decoded kernel name in the terminal: the parts underlined and numbered, each explained in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TextIO

from rich.cells import cell_len
from rich.text import Text

from kerneldiff.names import Explanation, Frame, Frames, explain
from kerneldiff.reports.escape import terminal
from kerneldiff.reports.text.layout import Column, make_console, paragraph, print_lines, row

_CERTAINTY: Final[dict[str, str]] = {
    "source": "from source code",
    "measured": "measured",
    "inferred": "inferred",
    "unknown": "not known",
}
_EPILOGUES: Final[dict[str, str]] = {
    "beta": "the name proves that C is read and added (beta); that is not a bias",
    "none": "none: the name proves that nothing but the product was written",
}
_FACTS = ("library", "op", "dtype_in", "dtype_acc", "dtype_out", "stages", "split_k", "arch")
_MOST_LINES = 6  # of a long name, before the explained parts are listed without underlining


def show_names(names: Sequence[str], file: TextIO) -> None:
    """Explain names to a person, one after the other."""
    console = make_console(file)
    for index, name in enumerate(names):
        lines = explained(explain(name), console.width)
        print_lines(console, [*([Text()] if index else []), *lines])


def explained(explanation: Explanation, total: int) -> list[Text]:
    """Lay out one explained name: lines of at most ``total`` cells."""
    decoded = explanation.decoded
    lines = _underlined(explanation, total)
    if decoded.demangled:
        lines += paragraph("the name was mangled; it is shown demangled", total, indent=2, style="dim")
    if decoded.cut:
        lines += paragraph(
            "the name was cut off when it was written: it is never called equal to another",
            total,
            indent=2,
            style="magenta",
        )
    for number, piece in enumerate(explanation.pieces, 1):
        cells = (
            str(number),
            piece.text if len(piece.text) <= 60 else f"{piece.text[:57]}...",
            piece.meaning,
            _CERTAINTY[piece.certainty],
        )
        lines += row(cells, _columns(explanation), total, ("bold cyan", "bold", "", "dim"))
    if not explanation.pieces:
        lines.append(Text("  no family of names that is known here claims this name", style="magenta"))
    return [*lines, *_summary(explanation, total)]


def _columns(explanation: Explanation) -> tuple[Column, ...]:
    longest = max((min(60, cell_len(terminal(piece.text))) for piece in explanation.pieces), default=8)
    return (Column(width=2, right=True), Column(width=min(18, max(6, longest))), Column(width=None), Column(width=16))


def _underlined(explanation: Explanation, total: int) -> list[Text]:
    """Write the name, and under each explained part its number and a line as long as the part."""
    owner = [0] * len(explanation.text)
    for number, piece in enumerate(explanation.pieces, 1):
        owner[piece.start : piece.end] = [number] * (piece.end - piece.start)
    shown = [(terminal(char), number) for char, number in zip(explanation.text, owner, strict=True)]
    lines: list[Text] = []
    for part in _chunks(shown, total)[:_MOST_LINES]:
        lines.append(Text("".join(text for text, _ in part), style="bold"))
        marks = _marks(part)
        if marks.strip():
            lines.append(Text(marks, style="cyan"))
    if len(_chunks(shown, total)) > _MOST_LINES:
        lines.append(Text(f"... ({len(explanation.text)} characters)", style="dim"))
    return lines


def _chunks(shown: Sequence[tuple[str, int]], total: int) -> list[list[tuple[str, int]]]:
    chunks: list[list[tuple[str, int]]] = [[]]
    used = 0
    for text, number in shown:
        width = cell_len(text)
        if used + width > total and chunks[-1]:
            chunks.append([])
            used = 0
        chunks[-1].append((text, number))
        used += width
    return chunks


def _marks(part: Sequence[tuple[str, int]]) -> str:
    """Write the numbers and lines under one line of the name; a part too short for its number has only its line."""
    line = ""
    index = 0
    while index < len(part):
        number = part[index][1]
        width = 0
        while index < len(part) and part[index][1] == number:
            width += cell_len(part[index][0])
            index += 1
        label = str(number)
        line += (
            " " * width if not number else (label + "~" * (width - len(label)) if width >= len(label) else "~" * width)
        )
    return line.rstrip()


def _summary(explanation: Explanation, total: int) -> list[Text]:
    decoded = explanation.decoded
    facts = [f"{field} {_fact(getattr(decoded, field))}" for field in _FACTS if getattr(decoded, field) is not None]
    if decoded.fused_ops:
        facts.append(f"operators {', '.join(decoded.fused_ops)}")
    lines = paragraph(", ".join(facts) or "nothing", total, indent=12, first="  says") if facts else []
    if explanation.frames is not None:
        lines += _frames(explanation.frames, total)
    if explanation.proved is not None:
        text = _EPILOGUES.get(explanation.proved, f"the name proves {explanation.proved} in the epilogue")
        lines += paragraph(text, total, indent=12, first="  epilogue")
    elif decoded.epilogue:
        lines += paragraph(decoded.epilogue.replace("_", " "), total, indent=12, first="  epilogue")
    if decoded.jit:
        lines += paragraph(
            "compiled at run time: an equal name does not prove equal code", total, indent=12, first="  note"
        )
    if decoded.unparsed:
        lines += paragraph(decoded.unparsed, total, indent=12, first="  unread", style="magenta")
    return lines


def _frames(frames: Frames, total: int) -> list[Text]:
    pytorch = f"PyTorch, row-major: out(M,N) = x(M,K) w(K,N): {_frame(frames.pytorch)}"
    cublas = f"cuBLAS, column-major: D(m,n) = A(m,k) B(k,n), A is w: {_frame(frames.cublas)}"
    return [*paragraph(pytorch, total, indent=12, first="  frames"), *paragraph(cublas, total, indent=12)]


def _frame(frame: Frame) -> str:
    parts = [f"layout {frame.layout}"] if frame.layout else []
    parts += [f"tile {'x'.join(map(str, frame.tile))}"] if frame.tile else []
    return ", ".join(parts)


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
