"""Linking of hand-made traces: correlation ids, nesting, steps, graph replays, captures."""

from __future__ import annotations

from typing import Any

import pytest

import builders as b
from builders import GELU, GEMM, kernel
from kerneldiff.links import Trace, link
from kerneldiff.links.calls import call_class
from kerneldiff.traces import load


def linked(value: dict[str, Any]) -> Trace:
    return link(load(b.encode(value)))


def codes(trace: Trace) -> set[str]:
    return {note.code for note in trace.notes}


def operator_of(trace: Trace, event: int) -> str | None:
    index = int(trace.gpu.operator[event])
    return None if index < 0 else trace.raw.strings[int(trace.cpu.name[index])]


def test_an_event_has_its_launch_its_innermost_operator_and_its_step() -> None:
    trace = linked(b.document([GEMM, GELU], [GEMM, GELU]))

    assert (trace.gpu.launch >= 0).all()
    assert [operator_of(trace, event) for event in range(4)] == ["aten::mm", "aten::gelu"] * 2
    assert trace.gpu.step.tolist() == [0, 0, 1, 1]


def test_an_event_belongs_to_the_step_that_launched_it_however_late_it_ran() -> None:
    trace = linked(b.document([kernel("slow", 500.0)], [kernel("quick", 1.0)]))

    assert trace.gpu.step.tolist() == [0, 1]
    assert trace.gpu.start_ns[1] > trace.steps[1].end_ns


def test_without_marks_the_whole_file_is_one_step() -> None:
    trace = linked(b.document([GEMM], [GEMM], marks=False))

    assert len(trace.steps) == 1
    assert trace.steps[0].number is None
    assert trace.gpu.step.tolist() == [0, 0]


def test_an_external_id_that_names_another_operator_misleads_nobody() -> None:
    value = b.document([GEMM, GELU])
    ids = {event["name"]: event["args"]["External id"] for event in value["traceEvents"] if event["cat"] == "cpu_op"}
    for event in value["traceEvents"]:
        if event["cat"] in ("kernel", "cuda_runtime", "cuda_driver"):
            event["args"]["External id"] = ids["aten::linear"]

    trace = linked(value)

    assert [operator_of(trace, event) for event in range(2)] == ["aten::mm", "aten::gelu"]


def test_an_id_on_a_launch_and_on_another_call_links_to_the_launch() -> None:
    value = b.document([GEMM])
    launch = next(event for event in value["traceEvents"] if event["cat"] == "cuda_driver")
    query = {**launch, "cat": "cuda_runtime", "name": "cudaEventQuery", "ts": launch["ts"] + 0.1, "dur": 0.1}
    value["traceEvents"].insert(0, query)

    trace = linked(value)

    assert trace.raw.strings[int(trace.cpu.name[trace.gpu.launch[0]])] == "cuLaunchKernelEx"


def test_an_id_used_again_links_each_kernel_to_the_launch_before_it() -> None:
    value = b.document([GEMM], [GEMM])
    for event in value["traceEvents"]:
        if "correlation" in event["args"]:
            event["args"]["correlation"] = 77

    trace = linked(value)

    assert len(set(trace.gpu.launch.tolist())) == 2
    assert trace.gpu.step.tolist() == [0, 1]


def test_an_id_of_a_left_over_kernel_that_a_launch_has_too_goes_to_the_kernel_after_the_launch() -> None:
    value = b.document([GEMM], shift_ns=10**6)
    own = next(event for event in value["traceEvents"] if event["cat"] == "kernel")
    value["traceEvents"].append({**own, "name": "left over", "ts": 1.0})

    trace = linked(value)

    names = {trace.raw.strings[int(trace.gpu.name[event])]: int(trace.gpu.launch[event]) for event in range(2)}
    assert names["left over"] == -1
    assert names[GEMM.name] >= 0


def test_a_graph_launch_has_many_kernels_and_no_operator_claims_them() -> None:
    value = b.document([GEMM])
    for event in value["traceEvents"]:
        if event["cat"] == "cuda_driver":
            event.update(cat="cuda_runtime", name="cudaGraphLaunch")
    own = next(event for event in value["traceEvents"] if event["cat"] == "kernel")
    value["traceEvents"] += [{**own, "ts": own["ts"] + 100 * i} for i in range(1, 4)]

    trace = linked(value)

    assert trace.gpu.replayed.all()
    assert len(set(trace.gpu.launch.tolist())) == 1
    assert len(trace.gpu) == 4


def test_launches_inside_a_capture_are_not_lost() -> None:
    value = b.document([GEMM], [b.replace(GELU, lost=True)])
    lost = max(event["ts"] for event in value["traceEvents"] if event["name"] == "cudaLaunchKernel")
    where = {"ph": "X", "cat": "cuda_runtime", "pid": b.MAIN_THREAD, "tid": b.MAIN_THREAD, "dur": 0.1, "args": {}}
    capture = [
        {**where, "name": "cudaStreamBeginCapture", "ts": lost - 0.5},
        {**where, "name": "cudaStreamEndCapture", "ts": lost + 1.5},
    ]

    assert "launches-without-events" in codes(linked(value))
    assert "launches-without-events" not in codes(linked({**value, "traceEvents": value["traceEvents"] + capture}))


def test_copies_without_a_record_are_no_loss() -> None:
    trace = linked(b.document([GEMM, b.replace(b.memcpy(), lost=True)]))

    assert trace.steps[0].complete


def test_an_event_whose_launch_record_was_lost_is_not_called_left_over() -> None:
    value = b.document([GEMM], [GELU], [GEMM])
    middle = next(event for event in value["traceEvents"] if event["name"] == "cudaLaunchKernel")
    value["traceEvents"].remove(middle)

    trace = linked(value)

    assert "launch-not-recorded" in codes(trace)
    assert "launched-before-window" not in codes(trace)
    assert trace.coverage.before_window == 0


def test_nesting_is_by_thread() -> None:
    value = b.document([GEMM])
    annotation = {
        "ph": "X",
        "cat": "cpu_op",
        "name": "other thread",
        "pid": b.MAIN_THREAD,
        "tid": 999,
        "ts": 0,
        "dur": 10**6,
        "args": {},
    }
    value["traceEvents"].append(annotation)

    assert operator_of(linked(value), 0) == "aten::mm"


def test_shifted_and_shuffled_copies_of_a_recording_have_one_digest() -> None:
    plain, shifted = b.document([GEMM, GELU]), b.document([GEMM, GELU], shift_ns=123_456)
    shifted["traceEvents"].reverse()

    assert linked(plain).digest == linked(shifted).digest
    assert linked(plain).digest != linked(b.document([GEMM, b.with_time(GELU, 33.0)])).digest


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("cudaLaunchKernel", "launch"),
        ("cuLaunchKernelEx", "launch"),
        ("hipExtModuleLaunchKernel", "launch"),
        ("urEnqueueKernelLaunch", "launch"),
        ("cudaGraphLaunch", "graph"),
        ("hipGraphLaunch", "graph"),
        ("cudaMemcpyAsync", "copy"),
        ("hipMemsetAsync", "set"),
        ("cudaStreamSynchronize", "sync"),
        ("cudaMalloc", "allocate"),
        ("cudaStreamBeginCapture", "query"),
        ("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "query"),
        ("something nobody knows", "query"),
    ],
)
def test_calls_are_told_by_name(name: str, what: str) -> None:
    assert call_class(name) == what
