"""Text to facts: what a kernel's name says. Knows nothing of traces."""

from __future__ import annotations

from kerneldiff.names.contract import as_json
from kerneldiff.names.decoding import decode
from kerneldiff.names.epilogues import proved_epilogue
from kerneldiff.names.explaining import Explanation, Frame, Frames, Piece, explain, frames
from kerneldiff.names.model import Certainty, Family, KernelName, Part
from kerneldiff.names.operations import heavy
from kerneldiff.names.spelling import normalise, without_number

__all__ = [
    "Certainty",
    "Explanation",
    "Family",
    "Frame",
    "Frames",
    "KernelName",
    "Part",
    "Piece",
    "as_json",
    "decode",
    "explain",
    "frames",
    "heavy",
    "normalise",
    "proved_epilogue",
    "without_number",
]
