"""How changes are called in sentences: operators by the names people use, counts with the right grammar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.model import Match
from kerneldiff.diffs.operators import VIEWS, bare
from kerneldiff.profiles.model import GpuEvent, Profile

_PEOPLE = {
    "native_layer_norm": "layer_norm",
    "native_layer_norm_backward": "layer_norm_backward",
    "native_group_norm": "group_norm",
    "native_batch_norm": "batch_norm",
    "native_batch_norm_legit_no_training": "batch_norm",
    "native_batch_norm_legit_functional": "batch_norm",
    "cudnn_batch_norm": "batch_norm",
    "cudnn_convolution": "convolution",
    "miopen_convolution": "convolution",
    "conv2d": "convolution",
    "native_dropout": "dropout",
    "nll_loss_forward": "nll_loss",
    "clamp_min": "relu",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool2d_with_indices_backward": "max_pool2d_backward",
    "embedding_dense_backward": "embedding_backward",
    "softmax_backward_data": "softmax_backward",
    "log_softmax_backward_data": "log_softmax_backward",
    "to_copy": "copy",
    "direct_copy": "copy",
    "clone": "copy",
    "gelu_tanh": "gelu",
    "gelu_erf": "gelu",
}
_PROVIDERS = {
    "inductor_triton": "Inductor (Triton)",
    "triton": "a Triton kernel",
    "aten": "ATen",
    "cublas": "cuBLAS",
    "cudnn": "cuDNN",
    "cutlass": "CUTLASS",
    "flash_attention": "FlashAttention",
    "flash_attention2": "FlashAttention 2",
    "flash_attention3": "FlashAttention 3",
    "pytorch": "PyTorch",
    "nccl": "NCCL",
    "miopen": "MIOpen",
    "hipblaslt": "hipBLASLt",
    "rocblas": "rocBLAS",
}
_HELPERS = {
    "layout_transform": "layout conversion",
    "splitk_reduce": "split-k reduction",
    "gemm_epilogue": "GEMM epilogue",
    "pad": "padding",
}
_TYPES = {"f16": "fp16", "f32": "fp32", "f64": "fp64", "e4m3": "fp8", "e5m2": "fp8", "i8": "int8"}


def person_name(operator: str) -> str | None:
    """Give an operator the name that people know it by, None for one that does no work of its own.

    >>> person_name("aten::_scaled_dot_product_flash_attention"), person_name("aten::gelu"), person_name("aten::t")
    ('attention', 'gelu', None)
    """
    name = bare(operator)
    if "dot_product" in name or "attention" in name:
        return "attention backward" if name.endswith("backward") else "attention"
    name = _PEOPLE.get(name, name)
    return None if name in VIEWS or not name else name


def people_names(operators: Iterable[str]) -> list[str]:
    """Name some operators, each once, in order."""
    return list(dict.fromkeys(name for operator in operators if (name := person_name(operator))))


def listed(names: Sequence[str], most: int = 4) -> str:
    """Join names as a sentence does.

    >>> listed(["gelu", "mul"]), listed(["a", "b", "c", "d", "e"], 3)
    ('gelu and mul', 'a, b, c and 2 more operators')
    """
    if len(names) > most:
        rest = len(names) - most
        return f"{', '.join(names[:most])} and {count(rest, 'more operator')}"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def count(number: int, one: str, many: str | None = None) -> str:
    """Give a number with its noun in the right form.

    >>> count(1, "kernel"), count(2, "kernel"), count(3, "memory copy", "memory copies")
    ('1 kernel', '2 kernels', '3 memory copies')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def main_of(events: Sequence[GpuEvent]) -> GpuEvent:
    """Give the event that does the work; the helpers around it serve it."""
    return next((one for one in events if not (one.decoded.auxiliary or one.kind == "memset")), events[0])


def provider(event: GpuEvent) -> str:
    """Name who wrote a kernel."""
    library = event.decoded.library
    return _PROVIDERS.get(library, library) if library else "another provider"


def type_name(word: str) -> str:
    """Write a type of a decoded name as people do.

    >>> type_name("f32"), type_name("tf32")
    ('fp32', 'tf32')
    """
    return _TYPES.get(word, word)


def subject(match: Match, baseline: Profile, candidate: Profile) -> str:
    """Say in a few words what work a match is about."""
    if match.relation in ("fused", "split"):
        names = people_names(match.fused_operators)
        if names:
            return listed(names, 3)
    ours = [baseline.events[i] for i in match.baseline]
    theirs = [candidate.events[i] for i in match.candidate]
    for events in (ours, theirs):
        names = work_of(events)
        if names:
            return listed(names, 3)
    return "unnamed work"


def work_of(events: Sequence[GpuEvent]) -> list[str]:
    """Name the work of some events: by the operator that launched each, or by what a generated kernel lists."""
    mains = [event for event in events if not (event.decoded.auxiliary or event.kind == "memset")] or list(events)
    names: list[str] = []
    for event in mains:
        if event.kind != "kernel":
            names.append("memory copy" if event.kind == "memcpy" else "memory set")
            continue
        if event.decoded.auxiliary:
            names.append(_HELPERS.get(event.decoded.op or "", "helper"))
            continue
        operator = event.operator
        generated = event.decoded.jit or operator is None or "::" not in operator
        if any("dot_product" in name or "attention" in name for name in event.chain):
            names.append("attention")
        elif generated and event.decoded.fused_ops:
            names += people_names(event.decoded.fused_ops)
        elif operator and "::" in operator:
            names += people_names([operator])
        else:
            names += [event.decoded.op.replace("_", " ")] if event.decoded.op else []
    return list(dict.fromkeys(names))


def heavy_types(events: Sequence[GpuEvent]) -> list[str]:
    """Name types and classes of products among some events, such as ``fp32 GEMM`` twice."""
    words = {"gemm": "GEMM", "conv": "convolution", "attention": "attention kernel"}
    found = []
    for event in events:
        kind = heavy_class(event.decoded)
        if kind:
            dtype = event.decoded.dtype_in
            found.append(f"{type_name(dtype) + ' ' if dtype else ''}{words[kind]}")
    return found


def kernels_of(events: Sequence[GpuEvent]) -> int:
    """Count the kernels among some events."""
    return sum(event.kind == "kernel" for event in events)
