"""Busy, idle and overlapping GPU time, the cause of each gap, and what sets the pace."""

from __future__ import annotations

import numpy as np
import pytest
from cpu_traces import call, gpu, note, op, run_of, step
from hypothesis import given, settings
from hypothesis import strategies as st

from kerneldiff.pipeline import load


def causes(run):
    return [(gap.start_ns, gap.dur_ns, gap.cause) for gap in run.explained.pace.gaps]


def test_launch_after_the_gpu_ran_dry_is_late():
    run = run_of(
        step(1, 0, 100),
        call("cudaLaunchKernel", 0, 2, link_id=1), gpu("a", 0.5, 9.5, link_id=1),
        op("aten::slow", 12, 30), call("cudaLaunchKernel", 50, 2, link_id=2), gpu("b", 55, 10, link_id=2),
    )  # fmt: skip

    assert causes(run)[-1] == (10_000, 45_000, "late-launch")


def test_a_long_gap_says_what_the_cpu_did_meanwhile():
    run = run_of(
        step(1, 0, 200),
        call("cudaLaunchKernel", 0, 2, link_id=1), gpu("a", 0, 10, link_id=1),
        note("enumerate(DataLoader)#_It.__next__", 11, 100), call("cudaLaunchKernel", 120, 2, link_id=2), gpu("b", 125, 10, link_id=2),
    )  # fmt: skip

    gap = run.explained.pace.gaps[-1]

    assert (gap.cause, gap.detail) == ("late-launch", "enumerate(DataLoader)#_It.__next__")


def test_launch_after_a_synchronisation_is_the_synchronisations_fault():
    run = run_of(
        step(1, 0, 100),
        call("cudaLaunchKernel", 0, 2, link_id=1), gpu("a", 0, 20, link_id=1),
        call("cudaStreamSynchronize", 5, 20), call("cudaLaunchKernel", 30, 2, link_id=2), gpu("b", 35, 10, link_id=2),
    )  # fmt: skip

    gap = run.explained.pace.gaps[-1]

    assert (gap.dur_ns, gap.cause, gap.detail) == (15_000, "synchronisation", "cudaStreamSynchronize")


def test_a_pageable_copy_holds_the_cpu_up():
    run = run_of(
        step(1, 0, 100),
        call("cudaLaunchKernel", 0, 2, link_id=1), gpu("a", 0, 10, link_id=1),
        call("cudaMemcpyAsync", 5, 25, link_id=2),
        gpu("Memcpy DtoH (Device -> Pageable)", 10, 8, link_id=2, cat="gpu_memcpy", bytes=64),
        call("cudaLaunchKernel", 32, 2, link_id=3), gpu("b", 38, 10, link_id=3),
    )  # fmt: skip

    gap = run.explained.pace.gaps[-1]

    assert (gap.dur_ns, gap.cause, gap.detail) == (20_000, "copy", "cudaMemcpyAsync")


def test_a_kernel_that_was_queued_waits_for_its_own_stream_or_for_another():
    run = run_of(
        step(1, 0, 200),
        call("cudaLaunchKernel", 0, 1, link_id=1), gpu("a", 2, 50, link_id=1),
        call("cudaLaunchKernel", 2, 1, link_id=2), gpu("b", 53, 10, link_id=2),
        call("cudaLaunchKernel", 4, 1, link_id=3), gpu("c", 65, 10, link_id=3, stream=9),
    )  # fmt: skip

    assert causes(run)[1:] == [(52_000, 1_000, "queued"), (63_000, 2_000, "other-stream")]


def test_a_queued_kernel_that_waits_too_long_waits_for_something_unknown():
    run = run_of(
        step(1, 0, 200),
        call("cudaLaunchKernel", 0, 1, link_id=1), gpu("a", 2, 50, link_id=1),
        call("cudaLaunchKernel", 2, 1, link_id=2), gpu("b", 90, 10, link_id=2),
    )  # fmt: skip

    gap = run.explained.pace.gaps[-1]

    assert (gap.dur_ns, gap.cause) == (38_000, "unknown")
    assert "launched in time" in gap.detail


def test_a_kernel_that_starts_before_its_launch_is_not_believed():
    run = run_of(
        step(1, 0, 200),
        call("cudaLaunchKernel", 0, 1, link_id=1), gpu("a", 2, 10, link_id=1),
        call("cudaLaunchKernel", 40, 1, link_id=2), gpu("b", 30, 10, link_id=2),
    )  # fmt: skip

    pace = run.explained.pace
    assert causes(run)[-1] == (12_000, 18_000, "unknown")
    assert pace.negative_delays == 1
    assert pace.delays_ns == (2_000, 2_000)


def test_clock_skew_of_case_35_leaves_its_delays_out(data):
    pace = load(next((data / "cases").glob("35-*/*.json"))).explained.pace

    assert pace.negative_delays > 0


def test_two_streams_of_case_45_overlap(data):
    runs = load(data / "cases" / "45-two-streams-at-once" / "trace.json")
    pace = runs.explained.pace

    assert pace.overlap_ns == pace.gpu_ns - pace.busy_ns
    assert 0 < pace.busy_share <= 1
    assert (pace.streams, pace.collectives) == (2, 3)
    assert runs.bound == "gpu"


def test_exposed_communication_of_case_45_is_what_nothing_hides(data):
    from kerneldiff.links import link
    from kerneldiff.profiles.intervals import length, length_without
    from kerneldiff.traces import load as read

    gpu_events = link(read(data / "cases" / "45-two-streams-at-once" / "trace.json")).gpu
    start, end = gpu_events.start_ns, gpu_events.start_ns + gpu_events.dur_ns
    lanes = gpu_events.lane == gpu_events.lane[0]

    # The figures of the case: busy 2165.538 us, not hidden behind compute 4.420 us.
    assert length(start, end) == 2_165_538
    assert length_without(start[~lanes], end[~lanes], start[lanes], end[lanes]) == 4_420


def test_impossible_duration_of_case_43_leads_nothing(data):
    run = load(data / "cases" / "43-impossible-duration" / "trace.json")

    assert run.explained.pace.gpu_ns < 10_000_000
    assert run.explained.pace.busy_share <= 1


def test_data_loader_of_case_73_is_what_the_gpu_waits_for(data):
    run = load(data / "cases" / "73-kernels-differ-but-the-loader-was-the-cause" / "workers_0.json")
    longest = max(run.explained.pace.gaps, key=lambda gap: gap.dur_ns)

    assert run.bound == "cpu"
    assert longest.cause == "late-launch"
    assert longest.detail.startswith("enumerate(DataLoader)")


def busy_steps(kernel_us: float, pitch_us: float):
    """Four steps, each with one kernel that is launched 5 us after its mark."""
    slices = []
    for number in range(4):
        at = number * pitch_us
        slices += [
            step(number + 1, at, pitch_us - 1),
            call("cudaLaunchKernel", at + 5, 2, link_id=number + 1),
            gpu("k", max(at + 8, 8 + number * kernel_us), kernel_us, link_id=number + 1),
        ]
    return slices


@pytest.mark.parametrize(
    ("kernel_us", "pitch_us", "expected"),
    [(100, 100, "gpu"), (300, 100, "gpu"), (20, 100, "cpu"), (82, 100, "unknown")],
)
def test_bound_follows_the_busy_share_of_the_profiled_run(kernel_us, pitch_us, expected):
    assert run_of(*busy_steps(kernel_us, pitch_us)).bound == expected


def test_bound_of_one_lone_step_is_unknown():
    run = run_of(step(1, 0, 100), call("cudaLaunchKernel", 5, 2, link_id=1), gpu("k", 10, 5, link_id=1))

    assert run.bound == "unknown"
    assert run.explained.pace.busy_share is None


spans = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 80), st.sampled_from([7, 9])), min_size=1, max_size=14)


@settings(max_examples=80, deadline=None)
@given(spans=spans)
def test_busy_and_idle_fill_the_time_from_the_steps_start_to_the_last_end(spans):
    slices = [step(1, 0, 1000)]
    for number, (start, dur, stream) in enumerate(spans, 1):
        # Nothing on one stream may hold others inside, or its duration is taken for impossible.
        slices += [call("cudaLaunchKernel", start / 10, 0.1, link_id=number)]
        slices += [gpu(f"k{number}", 1 + start, dur, link_id=number, stream=stream * 100 + number)]
    pace = run_of(*slices).explained.pace

    moments = np.zeros(600, dtype=bool)
    for start, dur, _ in spans:
        moments[1 + start : 1 + start + dur] = True
    last = max(1 + start + dur for start, dur, _ in spans)
    assert pace.busy_ns == int(moments.sum()) * 1000
    assert pace.idle_ns == int((~moments[:last]).sum()) * 1000
    assert pace.gpu_ns - pace.overlap_ns == pace.busy_ns
    assert sum(ns for _, ns in pace.gap_ns) == pace.idle_ns
