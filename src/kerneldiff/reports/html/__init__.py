"""The web page: one file without network, that reads without script."""

from __future__ import annotations

from collections.abc import Sequence

from kerneldiff.diffs.model import Diff
from kerneldiff.profiles.limits import Limits
from kerneldiff.profiles.model import Profile
from kerneldiff.reports.html.page import fill
from kerneldiff.reports.html.run import run_page_view
from kerneldiff.reports.html.views import diff_view

__all__ = ["render", "render_run"]


def render(diffs: Sequence[Diff]) -> str:
    """Write one comparison, or several against one baseline, as a page."""
    return fill("diffs.html.j2", views=[diff_view(diff, f"d{number}-") for number, diff in enumerate(diffs)])


def render_run(profile: Profile, limits: Limits | None = None) -> str:
    """Write one run as a page."""
    return fill("run.html.j2", v=run_page_view(profile, limits))
