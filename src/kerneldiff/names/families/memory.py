"""Copies and sets as Kineto prints them: ``Memcpy HtoD (Pinned -> Device)``, ``Memset (Device)``.

The words come from libkineto/src/CuptiActivity.h of pytorch/kineto (memcpyKindString, memoryKindString).
"""

from __future__ import annotations

from kerneldiff.names.model import Family, KernelName
from kerneldiff.names.parts import from_groups
from kerneldiff.names.patterns import Pattern

_COPY = Pattern(r"Memcpy (?P<kind>[A-Za-z]+) \((?P<source>[\w ]+?) -> (?P<target>[\w ]+)\)")
_SET = Pattern(r"Memset \((?P<target>[\w ]+)\)")
_OPS = {"HtoD": "memcpy_h2d", "DtoH": "memcpy_d2h", "DtoD": "memcpy_d2d", "PtoP": "memcpy_p2p", "HtoH": "memcpy_h2h"}
_ARRAYS = frozenset({"HtoA", "AtoH", "AtoA", "AtoD", "DtoA"})


def _parse_copy(text: str) -> KernelName | None:
    found = _COPY.fullmatch(text)
    if found is None:
        return None
    kind = found["kind"]
    return KernelName(
        name=text,
        family="memcpy",
        library="cuda",
        op=_OPS.get(kind, "memcpy_array" if kind in _ARRAYS else "memcpy"),
        parts=from_groups(
            found,
            {
                "kind": ("direction of the copy: H host, D device, P peer device, A array", "source"),
                "source": ("memory that is read", "source"),
                "target": ("memory that is written", "source"),
            },
        ),
    )


def _parse_set(text: str) -> KernelName | None:
    found = _SET.fullmatch(text)
    if found is None:
        return None
    return KernelName(
        name=text,
        family="memset",
        library="cuda",
        op="memset",
        auxiliary=True,
        parts=from_groups(found, {"target": ("memory that is filled", "source")}),
    )


MEMCPY = Family(name="memcpy", parse=_parse_copy)
MEMSET = Family(name="memset", parse=_parse_set)
