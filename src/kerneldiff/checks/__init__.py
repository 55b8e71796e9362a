"""Checks: what a run should contain, held against what it contains. Values in, an ``Outcome`` out."""
