"""Triton kernels that Inductor generates: ``triton_<kind>_fused_<operators>_<number>``.

The name is built in torch/_inductor/codegen/triton.py (define_kernel) and utils.py
(get_fused_kernel_name): a set of operators, so how often and in which order each ran is not said.
An operator is listed too when the kernel only reads what it made, as ``addmm`` in a pointwise kernel.
"""

from __future__ import annotations

from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.operators import split_operators
from kerneldiff.names.parts import from_groups, ordered
from kerneldiff.names.patterns import Pattern

_NAME = Pattern(
    r"(?:[A-Za-z0-9]\w*?_)??triton_(?P<kind>poi|red|per|tem|for|spl|unk)_fused(?:_(?P<operators>\w+?))??(?:_(?P<number>\d+))?"
)
_BARE = Pattern(r"triton_(?:_(?P<specialised>(?:\d+[dce]*)+))?(?:(?P<number>\d+))?")
_TEMPLATE = Pattern(
    r"triton_(?P<body>mm|bmm|addmm|baddbmm|mm_plus_mm|scaled_mm|convolution2d|flex_attention|flex_decoding)(?:_\w+)?"
)
_KINDS = {
    "poi": ("pointwise", "pointwise"),
    "red": ("reduction", "reduction in a loop"),
    "per": ("persistent_reduction", "reduction that keeps its row in registers"),
    "tem": ("template", "template: product, convolution or attention"),
    "for": ("foreach", "several kernels in one launch"),
    "spl": ("split_scan", "scan over several blocks"),
}


def _parse(text: str) -> KernelName | None:
    if "triton_" not in text:
        return None
    return _fused(text) or _unnamed(text)


def _fused(text: str) -> KernelName | None:
    found = _NAME.fullmatch(text.removesuffix("...").rstrip("_") if text.endswith("...") else text)
    if found is None:
        return None
    operators = split_operators(found["operators"] or "")
    op, meaning = _KINDS.get(found["kind"], (None, "kind not told"))
    return KernelName(
        name=text,
        family="inductor_triton",
        library="inductor_triton",
        op=op,
        fused_ops=operators,
        jit=True,
        parts=ordered(
            [
                *from_groups(found, {"kind": (meaning, "source")}),
                *_operator_parts(found.start("operators"), operators),
                *from_groups(
                    found, {"number": ("number of the kernel in its graph; says nothing of the work", "source")}
                ),
            ]
        ),
    )


def _operator_parts(start: int, operators: tuple[str, ...]) -> list[Part]:
    parts: list[Part] = []
    for operator in operators:
        meaning = f"operator {operator} is computed here, or its result is read"
        parts.append(Part(start=start, end=start + len(operator), meaning=meaning, certainty="source"))
        start += len(operator) + 1
    return parts


def _unnamed(text: str) -> KernelName | None:
    """``triton_`` and ``triton__0d1d2``: all kernels shared one name (unique_kernel_names=False)."""
    found = _BARE.fullmatch(text)
    if found is None:
        return _template(text)
    notes = from_groups(found, {"specialised": ("arguments: d divisible by 16, c constant 1", "source")})
    return KernelName(name=text, family="inductor_triton", library="inductor_triton", jit=True, parts=notes)


def _template(text: str) -> KernelName | None:
    found = _TEMPLATE.fullmatch(text)
    if found is None:
        return None
    notes = from_groups(found, {"body": ("what the template computes", "source")})
    return KernelName(
        name=text, family="inductor_triton", library="inductor_triton", op="template", jit=True, parts=notes
    )


FAMILY = Family(name="inductor_triton", parse=_parse)
