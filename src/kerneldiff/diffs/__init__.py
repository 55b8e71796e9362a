"""Two runs to a diff: align, relations, facets, noise, summary."""

from kerneldiff.diffs.build import diff
from kerneldiff.diffs.model import RELATIONS, Diff, Match, Verdict

__all__ = ["RELATIONS", "Diff", "Match", "Verdict", "diff"]
