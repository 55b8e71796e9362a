"""The grammars, one file a library, in the order in which they are asked: the first that claims a name wins."""

from __future__ import annotations

from kerneldiff.names.families import (
    aten,
    cublas_helpers,
    cublas_legacy,
    cudnn,
    cutlass,
    inductor,
    memory,
    nvjet,
    user_triton,
    xmma,
)
from kerneldiff.names.model import Family

FAMILIES: tuple[Family, ...] = (
    memory.MEMCPY,
    memory.MEMSET,
    nvjet.FAMILY,
    inductor.FAMILY,
    xmma.FAMILY,
    cutlass.FAMILY,
    cublas_legacy.FAMILY,
    cublas_helpers.FAMILY,
    cudnn.FAMILY,
    aten.FAMILY,
    user_triton.FAMILY,
)
