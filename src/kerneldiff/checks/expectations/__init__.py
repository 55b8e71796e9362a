"""Expectations: what a step or a region should contain, written down before looking."""

from kerneldiff.checks.expectations.judging import judge
from kerneldiff.checks.expectations.model import Expectations
from kerneldiff.checks.expectations.reading import expectations_of
from kerneldiff.checks.expectations.writing import first_file

__all__ = ["Expectations", "expectations_of", "first_file", "judge"]
