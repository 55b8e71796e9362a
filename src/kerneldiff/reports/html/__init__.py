"""The web page: one file without network, that reads without script."""

from __future__ import annotations

from collections.abc import Sequence

from kerneldiff.diffs.model import Diff
from kerneldiff.reports.html.page import fill
from kerneldiff.reports.html.views import diff_view

__all__ = ["render"]


def render(diffs: Sequence[Diff]) -> str:
    """Write one comparison, or several against one baseline, as a page."""
    return fill("diffs.html.j2", views=[diff_view(diff, f"d{number}-") for number, diff in enumerate(diffs)])
