"""The rules of the comparison gate, in the order of their codes. A new rule is one file and one line here."""

from __future__ import annotations

from typing import Final

from kerneldiff.checks.rules import (
    allocation,
    changed_work,
    cpu_bound,
    graph_break,
    layout_conversions,
    lost_attention,
    lost_fusion,
    more_launches,
    new_copy,
    new_synchronisation,
    recompilation,
    slower_gpu,
    slower_step,
    unproven_code,
    wider_type,
)
from kerneldiff.checks.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (
    changed_work.RULE,
    slower_step.RULE,
    slower_gpu.RULE,
    more_launches.RULE,
    lost_fusion.RULE,
    wider_type.RULE,
    lost_attention.RULE,
    new_copy.RULE,
    new_synchronisation.RULE,
    graph_break.RULE,
    recompilation.RULE,
    layout_conversions.RULE,
    cpu_bound.RULE,
    allocation.RULE,
    unproven_code.RULE,
)
# What a policy may call a rule: its code or its name.
CODES: Final[dict[str, str]] = {word: rule.code for rule in RULES for word in (rule.code, rule.name)}

__all__ = ["CODES", "RULES", "Rule"]
