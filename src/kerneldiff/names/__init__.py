"""Text to facts: what a kernel's name says. Knows nothing of traces."""

from __future__ import annotations

from kerneldiff.names.contract import as_json
from kerneldiff.names.decoding import decode
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.operations import heavy
from kerneldiff.names.spelling import normalise, without_number

__all__ = ["Family", "KernelName", "Part", "as_json", "decode", "heavy", "normalise", "without_number"]
