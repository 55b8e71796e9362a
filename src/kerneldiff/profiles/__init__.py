"""A linked trace to one run: identity, representative step, samples, dispatch, pace, what is missing."""

from kerneldiff.profiles.build import merge, profile
from kerneldiff.profiles.explained import Explained
from kerneldiff.profiles.limits import Limits, judge_limits
from kerneldiff.profiles.missing import REMEDIES
from kerneldiff.profiles.model import GpuEvent, OperatorStat, Profile, Sequences, StepSamples
from kerneldiff.profiles.peaks import peaks_of

__all__ = [
    "REMEDIES",
    "Explained",
    "GpuEvent",
    "Limits",
    "OperatorStat",
    "Profile",
    "Sequences",
    "StepSamples",
    "judge_limits",
    "merge",
    "peaks_of",
    "profile",
]
