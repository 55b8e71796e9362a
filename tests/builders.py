"""Builders of tiny traces in Kineto's layout: ``trace(kernel("gemm", 10), kernel("relu", 2))``.

Times are given in ns; each step has a mark, each kernel an operator and a launch of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kerneldiff.diffs import Diff, diff
from kerneldiff.links import Trace, link
from kerneldiff.profiles import Profile, profile
from kerneldiff.traces import RawTrace, load

MAIN_THREAD = 100
BASE_NS = 1_790_000_000_000_000_000


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """One launch: an operator chain, a runtime call and a GPU event."""

    name: str
    dur_ns: int = 1000
    cat: str = "kernel"
    operators: tuple[str, ...] = ("aten::op",)
    grid: tuple[int, int, int] | None = (1, 1, 1)
    block: tuple[int, int, int] | None = (128, 1, 1)
    registers: int | None = 32
    shared_memory: int | None = 0
    stream: int = 7
    call: str = "cudaLaunchKernel"
    args: dict[str, Any] = field(default_factory=dict)
    operator_args: dict[str, Any] = field(default_factory=dict)
    lost: bool = False
    launched_before: bool = False
    same_call_as_before: bool = False


def kernel(name: str, dur_us: float = 1.0, **changes: Any) -> Kernel:
    """A kernel that takes some microseconds."""
    return Kernel(name=name, dur_ns=round(dur_us * 1000), **changes)


def memset(size: int = 4, dur_us: float = 1.0, **changes: Any) -> Kernel:
    return Kernel(
        name="Memset (Device)", cat="gpu_memset", dur_ns=round(dur_us * 1000), call="cudaMemsetAsync",
        args={"bytes": size}, grid=None, block=None, registers=None, shared_memory=None, **changes,
    )  # fmt: skip


def memcpy(size: int = 64, dur_us: float = 1.0, name: str = "Memcpy DtoD (Device -> Device)", **changes: Any) -> Kernel:
    return Kernel(
        name=name, cat="gpu_memcpy", dur_ns=round(dur_us * 1000), call="cudaMemcpyAsync",
        args={"bytes": size}, grid=None, block=None, registers=None, shared_memory=None, **changes,
    )  # fmt: skip


def triton(
    name: str, dur_us: float = 1.0, *, code: str | None = "chash", config: str | None = "XBLOCK=128", **changes: Any
) -> Kernel:
    """An Inductor kernel, with what its launching operator says when shapes are recorded."""
    args: dict[str, Any] = {"stream": 0}
    if code is not None:
        args |= {"kernel_hash": code, "kernel_backend": "triton", "kernel_name": name, "num_warps": 4, "num_stages": 1}
        args |= {} if config is None else {"kernel_kwargs": config}
    given = {"operators": (name,), "call": "cuLaunchKernel", "operator_args": args, **changes}
    return kernel(name, dur_us, **given)


def document(
    *steps: Sequence[Kernel], marks: bool = True, device: str | None = "NVIDIA H200", shift_ns: int = 0
) -> dict[str, Any]:
    """A trace with the given steps as the object that Kineto would write."""
    writer = _Writer(shift_ns)
    for number, kernels in enumerate(steps, 1):
        writer.step(number, kernels, marks=marks)
    head: dict[str, Any] = {"schemaVersion": 1}
    if device is not None:
        head["deviceProperties"] = [{"id": 0, "name": device, "computeMajor": 9, "computeMinor": 0}]
    return {**head, "baseTimeNanoseconds": BASE_NS, "traceEvents": writer.events, "traceName": "t.json"}


class _Writer:
    def __init__(self, shift_ns: int) -> None:
        self.events: list[dict[str, Any]] = []
        self.cpu = 1_000_000 + shift_ns
        self.gpu = self.cpu
        self.correlation = 10
        self.external = 1000
        self.innermost_end = 0

    def slice(self, cat: str, name: str, start: int, dur: int, args: dict[str, Any], **more: Any) -> None:
        where = {"pid": MAIN_THREAD, "tid": MAIN_THREAD, **more}
        self.events.append(
            {"ph": "X", "cat": cat, "name": name, **where, "ts": start / 1000, "dur": dur / 1000, "args": args}
        )

    def step(self, number: int, kernels: Sequence[Kernel], *, marks: bool) -> None:
        start = self.cpu
        self.cpu += 1000
        for one in kernels:
            self.launch(one)
        self.cpu += 1000
        if marks:
            self.slice("user_annotation", f"ProfilerStep#{number}", start, self.cpu - start, {})
        self.cpu += 500

    def launch(self, one: Kernel) -> None:
        self.correlation += 1
        depth = len(one.operators)
        start, length = self.cpu, 4000 + 2000 * depth
        if one.same_call_as_before:
            self.call(one, self.innermost_end - 900, 400)
            return
        self.innermost_end = start + length - max(0, depth - 1) * 1000
        for level, name in enumerate(one.operators):
            self.external += 1
            args = {"External id": self.external, **(one.operator_args if level == depth - 1 else {})}
            self.slice("cpu_op", name, start + level * 1000, length - level * 2000, args)
        if not one.launched_before:
            self.call(one, start + depth * 1000, 1000)
        else:
            self.gpu_event(one, start)
        self.cpu += length + 500

    def call(self, one: Kernel, start: int, length: int) -> None:
        cat = "cuda_driver" if one.call.startswith("cu") and not one.call.startswith("cuda") else "cuda_runtime"
        self.slice(cat, one.call, start, length, {"correlation": self.correlation, "External id": self.external})
        if not one.lost:
            self.gpu_event(one, start)

    def gpu_event(self, one: Kernel, earliest: int) -> None:
        self.gpu = max(self.gpu, earliest + 500)
        args: dict[str, Any] = {
            "device": 0,
            "stream": one.stream,
            "correlation": self.correlation + (10**6 if one.launched_before else 0),
        }
        facts = {
            "grid": one.grid,
            "block": one.block,
            "registers per thread": one.registers,
            "shared memory": one.shared_memory,
        }
        args |= {key: value for key, value in facts.items() if value is not None} | one.args
        self.slice(one.cat, one.name, self.gpu, one.dur_ns, args, pid=0, tid=one.stream)
        self.gpu += one.dur_ns


def encode(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode()


def raw(*kernels: Kernel, steps: int = 3, **options: Any) -> RawTrace:
    return load(encode(document(*([list(kernels)] * steps), **options)))


def trace(*kernels: Kernel, steps: int = 3, **options: Any) -> Trace:
    """A linked trace whose steps all launch the same kernels."""
    return link(raw(*kernels, steps=steps, **options))


def run(*kernels: Kernel, steps: int = 3, **options: Any) -> Profile:
    """One run whose steps all launch the same kernels."""
    return profile(trace(*kernels, steps=steps, **options))


def run_of(value: dict[str, Any]) -> Profile:
    return profile(link(load(encode(value))))


def compare(baseline: Sequence[Kernel], candidate: Sequence[Kernel], **options: Any) -> Diff:
    """The diff of two runs of three equal steps."""
    return diff(run(*baseline, **options), run(*candidate, **options))


def relations(found: Diff) -> list[str]:
    return [match.relation for match in found.matches]


def with_time(one: Kernel, dur_us: float) -> Kernel:
    return replace(one, dur_ns=round(dur_us * 1000))


GEMM = kernel(
    "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT", 57.0, operators=("aten::linear", "aten::matmul", "aten::mm"),
    grid=(2, 66, 1), block=(384, 1, 1), registers=168, shared_memory=213188, call="cuLaunchKernelEx",
)  # fmt: skip
GELU_NAME = (
    "void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)"
    "::{lambda()#1}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >"
    "(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#1}::operator()() const::{lambda()#4}"
    "::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul>)"
)
GELU = kernel(GELU_NAME, 32.0, operators=("aten::gelu",), grid=(24576, 1, 1))
MUL = kernel(
    "void at::native::vectorized_elementwise_kernel<8, at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
    "at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int, at::native::BinaryFunctor<c10::BFloat16, "
    "c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul>)",
    37.0,
    operators=("aten::mul",),
    grid=(24576, 1, 1),
)
ADD = kernel(
    "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >"
    "(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
    20.0,
    operators=("aten::add",),
    grid=(24576, 1, 1),
)
GELU_MUL = triton("triton_poi_fused_gelu_mul_0", 37.0, grid=(24576, 1, 1))
