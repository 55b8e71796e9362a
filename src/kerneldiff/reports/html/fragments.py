"""The answer as a piece of HTML without script, for a notebook's cell."""

from __future__ import annotations

from kerneldiff.diffs.model import Diff
from kerneldiff.names import KernelName, explain
from kerneldiff.profiles.model import Profile
from kerneldiff.reports.html.names import entry
from kerneldiff.reports.html.page import fill
from kerneldiff.reports.html.run import run_page_view
from kerneldiff.reports.html.views import diff_view


def diff_fragment(diff: Diff) -> str:
    """Show a comparison: verdict, times, what changed most, the picture."""
    return fill("fragment.html.j2", kind="diff", v=diff_view(diff, "nb-"))


def run_fragment(profile: Profile) -> str:
    """Show a run: its figures, its kernels with most GPU time, the picture."""
    return fill("fragment.html.j2", kind="run", v=run_page_view(profile, None))


def name_fragment(decoded: KernelName) -> str:
    """Show a decoded name, part by part."""
    return fill("fragment.html.j2", kind="name", v=entry(0, explain(decoded.name)))
