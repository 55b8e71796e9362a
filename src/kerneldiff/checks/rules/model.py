"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kerneldiff.checks.facts import work_recorded
from kerneldiff.checks.model import Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.diffs.model import Diff


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the comparison gate.

    Attributes:
        code, name: ``KD104``, ``lost-fusion``.
        document: the module's docstring in four parts; the documentation page is made from it.
        judge: the rule itself.
        limit: the field of the policy that holds its limit, None for a rule without one.
    """

    code: str
    name: str
    document: str
    judge: Callable[[Diff, Policy], Judged]
    limit: str | None = None


def gpu_unknown(diff: Diff) -> Judged | None:
    """Give the open question of every rule on GPU work, where a side's GPU events were not recorded."""
    lacking = [
        who for who, run in (("baseline", diff.baseline), ("candidate", diff.candidate)) if not work_recorded(run)
    ]
    if not lacking:
        return None
    who = " and the ".join(lacking)
    return Judged(open=(f"no GPU events were recorded in the {who}; record with ProfilerActivity.CUDA",))
