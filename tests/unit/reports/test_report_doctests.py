"""The examples in the docstrings of the reports hold."""

from __future__ import annotations

import doctest

import pytest

from kerneldiff.reports import escape, joins, phrases
from kerneldiff.reports.html import picture


@pytest.mark.parametrize("module", [escape, joins, phrases, picture], ids=lambda module: module.__name__)
def test_examples_hold(module):
    failed, tried = doctest.testmod(module)

    assert tried
    assert not failed
