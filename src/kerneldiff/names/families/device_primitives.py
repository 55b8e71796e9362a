"""CUB, hipCUB, rocPRIM and Thrust: scans, sorts, reductions and selections.

CUB: cub/device/dispatch of NVIDIA/cccl. rocPRIM: the kernel's own name, or for a trampoline the algorithm
named in its template arguments.
"""

from __future__ import annotations

from kerneldiff.names.cxx import Signature, signature
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import ordered
from kerneldiff.names.patterns import Pattern

_SCOPE = Pattern(r"(?:^|::)(?:cub|hipcub|rocprim|thrust)(?:::|$)")
_WORDS: tuple[tuple[str, str], ...] = (
    ("RadixSort", "radix_sort"), ("radix_sort", "radix_sort"), ("onesweep", "radix_sort"), ("MergeSort", "sort"),
    ("merge_sort", "sort"), ("block_sort", "sort"), ("SegmentedSort", "sort"), ("ReduceByKey", "reduce"),
    ("reduce_by_key", "reduce"), ("SelectSweep", "compact"), ("DeviceSelect", "compact"), ("partition", "compact"), ("Compact", "compact"),
    ("select", "compact"), ("unique", "compact"), ("Unique", "compact"), ("Histogram", "reduce"), ("histogram", "reduce"), ("Scan", "scan"),
    ("scan", "scan"), ("Reduce", "reduce"), ("reduce", "reduce"), ("transform", "elementwise"), ("Transform", "elementwise"),
    ("for_each", "elementwise"), ("ForKernel", "elementwise"), ("parallel_for", "elementwise"), ("binary_search", "search"),
    ("lower_bound", "search"),
)  # fmt: skip
_HELPERS = ("Init", "init_", "ExclusiveSum", "histograms", "Histogram")


def _parse(text: str) -> KernelName | None:
    if "cub::" not in text and "rocprim::" not in text and "thrust::" not in text:
        return None
    read = signature(text)
    if read is None or not _SCOPE.search(read.scope):
        return None
    op = _operation(read)
    library = next((name for name in ("rocprim", "hipcub", "cub", "thrust") if f"{name}::" in f"{read.scope}::"), None)
    part = Part(start=read.start, end=read.end, meaning=(op or "kernel").replace("_", " "), certainty="source")
    return KernelName(
        name=text,
        family="rocprim_hipcub",
        library=library,
        op=op,
        auxiliary=any(word in read.function for word in _HELPERS),
        parts=ordered([part]),
    )


def _operation(read: Signature) -> str | None:
    """From the function; a trampoline or a wrapper names its algorithm in its arguments."""
    places = [read.function]
    if read.function in ("trampoline_kernel", "_kernel_agent", "static_kernel", "wrapper", "for_each_kernel"):
        places = [argument.text for argument in read.arguments]
    for place in places:
        early = place[:400]
        op = next((op for word, op in _WORDS if word in early), None)
        if op is not None:
            return op
    return None


FAMILY = Family(name="rocprim_hipcub", parse=_parse)
