"""Which event of one side is drawn joined to which of the other, for ribbons and flows."""

from __future__ import annotations

from kerneldiff.diffs.model import Match


def joins(match: Match) -> list[tuple[int, int]]:
    """Pair the events of a match in order, so that each has at least one partner; none where a side is empty.

    >>> joins(Match(relation="fused", baseline=(3, 4, 7), candidate=(5,)))
    [(3, 5), (4, 5), (7, 5)]
    """
    ours, theirs = match.baseline, match.candidate
    if not ours or not theirs:
        return []
    most = max(len(ours), len(theirs))
    return [(ours[i * len(ours) // most], theirs[i * len(theirs) // most]) for i in range(most)]
