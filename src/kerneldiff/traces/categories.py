"""The one table that says what a slice is, from its category.

The current names are those of libkineto's ActivityType:
https://github.com/pytorch/kineto/blob/d659be20083885b536d7115a4da6fdbb9befd15b/libkineto/src/ActivityType.cpp, the
capitalised ones those of PyTorch 1.8 and 1.9, as in the samples of pytorch/kineto at f329bb5f, tb_plugin/samples.
"""

from __future__ import annotations

from typing import Final

from kerneldiff.traces.model import Kind

KIND_OF_CATEGORY: Final[dict[str, Kind]] = {
    "cpu_op": Kind.OPERATOR,
    "Operator": Kind.OPERATOR,
    "user_annotation": Kind.ANNOTATION,
    "cuda_runtime": Kind.RUNTIME,
    "cuda_driver": Kind.RUNTIME,
    "hip_runtime": Kind.RUNTIME,
    "hip_driver": Kind.RUNTIME,
    "Runtime": Kind.RUNTIME,
    "glow_runtime": Kind.RUNTIME,
    "mtia_runtime": Kind.RUNTIME,
    "privateuse1_runtime": Kind.RUNTIME,
    "privateuse1_driver": Kind.RUNTIME,
    "xpu_runtime": Kind.RUNTIME,
    "xpu_driver": Kind.RUNTIME,
    "kernel": Kind.KERNEL,
    "Kernel": Kind.KERNEL,
    "concurrent_kernel": Kind.KERNEL,
    "gpu_memcpy": Kind.MEMCPY,
    "Memcpy": Kind.MEMCPY,
    "gpu_memset": Kind.MEMSET,
    "Memset": Kind.MEMSET,
    "gpu_user_annotation": Kind.GPU_ANNOTATION,
    "python_function": Kind.PYTHON,
    "cuda_sync": Kind.SYNC,
    "xpu_sync": Kind.SYNC,
    "overhead": Kind.OVERHEAD,
    "Trace": Kind.SPAN,
    "hpu_op": Kind.OTHER_DEVICE,
    "mtia_ccp_events": Kind.OTHER_DEVICE,
    "mtia_workloadd": Kind.OTHER_DEVICE,
    "collective_comm": Kind.OTHER_DEVICE,
}

# A back-end that is not in the table still names its categories after Kineto's pattern <device>_<activity>.
KIND_OF_SUFFIX: Final[tuple[tuple[str, Kind], ...]] = (
    ("_runtime", Kind.RUNTIME),
    ("_driver", Kind.RUNTIME),
    ("_sync", Kind.SYNC),
    ("kernel", Kind.OTHER_DEVICE),
    ("_memcpy", Kind.OTHER_DEVICE),
    ("_memset", Kind.OTHER_DEVICE),
    ("_ccp_events", Kind.OTHER_DEVICE),
)

DEVICE_KINDS: Final = (Kind.KERNEL, Kind.MEMCPY, Kind.MEMSET, Kind.OTHER_DEVICE)

# The files of 2021 give steps the category of operators; the name is the only way to tell them.
STEP_PREFIX: Final = "ProfilerStep#"
CATEGORY_OF_OLD_STEPS: Final = "Operator"

# torch.autograd.profiler wrote no categories; its rows on the CPU share this pid:
# https://github.com/pytorch/pytorch/blob/v1.8.0/torch/autograd/profiler.py (EventList.export_chrome_trace)
LEGACY_CPU_PID: Final = "CPU functions"


def kind_of(category: str | None) -> Kind:
    """Return the kind of a slice of this category; ``Kind.OTHER`` for what is not known."""
    if category is None:
        return Kind.OTHER
    known = KIND_OF_CATEGORY.get(category)
    if known is not None:
        return known
    return next((kind for suffix, kind in KIND_OF_SUFFIX if category.lower().endswith(suffix)), Kind.OTHER)
