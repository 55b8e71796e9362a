"""Settings of one test: the marker beats the flag, the flag beats the ini option."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final

import pytest

from kerneldiff.checks.keys import unknown
from kerneldiff.checks.policy import Policy, policy_of
from kerneldiff.checks.rules import CODES
from kerneldiff.errors import PolicyError

_KEYS: Final = ("allow", "inconclusive", "device", "wait", "warmup", "active")
_CHOICES: Final = {"inconclusive": ("fail", "pass"), "device": ("cuda", "cpu")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one test wants.

    Attributes:
        folder: name of the folder of lock files, beside the test file.
        device: ``cuda``, or ``cpu`` for the CPU's operators.
        inconclusive: what counts for a question that cannot be decided.
        policy: kinds of change that are allowed against a lock.
        wait, warmup, active: the profiler's schedule.
        update: lock files may be written; update_refused: why not, though asked for.
    """

    folder: str
    device: str
    inconclusive: str
    policy: Policy
    wait: int = 1
    warmup: int = 1
    active: int = 3
    update: bool = False
    update_refused: str | None = None


def settings_of(node: pytest.Item) -> Settings:
    """Gather the settings of a test.

    Raises:
        PolicyError: for an unknown setting or value.
    """
    config = node.config
    given = _marked(node)
    for key in _CHOICES:
        given.setdefault(key, config.getoption(f"--kerneldiff-{key}") or config.getini(f"kerneldiff_{key}"))
        if given[key] not in _CHOICES[key]:
            raise unknown(str(given[key]), _CHOICES[key], where=f"kerneldiff_{key}", what="value")
    allow = given.pop("allow", None)
    policy = policy_of(
        {"allow": list(config.getini("kerneldiff_allow")) if allow is None else allow},
        where="kerneldiff_allow" if allow is None else f"{node.nodeid}, marker kerneldiff",
        codes=CODES,
    )
    wanted = bool(config.getoption("--kerneldiff-update"))
    refused = wanted and in_ci() and not config.getoption("--kerneldiff-allow-ci")
    return Settings(
        folder=str(config.getini("kerneldiff_folder")),
        policy=policy,
        update=wanted and not refused,
        update_refused="CI is set, and lock files are not written there unless --kerneldiff-allow-ci is given"
        if refused
        else None,
        **given,
    )


def in_ci() -> bool:
    """Tell whether the tests run in continuous integration: every service sets CI."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false", "no")


def _marked(node: pytest.Item) -> dict[str, Any]:
    """Read the markers, the closest last."""
    found: dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers("kerneldiff"))):
        if marker.args:
            msg = f"{node.nodeid}: the marker kerneldiff takes settings by name only: kerneldiff(allow=['fused'])"
            raise PolicyError(msg)
        for key, value in marker.kwargs.items():
            if key not in _KEYS:
                raise unknown(key, _KEYS, where=f"{node.nodeid}, marker kerneldiff", what="setting")
            found[key] = value
    return found
