"""The rules of the comparison gate, in the order of their codes. A new rule is one file and one line here."""

from __future__ import annotations

from typing import Final

from kerneldiff.checks.rules import changed_work
from kerneldiff.checks.rules.model import Rule

RULES: Final[tuple[Rule, ...]] = (changed_work.RULE,)
# What a policy may call a rule: its code or its name.
CODES: Final[dict[str, str]] = {word: rule.code for rule in RULES for word in (rule.code, rule.name)}

__all__ = ["CODES", "RULES", "Rule"]
