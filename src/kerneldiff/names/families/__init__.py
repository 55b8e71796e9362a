"""The grammars, one file a library, in the order in which they are asked: the first that claims a name wins."""

from __future__ import annotations

from kerneldiff.names.families import (
    aiter_kernels,
    aten,
    attention,
    composable_kernel,
    cublas_helpers,
    cublas_legacy,
    cudnn,
    cutlass,
    deepseek,
    device_primitives,
    fbgemm,
    inductor,
    inductor_cpp,
    memory,
    miopen,
    nccl,
    nvjet,
    others,
    serving,
    tensile,
    tensorrt_llm,
    transformer_engine,
    triton_kernels,
    user_triton,
    xmma,
)
from kerneldiff.names.model import Family

FAMILIES: tuple[Family, ...] = (
    memory.MEMCPY,
    memory.MEMSET,
    nvjet.FAMILY,
    inductor.FAMILY,
    inductor_cpp.FAMILY,
    xmma.FAMILY,
    tensile.FAMILY,
    nccl.FAMILY,
    attention.FAMILY,  # before CUTLASS: FlashAttention 3 runs in cutlass::device_kernel too
    deepseek.FAMILY,  # likewise
    cutlass.FAMILY,
    cublas_legacy.FAMILY,
    cublas_helpers.FAMILY,
    cudnn.FAMILY,
    device_primitives.FAMILY,
    composable_kernel.FAMILY,
    aiter_kernels.FAMILY,
    miopen.FAMILY,
    tensorrt_llm.FAMILY,
    transformer_engine.FAMILY,
    fbgemm.FAMILY,
    serving.FAMILY,
    triton_kernels.FAMILY,
    others.FAMILY,
    aten.FAMILY,
    user_triton.FAMILY,  # last: any plain identifier could be a function in Triton
)
