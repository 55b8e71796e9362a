"""OpenAI's triton_kernels, which name their specialisation: ``_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu``."""

from __future__ import annotations

from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import Note, from_groups
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import short_type

_TYPE = r"(?:mx)?(?:bf16|fp\d{1,2}(?:e\dm\d)?|f\d{1,2}|e\dm\d(?:fn|fnuz)?|u?int\d{1,2}|[iu]\d{1,2})"
_MATMUL = Pattern(
    rf"_?(?:p_)?matmul(?:_ogs)?_(?P<layout>[NT]{{3}})_(?P<out>{_TYPE})x(?P<a>{_TYPE})x(?P<b>{_TYPE})_(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)x(?P<split>\d+)(?P<epilogue>(?:_\w+)?)"
)
_OTHERS: tuple[tuple[Pattern, str], ...] = (
    (Pattern(r"_combined_routing_\w+"), "moe_routing"),
    (Pattern(r"_sum_bitmatrix_\w+"), "moe_routing"),
    (Pattern(r"_routing_\w+"), "moe_routing"),
    (Pattern(r"_topk_(?:forward|backward)"), "topk"),
    (Pattern(r"_finalize_matmul(?:_\w+)?"), "moe_finalize"),
)
_NOTES: dict[str, Note] = {
    "layout": ("layouts of the three matrices; their order is not settled", "unknown"),
    "out": ("output type", "inferred"),
    "a": ("type of activations", "inferred"),
    "b": ("type of weights", "inferred"),
    "m": ("rows of the tile", "inferred"),
    "n": ("columns of the tile", "inferred"),
    "k": ("k per step", "inferred"),
    "split": ("parts that k is split into", "inferred"),
    "epilogue": ("what follows in the same kernel", "inferred"),
}


def _parse(text: str) -> KernelName | None:
    found = _MATMUL.fullmatch(text)
    if found is None:
        return _other(text)
    inputs = dict.fromkeys(short_type(found[side]) or found[side] for side in ("a", "b"))
    return KernelName(
        name=text,
        family="triton_kernels_ogs",
        library="triton_kernels",
        op="moe_gemm",
        dtype_in=",".join(inputs),
        dtype_out=short_type(found["out"]) or found["out"],
        tile=(int(found["m"]), int(found["n"]), int(found["k"])),
        split_k=int(found["split"]) > 1,
        epilogue=found["epilogue"].lstrip("_") or None,
        jit=True,
        parts=from_groups(found, _NOTES),
    )


def _other(text: str) -> KernelName | None:
    op = next((op for pattern, op in _OTHERS if pattern.fullmatch(text)), None)
    if op is None:
        return None
    part = Part(start=0, end=len(text), meaning=op.replace("_", " "), certainty="inferred")
    return KernelName(
        name=text,
        family="triton_kernels_ogs",
        library="triton_kernels",
        op=op,
        jit=True,
        auxiliary=op == "moe_finalize",
        parts=(part,),
    )


FAMILY = Family(name="triton_kernels_ogs", parse=_parse)
