"""An independent, slow and plain reading of a sound trace: what the columns must say, row by row."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from kerneldiff.traces import MISSING, Kind

KINDS = {
    "cpu_op": Kind.OPERATOR,
    "Operator": Kind.OPERATOR,
    "user_annotation": Kind.ANNOTATION,
    "cuda_runtime": Kind.RUNTIME,
    "cuda_driver": Kind.RUNTIME,
    "Runtime": Kind.RUNTIME,
    "xpu_runtime": Kind.RUNTIME,
    "mtia_runtime": Kind.RUNTIME,
    "kernel": Kind.KERNEL,
    "Kernel": Kind.KERNEL,
    "gpu_memcpy": Kind.MEMCPY,
    "Memcpy": Kind.MEMCPY,
    "gpu_memset": Kind.MEMSET,
    "Memset": Kind.MEMSET,
    "gpu_user_annotation": Kind.GPU_ANNOTATION,
    "python_function": Kind.PYTHON,
    "cuda_sync": Kind.SYNC,
    "overhead": Kind.OVERHEAD,
    "Trace": Kind.SPAN,
    "mtia_ccp_events": Kind.OTHER_DEVICE,
}
DEVICE = (Kind.KERNEL, Kind.MEMCPY, Kind.MEMSET, Kind.OTHER_DEVICE)
NO_DIM3 = (MISSING, MISSING, MISSING)


@dataclass
class Expected:
    """Rows as dictionaries, by table."""

    events: list[dict[str, Any]] = field(default_factory=list)
    device: list[dict[str, Any]] = field(default_factory=list)
    runtime: list[dict[str, Any]] = field(default_factory=list)
    operators: list[dict[str, Any]] = field(default_factory=list)
    python: list[dict[str, Any]] = field(default_factory=list)
    sync: list[dict[str, Any]] = field(default_factory=list)
    phases: Counter = field(default_factory=Counter)


def read(text: bytes) -> Expected:
    """Read sound JSON of complete events."""
    document = json.loads(text.decode("utf-8-sig"), parse_float=Decimal)
    expected = Expected()
    for record in document if isinstance(document, list) else document["traceEvents"]:
        expected.phases[record.get("ph", "")] += 1
        if record.get("ph") == "X":
            add(expected, record)
    return expected


def add(expected: Expected, record: dict[str, Any]) -> None:
    args = record.get("args") or {}
    kind = kind_of(record)
    row = len(expected.events)
    external = integer(args.get("External id"))
    expected.events.append(
        {
            "name": record.get("name", ""),
            "category": record.get("cat"),
            "kind": kind,
            "track": (track_text(record.get("pid")), track_text(record.get("tid"))),
            "start_ns": nanoseconds(record["ts"]),
            "dur_ns": nanoseconds(record.get("dur") or 0),
            "external_id": integer(args.get("external id")) if external == MISSING else external,
        }
    )
    if kind in DEVICE:
        expected.device.append({"row": row} | device(args))
    elif kind == Kind.RUNTIME:
        expected.runtime.append({"row": row} | runtime(args))
    elif kind in (Kind.OPERATOR, Kind.ANNOTATION):
        values = operator(args)
        if any(value not in (MISSING, None) for value in values.values()):
            expected.operators.append({"row": row} | values)
    elif kind == Kind.PYTHON:
        ids = ("Python id", "Python parent id", "Python module id")
        values = [integer(args.get(key)) for key in ids]
        expected.python.append({"row": row} | dict(zip(("python_id", "parent_id", "module_id"), values, strict=True)))
    elif kind == Kind.SYNC:
        expected.sync.append({"row": row} | sync(args))


def kind_of(record: dict[str, Any]) -> Kind:
    category = record.get("cat")
    if category is None:
        return Kind.OPERATOR if record.get("pid") == "CPU functions" else Kind.OTHER
    if category == "Operator" and record.get("name", "").startswith("ProfilerStep#"):
        return Kind.ANNOTATION
    return KINDS.get(category, Kind.OTHER)


def device(args: dict[str, Any]) -> dict[str, Any]:
    return runtime(args) | {
        "device": integer(args.get("device")),
        "stream": integer(args.get("stream")),
        "context": integer(args.get("context")),
        "queue": None if args.get("sycl queue") is None else str(args["sycl queue"]),
        "registers": integer(args.get("registers per thread")),
        "shared_memory": integer(args.get("shared memory")),
        "graph_id": integer(args.get("graph id")),
        "graph_node": integer(args.get("graph node id")),
        "collective": collective(args),
    }


def runtime(args: dict[str, Any]) -> dict[str, Any]:
    size = integer(args.get("bytes"))
    return {
        "correlation": integer(args.get("correlation")),
        "grid": dim3(args.get("grid")),
        "block": dim3(args.get("block")),
        "size_bytes": integer(args.get("size")) if size == MISSING else size,
    }


def operator(args: dict[str, Any]) -> dict[str, Any]:
    return {
        "sequence": integer(args.get("Sequence number")),
        "forward_thread": integer(args.get("Fwd thread id")),
        "input_dims": args.get("Input Dims"),
        "input_types": args.get("Input type"),
        "input_strides": args.get("Input Strides"),
        "concrete_inputs": args.get("Concrete Inputs"),
        "num_warps": integer(args.get("num_warps")),
        "num_stages": integer(args.get("num_stages")),
        "kernel_kwargs": args.get("kernel_kwargs"),
        "kernel_backend": args.get("kernel_backend"),
        "kernel_file": args.get("kernel_file"),
        "kernel_hash": args.get("kernel_hash"),
        "kernel_name": args.get("kernel_name"),
        "collective": collective(args),
    }


def sync(args: dict[str, Any]) -> dict[str, Any]:
    return {
        "correlation": integer(args.get("correlation")),
        "sync_kind": args.get("cuda_sync_kind"),
        "device": integer(args.get("device")),
        "stream": integer(args.get("stream")),
        "wait_on_stream": integer(args.get("wait_on_stream")),
        "wait_on_event": integer(args.get("wait_on_cuda_event_id")),
        "wait_on_correlation": integer(args.get("wait_on_cuda_event_record_corr_id")),
    }


def collective(args: dict[str, Any]) -> str | None:
    name = args.get("Collective name")
    if name is None:
        return None
    counts = (args.get("In msg nelems", ""), args.get("Out msg nelems", ""), args.get("Group size", ""))
    return "|".join(str(part) for part in (name, args.get("dtype", ""), *counts))


def nanoseconds(microseconds: int | Decimal) -> int:
    return int((Decimal(microseconds) * 1000).to_integral_value())


def integer(value: object) -> int:
    if isinstance(value, str):
        return int(value) if value.isdecimal() else MISSING
    return value if isinstance(value, int) and not isinstance(value, bool) else MISSING


def dim3(value: object) -> tuple[int, int, int]:
    is_dim3 = isinstance(value, list) and len(value) == 3 and all(isinstance(part, int) for part in value)
    return tuple(value) if is_dim3 else NO_DIM3


def track_text(value: object) -> str:
    return "" if value is None else str(value)
