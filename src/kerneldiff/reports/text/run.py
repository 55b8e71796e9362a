"""One run in a terminal: its kernels, its dispatch chains, and what sets the pace."""

from __future__ import annotations

from typing import TextIO

from rich.text import Text

from kerneldiff.profiles.limits import Limits
from kerneldiff.profiles.model import Profile
from kerneldiff.reports.text.layout import heading, make_console, paragraph, print_lines
from kerneldiff.reports.text.run_rows import chains, epilogues, gpu_events, views
from kerneldiff.reports.text.run_time import compiled, pace, traffic
from kerneldiff.reports.text.sections import describe

_MOST_NOTES = 8


def show_run(profile: Profile, limits: Limits, file: TextIO, *, everything: bool = False) -> None:
    """Print one run to a stream."""
    console = make_console(file)
    print_lines(console, render(profile, limits, console.width, everything=everything))


def render(profile: Profile, limits: Limits, total: int, *, everything: bool = False) -> list[Text]:
    """Lay out one run: lines of at most ``total`` cells."""
    parts = [
        paragraph(describe(profile), total, indent=5, first="run"),
        pace(profile, total),
        gpu_events(profile, total, everything=everything),
        chains(profile, total, everything=everything),
        views(profile, total, everything=everything),
        epilogues(profile, total, everything=everything),
        traffic(profile, limits, total, everything=everything),
        compiled(profile, total),
        _notes(profile, total, everything=everything),
    ]
    lines: list[Text] = []
    for part in parts:
        if part:
            lines += [Text(), *part] if lines else part
    return lines


def _notes(profile: Profile, total: int, *, everything: bool) -> list[Text]:
    if not profile.notes:
        return []
    lines = [heading("Notes")]
    shown = profile.notes if everything else profile.notes[:_MOST_NOTES]
    for note in shown:
        lines += paragraph(note.text, total, indent=2, first="-")
    if len(profile.notes) > len(shown):
        lines.append(Text(f"  and {len(profile.notes) - len(shown)} more; --all shows them", style="dim"))
    return lines
