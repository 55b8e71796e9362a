"""Kernels that Inductor generates for the CPU: ``cpp_fused_<operators>_<number>``.

The name is built in torch/_inductor/codegen/cpp.py (CppScheduling.define_kernel); a profile shows it with the
number of its graph in front when ``cpp.enable_kernel_profile`` is on.
"""

from __future__ import annotations

import re

from kerneldiff.names.model import Family, KernelName
from kerneldiff.names.operators import split_operators

_NAME = re.compile(r"(?:graph_\d+_)?cpp_fused(?:_(?P<operators>\w+?))??(?:_(?P<number>\d+))?")


def _parse(text: str) -> KernelName | None:
    if "cpp_fused" not in text:
        return None
    found = _NAME.fullmatch(text)
    if found is None:
        return None
    return KernelName(
        name=text,
        family="inductor_cpp",
        library="inductor_cpp",
        fused_ops=split_operators(found["operators"] or ""),
        jit=True,
    )


FAMILY = Family(name="inductor_cpp", parse=_parse)
