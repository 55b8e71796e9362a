"""A linked trace to one run: identity, representative step, samples, dispatch, pace, what is missing."""

from kerneldiff.profiles.build import merge, profile
from kerneldiff.profiles.missing import REMEDIES
from kerneldiff.profiles.model import GpuEvent, OperatorStat, Profile, Sequences, StepSamples

__all__ = ["REMEDIES", "GpuEvent", "OperatorStat", "Profile", "Sequences", "StepSamples", "merge", "profile"]
