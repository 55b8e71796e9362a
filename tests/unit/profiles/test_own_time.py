"""Every moment of a thread belongs to its innermost slice, and none is counted twice."""

from __future__ import annotations

import numpy as np
from cpu_traces import call, note, op, run_of, step, trace_of
from hypothesis import given, settings
from hypothesis import strategies as st

from kerneldiff.profiles.own_time import Window, own_times

spans = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 120)), min_size=1, max_size=25)


def brute_force(spans: list[tuple[int, int]], window: Window) -> tuple[list[int], int]:
    """Ask nanosecond by nanosecond which of the open slices is the innermost: the one that came last."""
    own, outside = [0] * len(spans), 0
    for moment in range(window.start_ns, window.end_ns):
        open_now = [at for at, (start, end) in enumerate(spans) if start <= moment < end]
        if open_now:
            own[open_now[-1]] += 1
        else:
            outside += 1
    return own, outside


@settings(max_examples=120, deadline=None)
@given(spans=spans, low=st.integers(0, 100), width=st.integers(0, 300))
def test_own_times_agree_with_asking_every_nanosecond(spans, low, width):
    trace = trace_of(*(op(f"aten::op{at}", start / 1000, dur / 1000) for at, (start, dur) in enumerate(spans)))
    window = Window(start_ns=low, end_ns=low + width)
    slices = np.arange(len(trace.cpu))

    found = own_times(trace, slices, window)

    shown = list(zip(trace.cpu.start_ns.tolist(), trace.cpu.end_ns.tolist(), strict=True))
    expected, outside = brute_force(shown, window)
    assert found.own_ns.tolist() == expected
    assert found.outside_ns == outside
    assert int(found.own_ns.sum()) + found.outside_ns == width


def test_a_step_is_divided_into_operators_calls_waits_and_the_rest():
    run = run_of(
        step(1, 0, 100),
        note("forward", 5, 90),
        op("aten::linear", 10, 40),
        op("aten::addmm", 15, 30),
        call("cudaLaunchKernel", 20, 5, link_id=3),
        call("cudaStreamSynchronize", 60, 20),
        op("aten::relu", 85, 5),
    )

    cpu = run.explained.cpu

    assert cpu.extent_ns == 100_000
    assert {(item.kind, item.name): item.ns for item in cpu.items} == {
        ("annotation", "forward"): 25_000,
        ("operator", "aten::linear"): 10_000,
        ("operator", "aten::addmm"): 25_000,
        ("runtime", "cudaLaunchKernel"): 5_000,
        ("sync", "cudaStreamSynchronize"): 20_000,
        ("operator", "aten::relu"): 5_000,
    }
    assert cpu.between_ns == 10_000


def test_the_extent_ends_with_the_mark_and_not_with_the_next_one():
    run = run_of(step(1, 0, 50), op("aten::mm", 10, 10), step(2, 60, 50), op("aten::mm", 70, 10), op("aten::t", 90, 5))

    assert run.explained.cpu.extent_ns == 50_000


def test_a_call_behind_the_marks_slice_is_still_inside_the_extent():
    run = run_of(
        step(1, 0, 50), op("aten::mm", 10, 10), op("aten::add", 52, 4), step(2, 60, 50), op("aten::mm", 70, 10)
    )

    assert run.explained.cpu.extent_ns in (56_000, 50_000)  # of the chosen step
    assert run.explained.cpu.extent_ns == (56_000 if run.step_number == 1 else 50_000)


def test_the_thread_that_launches_most_is_the_one_that_is_divided():
    run = run_of(
        step(1, 0, 100),
        op("aten::mm", 10, 80),
        op("MmBackward0", 20, 10, tid=200),
        call("cudaLaunchKernel", 22, 1, link_id=1, tid=200),
        call("cudaLaunchKernel", 25, 1, link_id=2, tid=200),
        call("cudaLaunchKernel", 12, 1, link_id=3),
        *(gpu_after(number) for number in (1, 2, 3)),
    )

    assert run.explained.cpu.thread == "200"
    assert [item.name for item in run.explained.cpu.items] == ["MmBackward0", "cudaLaunchKernel"]


def gpu_after(number):
    from cpu_traces import gpu

    return gpu("k", 40 + number * 5, 2, link_id=number)


def test_names_of_compiled_regions_graphs_and_loaders_are_those_of_any_build():
    run = run_of(
        step(1, 0, 100),
        note("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 10),
        op("Torch-Compiled Region: 3/1", 20, 50),
        note("## Call CompiledFxGraph fvo3mbkz2rqh ##", 30, 20),
    )

    assert [(item.kind, item.name) for item in run.explained.cpu.items] == [
        ("loader", "enumerate(DataLoader)"),
        ("operator", "Torch-Compiled Region"),
        ("operator", "CompiledFxGraph"),
    ]
