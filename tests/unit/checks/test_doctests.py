"""The examples in docstrings of the checks hold."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = [
    "kerneldiff.checks.expectations.model",
    "kerneldiff.checks.expectations.writing",
    "kerneldiff.checks.keys",
    "kerneldiff.checks.policy",
    "kerneldiff.checks.locks.fields",
    "kerneldiff.checks.locks.model",
    "kerneldiff.checks.locks.writing",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module_hold(name: str) -> None:
    found = doctest.testmod(import_module(name))

    assert found.attempted > 0
    assert found.failed == 0
