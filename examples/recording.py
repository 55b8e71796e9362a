"""What the examples share: record, print the profiler's table, compare."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import kerneldiff
from kerneldiff.errors import KerneldiffError
from kerneldiff.reports.text import recorded


def run_variants(variants: Mapping[str, object], out: str | None) -> None:
    """Record variants in alternation, print each one's table, and compare each with the first."""
    folder = Path(out or f"traces/{Path(sys.argv[0]).stem}")
    try:
        found = kerneldiff.compare_variants(variants, out=folder, say=_say)
    except KerneldiffError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
    for one in found.recordings:
        print(f"{one.variant}: {one.files[0]}")
        print(one.files[0].with_name(one.files[0].name.replace(".pt.trace.json.gz", ".table.txt")).read_text())
    shown = recorded.Variants(
        diffs=found.diffs,
        labels=found.labels,
        warnings=[check.text for check in found.outputs if check.equal is False],
        remarks=[check.text for check in found.outputs if check.equal is not False],
    )
    recorded.show(shown, sys.stdout)
    if found.failures:
        sys.exit("\n".join(failure.message for failure in found.failures))


def _say(text: str) -> None:
    print(text, file=sys.stderr)
