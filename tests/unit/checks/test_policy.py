"""Policies: limits, rules by code or name, and errors that name file, key and remedy."""

from __future__ import annotations

from typing import Any

import pytest

from kerneldiff.checks.policy import KEYS, RULE_OF, Limit, Policy, policy_of
from kerneldiff.checks.rules import CODES, RULES
from kerneldiff.errors import PolicyError


def policy(**table: Any) -> Policy:
    return policy_of({key.replace("_", "-"): value for key, value in table.items()}, where="p.toml", codes=CODES)


def test_an_empty_policy_has_the_defaults() -> None:
    assert policy() == Policy()


def test_limits_are_counts_or_shares() -> None:
    found = policy(slower_gpu="2.5%", slower_step="0%", more_launches=3)

    assert (found.slower_gpu, found.slower_step) == (Limit(share=0.025), Limit(share=0.0))
    assert found.more_launches == Limit(count=3)
    assert policy(more_launches="4 %").more_launches == Limit(share=0.04)


def test_rules_are_named_by_code_or_by_name() -> None:
    assert policy(ignore=["lost-fusion", "KD105"]).ignore == ("KD104", "KD105")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"slower-gpo": "5%"}, "p.toml: unknown key 'slower-gpo'; did you mean 'slower-gpu'?"),
        ({"select": []}, "p.toml: select: names no rule; give one or more, or leave it out"),
        ({"select": ["KD100"]}, "p.toml: select: names KD100, which judges by allow, and allow is not set; give both"),
        ({"zzz": 1}, f"p.toml: unknown key 'zzz'; known are {', '.join(KEYS)}"),
        ({"allow": ["fusd"]}, "p.toml: allow: unknown value 'fusd'; did you mean 'fused'?"),
        ({"allow": "fused"}, "p.toml: allow: should be a list of texts"),
        ({"allow": [1]}, "p.toml: allow: should be a list of texts"),
        ({"ignore": ["KD999"]}, "p.toml: ignore: unknown value 'KD999'; did you mean"),
        ({"slower-gpu": "five"}, "p.toml: slower-gpu: 'five' is no limit; give \"5%\""),
        ({"slower-gpu": 5}, "p.toml: slower-gpu: '5' is no limit; give \"5%\""),
        ({"slower-gpu": "-5%"}, "p.toml: slower-gpu: '-5%' is negative or no number"),
        ({"slower-gpu": "nan%"}, "p.toml: slower-gpu: 'nan%' is negative or no number"),
        ({"slower-gpu": "inf%"}, "p.toml: slower-gpu: 'inf%' is negative or no number"),
        ({"more-launches": -1}, "p.toml: more-launches: '-1' is negative or no number; give 0 or \"5%\""),
        ({"more-launches": True}, "p.toml: more-launches: 'True' is no limit"),
        ({"more-launches": 1.5}, "p.toml: more-launches: '1.5' is no limit"),
        (
            {"select": ["KD104"], "ignore": ["lost-fusion"]},
            "p.toml: ignore: KD104 is also in select; give one of the two",
        ),
        (
            {"slower-gpu": "5%", "ignore": ["KD102"]},
            "p.toml: slower-gpu: sets the limit of KD102, which ignore turns off",
        ),
        (
            {"more-launches": 1, "select": ["KD102"]},
            "p.toml: more-launches: sets the limit of KD103, which select leaves out",
        ),
    ],
)
def test_a_wrong_policy_is_refused_with_file_key_and_remedy(table: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy_of(table, where="p.toml", codes=CODES)

    assert str(caught.value).startswith(said)


def test_every_limit_of_a_rule_is_a_key() -> None:
    assert {rule.limit: rule.code for rule in RULES if rule.limit} == RULE_OF
