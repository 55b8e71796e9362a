"""Whether a difference in time is real: a call, an interval, and the reason in words."""

from __future__ import annotations

from kerneldiff.diffs.noise.judgement import judge, judge_match
from kerneldiff.diffs.noise.model import Basis, Call, Quantity, Recording, Session, StepRef, TimeCall, Trend
from kerneldiff.diffs.noise.sessions import Moment, session_of

__all__ = [
    "Basis",
    "Call",
    "Moment",
    "Quantity",
    "Recording",
    "Session",
    "StepRef",
    "TimeCall",
    "Trend",
    "judge",
    "judge_match",
    "session_of",
]
