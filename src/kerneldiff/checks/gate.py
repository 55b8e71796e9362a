"""The gate: rules and a policy applied to a comparison."""

from __future__ import annotations

from dataclasses import replace

from kerneldiff.checks.model import Outcome, Result, folded
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules import RULES, Rule, changed_work
from kerneldiff.diffs.model import Diff
from kerneldiff.errors import PolicyError


def check_diff(diff: Diff, policy: Policy) -> Outcome:
    """Apply all rules of a policy to a comparison of two runs.

    Raises:
        PolicyError: when the policy leaves no rule: what checks nothing must not pass.
    """
    rules = tuple(rule for rule in RULES if _applies(rule, policy))
    if not rules:
        msg = "the policy turns every rule off, so nothing would be checked; take some out of ignore"
        raise PolicyError(msg)
    return _outcome(diff, policy, rules)


def check_lock(diff: Diff, policy: Policy) -> Outcome:
    """Judge a comparison with a lock file: every change counts that the policy does not allow."""
    strict = replace(policy, allow=policy.allow or ())
    return _outcome(diff, strict, (changed_work.RULE,))


def _applies(rule: Rule, policy: Policy) -> bool:
    if rule.code in policy.ignore or (rule is changed_work.RULE and policy.allow is None):
        return False
    return policy.select is None or rule.code in policy.select


def _outcome(diff: Diff, policy: Policy, rules: tuple[Rule, ...]) -> Outcome:
    results = []
    for rule in rules:
        judged = rule.judge(diff, policy)
        results.append(Result(code=rule.code, name=rule.name, findings=folded(judged.findings), open=judged.open))
    return Outcome(
        subject=", ".join(diff.candidate.paths),
        against=", ".join(diff.baseline.paths),
        results=tuple(results),
        notes=tuple(note.text for note in diff.notes),
    )
