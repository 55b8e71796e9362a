"""Recording: a program in several variants, in alternation, under one profiler schedule.

The only package that imports torch, and it does so when a recording starts.
"""

from kerneldiff.recordings.api import compare_variants, record
from kerneldiff.recordings.model import Comparison, Options, Recording, Schedule

__all__ = ["Comparison", "Options", "Recording", "Schedule", "compare_variants", "record"]
