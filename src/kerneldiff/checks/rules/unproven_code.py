"""KD114 unproven-code: nothing proves that a kernel is the same code on the same work.

What it does
    Lists the reasons of all matches of the relation ``unproven``. It is never a failure: the check is inconclusive.

Why it matters
    Kernels that are compiled at run time share names: ``a*b+a`` and ``a*b+b`` both become
    ``triton_poi_fused_add_mul_0``. An equal name proves nothing there.

Example
    ? no code hash in the baseline: an equal name does not prove equal code; record with record_shapes=True

What to do
    Record with ``record_shapes=True``, or with ``kerneldiff record``, which hashes the code itself.
"""

from __future__ import annotations

from kerneldiff.checks.model import Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.diffs.model import Diff


def _judge(diff: Diff, policy: Policy) -> Judged:  # noqa: ARG001
    reasons = [match.reason for match in diff.matches if match.relation == "unproven" and match.reason]
    return gpu_unknown(diff) or Judged(open=tuple(dict.fromkeys(reasons)))


RULE = Rule(code="KD114", name="unproven-code", document=__doc__, judge=_judge)
