"""What a comparison may bring: allowed kinds of change and limits. A policy that contradicts itself is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from kerneldiff.checks.keys import refuse, unknown
from kerneldiff.diffs.model import RELATIONS

CHANGE_KINDS: Final = (
    *(kind for kind in RELATIONS if kind not in ("same", "unproven")),
    "precision",
    "layout",
    "captured",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How much more is allowed: a count, or a share of the baseline's value."""

    count: int | None = None
    share: float | None = None

    def allowed(self, baseline: float) -> float:
        """Give the largest value that is still allowed.

        >>> Limit(count=2).allowed(10), Limit(share=0.05).allowed(200)
        (12, 210.0)
        """
        return baseline + self.count if self.count is not None else baseline * (1 + (self.share or 0.0))

    def __str__(self) -> str:
        return str(self.count) if self.count is not None else f"{100 * (self.share or 0.0):g} %"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is allowed.

    Attributes:
        allow: kinds of change that are allowed; None allows all (other rules still speak).
        slower_gpu, slower_step: how much longer GPU time and step time may be.
        more_launches: how many more GPU events a step may have.
        select: codes of the rules that are applied; None is all. ignore: codes of rules that are not.
    """

    allow: tuple[str, ...] | None = None
    slower_gpu: Limit = Limit(share=0.05)
    slower_step: Limit = Limit(share=0.10)
    more_launches: Limit = Limit(count=0)
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()


KEYS: Final = tuple(field.name.replace("_", "-") for field in fields(Policy))
# The rule that a limit belongs to.
RULE_OF: Final = {"allow": "KD100", "slower-step": "KD101", "slower-gpu": "KD102", "more-launches": "KD103"}


def policy_of(table: Mapping[str, Any], *, where: str, codes: Mapping[str, str]) -> Policy:
    """Make a policy of a table of settings.

    Args:
        table: keys as in ``[tool.kerneldiff]``.
        where: the file, for messages.
        codes: codes of all rules by name and by code.

    Raises:
        PolicyError: for an unknown key, a value that does not parse, or a contradiction.
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            raise unknown(key, KEYS, where=where, what="key")
        found[key.replace("-", "_")] = _value(key, value, where, codes)
    policy = Policy(**found)
    _contradictions(policy, table, where)
    return policy


def _value(key: str, value: Any, where: str, codes: Mapping[str, str]) -> Any:  # noqa: ANN401 - TOML
    if key == "allow":
        return tuple(_choice(one, dict.fromkeys(CHANGE_KINDS), where, key) for one in _list(value, where, key))
    if key in ("select", "ignore"):
        return tuple(codes[_choice(one, codes, where, key)] for one in _list(value, where, key))
    return limit_of(value, where=where, key=key)


def _list(value: Any, where: str, key: str) -> list[str]:  # noqa: ANN401
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise refuse(where, key, "should be a list of texts")
    return list(value)


def _choice(value: str, among: Mapping[str, Any], where: str, key: str) -> str:
    if value not in among:
        raise unknown(value, tuple(among), where=f"{where}: {key}", what="value")
    return value


def limit_of(value: object, *, where: str, key: str) -> Limit:
    """Read a limit: a count, or a text such as ``5%``; ``more-launches`` alone can be a count.

    >>> limit_of("5%", where="x", key="slower-gpu")
    Limit(count=None, share=0.05)

    Raises:
        PolicyError: when it is neither, or negative.
    """
    counts = key == "more-launches"
    text = str(value).strip()
    try:
        if text.endswith("%"):
            limit = Limit(share=float(text[:-1]) / 100)
        elif counts and not isinstance(value, bool | float):
            limit = Limit(count=int(text))
        else:
            raise ValueError(text)  # noqa: TRY301 - one way out for all that does not parse
    except ValueError:
        raise refuse(where, key, f"{text[:40]!r} is no limit", like='2 or "5%"' if counts else '"5%"') from None
    amount = limit.count if limit.count is not None else limit.share
    if amount is None or not 0 <= amount < float("inf"):
        raise refuse(where, key, f"{text[:40]!r} is negative or no number", like='0 or "5%"' if counts else '"5%"')
    return limit


def _contradictions(policy: Policy, table: Mapping[str, Any], where: str) -> None:
    if policy.select == ():
        raise refuse(where, "select", "names no rule", like="one or more, or leave it out")
    if policy.select is not None and RULE_OF["allow"] in policy.select and policy.allow is None:
        raise refuse(where, "select", "names KD100, which judges by allow, and allow is not set", like="both")
    for code in policy.ignore:
        if policy.select is not None and code in policy.select:
            raise refuse(where, "ignore", f"{code} is also in select", like="one of the two")
    for key, code in RULE_OF.items():
        if key in table and code in policy.ignore:
            raise refuse(where, key, f"sets the limit of {code}, which ignore turns off", like="one of the two")
        if key in table and policy.select is not None and code not in policy.select:
            raise refuse(where, key, f"sets the limit of {code}, which select leaves out", like="both or neither")
