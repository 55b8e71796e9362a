"""Sentences about the GPU side that rest on the explanation of both runs."""

from __future__ import annotations

from collections import Counter

from kerneldiff.diffs.facts import Facts
from kerneldiff.diffs.wording import count
from kerneldiff.profiles.model import Profile

_PLACES = {
    "gemm-epilogue": "in the epilogue of the GEMM",
    "one-kernel": "inside the one kernel",
    "copied-and-accumulated": "copied into the output first and accumulated on",
    "split-k-reduction": "in the split-k reduction",
    "separate-kernel": "in a kernel of its own",
}


def epilogue_change(facts: Facts) -> str | None:
    """Bias or activation of all products moved from one place to another."""
    ours, theirs = _places(facts.baseline), _places(facts.candidate)
    parts = []
    for what in dict.fromkeys(key for key in ours if key in theirs):
        before, after = ours[what], theirs[what]
        if sum(before.values()) != sum(after.values()) or len(before) != 1 or len(after) != 1:
            continue
        (old,), (new,) = before, after
        if old != new and old in _PLACES and new in _PLACES:
            products = count(sum(after.values()), "product")
            parts.append(f"the {what} of {products} is done {_PLACES[new]} instead of {_PLACES[old]}")
    return f"{parts[0][0].upper()}{'; '.join(parts)[1:]}." if parts else None


def _places(run: Profile) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for one in run.explained.epilogues if run.explained else ():
        found.setdefault(one.what, Counter())[one.place] += 1
    return found
