"""NCCL and its kin: ``ncclDevKernel_AllReduce_Sum_bf16_RING_LL``, symmetric-memory and MSCCL kernels.

Format: src/device/generate.py and src/device/symmetric/generate.py of NVIDIA/nccl. The name is not what ran:
only sums with protocol LL over ring or tree have kernels of their own, all else runs through the nearest of
them. So the algorithm and protocol are no facts, and what was moved stands in the event's arguments.
"""

from __future__ import annotations

import re

from kerneldiff.names.model import Family, KernelName
from kerneldiff.names.parts import Note, from_groups
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import short_type

_DEVICE = Pattern(
    r"(?P<kind>ncclDevKernel(?:Debug)?)_(?P<collective>[A-Za-z]+)(?:_(?P<reduction>Sum|Prod|MinMax|Min|Max|PreMulSum|SumPostDiv)_(?P<type>\w+?))?"
    r"(?:_(?P<algorithm>RING|TREE|COLLNET\w*?|NVLS\w*?|PAT))?(?:_(?P<protocol>LL128|LL|SIMPLE))?(?:_(?P<number>\d+))?(?:\(.*)?"
)
_OLD = Pattern(
    r"(?P<kind>ncclKernel)_(?P<collective>[A-Za-z]+)(?:_(?P<algorithm>RING|TREE|COLLNET\w*?|NVLS\w*?))?(?:_(?P<protocol>LL128|LL|SIMPLE))?"
    r"(?:_(?P<reduction>Sum|Prod|Min|Max|MinMax|PreMulSum|SumPostDiv)_(?P<type>\w+?))?(?:\(.*)?"
)
_SYMMETRIC = Pattern(
    r"(?P<kind>ncclSymk?(?:Dev)?Kernel)_(?P<collective>[A-Za-z]+)(?:_(?P<algorithm>\w+?))??(?:_(?P<reduction>sum|prod|min|max)_(?P<type>\w+?))?(?:\(.*)?"
)
_MSCCL = Pattern(
    r"(?P<kind>mscclKernel)_(?P<reduction>Sum|Prod|Min|Max|MinMax)_(?P<type>\w+?)_(?P<protocol>LL128|LL|Simple)(?:_\w+)?(?:\(.*)?"
)
_COLLECTIVES = {
    "AllReduce": "all_reduce",
    "AllGather": "all_gather",
    "AllGatherV": "all_gather",
    "ReduceScatter": "reduce_scatter",
    "Broadcast": "broadcast",
    "Reduce": "reduce",
    "SendRecv": "send_recv",
    "AlltoAll": "all_to_all",
    "AllToAll": "all_to_all",
    "AllToAllPivot": "all_to_all",
}
_REDUCING = frozenset({"all_reduce", "reduce_scatter", "reduce"})
_NOTES: dict[str, Note] = {
    "collective": ("collective that the kernel was built for", "source"),
    "reduction": ("reduction it was built for", "source"),
    "type": ("element type it was built for", "source"),
    "algorithm": ("algorithm it was built for; another may have run through it", "source"),
    "protocol": ("protocol it was built for; another may have run through it", "source"),
}


def _parse(text: str) -> KernelName | None:
    if not text.startswith(("nccl", "msccl")):
        return None
    for pattern in (_DEVICE, _OLD, _SYMMETRIC, _MSCCL):
        found = pattern.fullmatch(text)
        if found is not None:
            return _decoded(text, found)
    return None


def _decoded(text: str, found: re.Match[str]) -> KernelName:
    groups = found.groupdict()
    op = _COLLECTIVES.get(groups.get("collective") or "")
    # what only moves data is built for bytes, whatever the type of the tensor
    element = short_type(groups["type"]) if op in _REDUCING or groups["kind"] == "mscclKernel" else None
    return KernelName(
        name=text,
        family="nccl",
        library="nccl",
        op=op,
        dtype_in=element,
        dtype_out=element,
        parts=from_groups(found, {group: note for group, note in _NOTES.items() if groups.get(group)}),
    )


FAMILY = Family(name="nccl", parse=_parse)
