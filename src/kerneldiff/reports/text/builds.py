"""Several builds of one program, in the terminal: one code or not, how far apart, and which kernels make it."""

from __future__ import annotations

from rich.text import Text

from kerneldiff.diffs.builds import BuildSpread, KernelSpread
from kerneldiff.reports.escape import terminal
from kerneldiff.reports.text.layout import heading, paragraph
from kerneldiff.units import percent_text, time_text

_MOST_KERNELS = 5
_WORDS = {
    "same": "all builds are the same code",
    "unproven": "no difference in code is seen, and equality is not proved",
    "changed": "the builds are not the same code",
    "unknown": "whether the builds are the same code is not known",
}


def spread(builds: BuildSpread, baseline: str, total: int) -> list[Text]:
    """Lay out how far builds lie apart."""
    count = len(builds.gpu_ns)
    lines = [heading(f"{count} builds of {terminal(builds.variant)}")]
    codes = f" ({builds.codes} different among {count})" if builds.work == "changed" else ""
    lines += paragraph(f"{_WORDS[builds.work]}{codes}.", total, indent=2)
    known = [ns for ns in builds.gpu_ns if ns is not None]
    if known:
        each = ", ".join("not known" if ns is None else time_text(ns) for ns in builds.gpu_ns)
        apart = f"{(max(known) / min(known) - 1) * 100:.1f} % apart" if min(known) else "not comparable"
        lines += paragraph(f"GPU time a step: {each}; {apart}.", total, indent=2)
    ratios = [ratio for ratio in builds.ratios if ratio is not None]
    if ratios:
        low, high = percent_text(min(ratios)), percent_text(max(ratios))
        said = f"between {low} and {high}" if low != high else low
        lines += paragraph(f"Against {baseline}: {said}. One build is one draw from this range.", total, indent=2)
    for kernel in builds.kernels[:_MOST_KERNELS]:
        lines += paragraph(_kernel(kernel), total, indent=4, first="  -")
    return lines


def _kernel(kernel: KernelSpread) -> str:
    times = ", ".join(time_text(ns) if ns else "absent" for ns in kernel.ns)
    differs = ", ".join(f"{one.field} {one.baseline} > {one.candidate}" for one in kernel.differences[:4])
    return f"{kernel.name}: {times}" + (f" ({differs})" if differs else "")
