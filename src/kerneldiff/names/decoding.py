"""Name to facts: asks the families in order and completes what they answer."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from kerneldiff.names.demangling import LONGEST_READABLE, demangled
from kerneldiff.names.labels import label
from kerneldiff.names.model import Family, KernelName
from kerneldiff.names.spelling import is_cut


@lru_cache(maxsize=65_536)
def decode(name: str) -> KernelName:
    """What a kernel's name says. Never raises; what is not said is None.

    >>> decode("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT").layout
    'tn'
    """
    readable = demangled(name)
    text = (readable or name).removesuffix(".kd")
    answer = _ask(text) if len(text) <= LONGEST_READABLE else None
    if answer is None:
        answer = KernelName(name=text, unparsed=text or None)
    unknown = [text[part.start : part.end] for part in answer.parts if part.certainty == "unknown"]
    unparsed = answer.unparsed or " ".join(unknown) or None
    answer = replace(answer, name=name, demangled=readable, cut=is_cut(name), unparsed=unparsed)
    return replace(answer, label=label(answer))


def _ask(text: str) -> KernelName | None:
    for family in _families():
        answer = family.parse(text)
        if answer is not None:
            return answer
    return None


@lru_cache(maxsize=1)
def _families() -> tuple[Family, ...]:
    # imported at the first name: the grammars are most of what this package costs to import
    from kerneldiff.names.families import FAMILIES  # noqa: PLC0415

    return FAMILIES
