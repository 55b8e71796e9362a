"""The table at the end of a comparison of several setups: what changed, what stayed the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from rich.text import Text

from kerneldiff.diffs.model import Diff
from kerneldiff.diffs.operators import bare
from kerneldiff.names.operations import ATTENTION, CONVOLUTION, GEMM
from kerneldiff.profiles.model import Profile
from kerneldiff.reports.text.layout import Column, heading, row
from kerneldiff.units import percent_text, time_text

_COLUMNS = (Column(width=22), Column(width=None), Column(width=26))


def origin_table(diffs: Sequence[Diff], total: int) -> list[Text]:
    """Lay out one row a setup, each against the first run."""
    lines = [heading("All setups against the first")]
    lines += row(("setup", "what changed", "what stayed the same"), _COLUMNS, total, ("dim",) * 3)
    first = diffs[0].baseline
    start = f"{first.kernels} kernels, {time_text(sum(event.gpu_ns for event in first.events))} on the GPU"
    lines += row((setup_name(first), "(baseline)", start), _COLUMNS, total)
    for diff in diffs:
        lines += row((setup_name(diff.candidate), changed_text(diff), same_text(diff)), _COLUMNS, total)
    return lines


def setup_name(run: Profile) -> str:
    """Name a run by its file, or by its folder where it is several recordings."""
    path = PurePath(run.paths[0])
    return (
        path.parent.name
        if len(run.paths) > 1
        else path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".pt.trace")
    )


def changed_text(diff: Diff) -> str:
    """Say what changed: kinds of change with the operators of the largest, then times."""
    parts = []
    counts = Counter(match.relation for match in diff.matches if match.relation not in ("same", "unproven"))
    for relation, count in counts.most_common():
        names = [match.fused_operators or match.operators for match in diff.matches if match.relation == relation]
        shown = " + ".join(dict.fromkeys(bare(name) for name in names[0][:3]))
        parts.append(f"{relation} {shown}{f' (x{count})' if count > 1 else ''}".strip())
    parts += ["graph replay"] if "captured" in diff.verdict.changes else []
    gpu, step = diff.times.gpu, diff.times.step
    if gpu.ratio is not None and gpu.call in ("faster", "slower"):
        parts.append(f"GPU time {percent_text(gpu.ratio)}")
    if step.ratio is not None and step.call in ("faster", "slower"):
        parts.append(f"step time {percent_text(step.ratio)}")
    if diff.dispatch.added or diff.dispatch.removed:
        parts.append(f"CPU: {len(diff.dispatch.removed)} operators left, {len(diff.dispatch.added)} came")
    return "; ".join(parts) or "nothing"


def same_text(diff: Diff) -> str:
    """Say what stayed the same: heavy kernels by class, and times that are called equivalent."""
    same = [match for match in diff.matches if match.relation == "same"]
    classes: Counter[str] = Counter()
    for match in same:
        op = diff.candidate.events[match.candidate[0]].decoded.op
        classes[
            "GEMM"
            if op in GEMM
            else "convolution"
            if op in CONVOLUTION
            else "attention"
            if op in ATTENTION
            else "other"
        ] += 1
    parts = [
        f"{count} {name}{'s' if count > 1 and name not in ('attention', 'other') else ''}"
        for name, count in classes.most_common()
    ]
    if diff.verdict.gpu_work == "same":
        parts.insert(0, "all GPU work")
    parts += ["GPU time"] if diff.times.gpu.call == "equivalent" else []
    parts += ["step time"] if diff.times.step.call == "equivalent" else []
    return ", ".join(parts) or "nothing"
