"""What goes wrong in the field: every case of ``tests/data/cases`` about reading, linking and matching, with its right answer.

Each folder holds ``expected.md``; a test is named after the folder's number and states what that text demands.
Times there are microseconds with three decimals, so they are compared to the nanosecond.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from kerneldiff.diffs import Diff
from kerneldiff.errors import EmptyTraceError, MalformedTraceError
from kerneldiff.links import Trace, link
from kerneldiff.pipeline import compare, load
from kerneldiff.traces import Kind
from kerneldiff.traces import load as read

CASES = Path(__file__).parents[1] / "data" / "cases"


def place(number: int, name: str) -> Path:
    (folder,) = CASES.glob(f"{number:02d}-*")
    return folder / name


def linked(number: int, name: str = "trace.json") -> Trace:
    return link(read(place(number, name)))


def between(number: int, baseline: str, candidate: str) -> Diff:
    return compare(place(number, baseline), place(number, candidate))


def kernels(trace: Trace) -> np.ndarray:
    return np.flatnonzero(trace.gpu.kind == Kind.KERNEL)


def operator_of(trace: Trace, event: int) -> str | None:
    index = int(trace.gpu.operator[event])
    return None if index < 0 else trace.raw.strings[int(trace.cpu.name[index])]


def launch_of(trace: Trace, event: int) -> str:
    return trace.raw.strings[int(trace.cpu.name[trace.gpu.launch[event]])]


def spent(trace: Trace, events: np.ndarray) -> int:
    return int(trace.gpu.longest_ns[events].sum())


def step_number(trace: Trace, number: int) -> int:
    return next(index for index, step in enumerate(trace.steps) if step.number == number)


def in_step(trace: Trace, number: int) -> np.ndarray:
    return np.flatnonzero(trace.gpu.step == step_number(trace, number))


def codes(found: Diff) -> set[str]:
    return {note.code for note in found.notes}


def relations(found: Diff) -> Counter[str]:
    return Counter(match.relation for match in found.matches)


def test_01_one_linear_keeps_its_kernel_and_changes_only_dispatch() -> None:
    found = between(1, "eager.json", "compiled.json")

    assert found.verdict.gpu_work == "same"
    assert relations(found) == {"same": 1}
    left = {change.operator: change for change in found.dispatch.removed}
    assert {"aten::linear", "aten::t", "aten::transpose", "aten::as_strided"} <= set(left)
    assert all(change.baseline is not None and change.baseline.launches == 0 for change in left.values())
    assert "TorchDynamo Cache Lookup" in {change.operator for change in found.dispatch.added}
    assert found.baseline.durations.reshape(-1).tolist() == [2944, 2941, 2959]


def test_02_a_copy_is_seen_and_nothing_is_called_fused() -> None:
    found = between(2, "eager.json", "compiled.json")

    assert relations(found) == {"same": 1, "removed": 1, "added": 1}
    assert [len(found.baseline.events), len(found.candidate.events)] == [2, 2]
    added = next(match for match in found.matches if match.relation == "added")
    copy = found.candidate.events[added.candidate[0]]
    assert (copy.kind, copy.size_bytes, copy.launch) == ("memcpy", 33554432, "cudaMemcpyAsync")
    assert "addend-copied" in codes(found)


@pytest.mark.parametrize("candidate", ["compiled.json", "handwritten.json"])
def test_03_gelu_and_mul_become_one_kernel_compiled_or_by_hand(candidate: str) -> None:
    found = between(3, "eager.json", candidate)

    assert [found.baseline.kernels, found.candidate.kernels] == [5, 4]
    assert relations(found) == {"same": 3, "fused": 1}
    fused = next(match for match in found.matches if match.relation == "fused")
    assert set(fused.fused_operators) == {"aten::gelu", "aten::mul"}


def test_03_the_two_fused_kernels_do_the_same_and_are_not_the_same() -> None:
    found = between(3, "compiled.json", "handwritten.json")

    assert relations(found) == {"same": 3, "reimplemented": 1}


def test_06_equal_names_on_twice_the_data_are_resized() -> None:
    found = between(6, "a.json", "b.json")

    assert found.verdict.changes == ("resized",)
    ratio = sum(e.gpu_ns for e in found.candidate.events) / sum(e.gpu_ns for e in found.baseline.events)
    assert ratio == pytest.approx(2.0, abs=0.01)


def test_07_renumbered_kernels_are_paired_by_what_they_do() -> None:
    found = between(7, "old.json", "new.json")

    assert relations(found) == {"unproven": 2, "recompiled": 1, "added": 1}
    added = next(match for match in found.matches if match.relation == "added")
    assert found.candidate.events[added.candidate[0]].name == "triton_poi_fused_mul_0"
    recompiled = next(match for match in found.matches if match.relation == "recompiled")
    assert "layer_norm" in found.baseline.events[recompiled.baseline[0]].name
    assert all("number" in str(match.reason) for match in found.matches if match.relation == "unproven")


def test_08_one_attention_kernel_corresponds_to_five() -> None:
    found = between(8, "a.json", "b.json")

    split = next(match for match in found.matches if match.relation == "split")
    assert [len(split.baseline), len(split.candidate)] == [1, 5]
    assert relations(found) == {"same": 2, "split": 1}


def test_09_added_fills_explain_the_whole_difference() -> None:
    found = between(9, "v2_0.json", "v2_1.json")

    assert relations(found) == {"same": 8, "added": 4}
    fills = sum(match.delta_ns for match in found.matches if match.relation == "added")
    whole = sum(match.delta_ns for match in found.matches)
    assert fills == pytest.approx(whole, rel=0.05)
    assert all(
        "FillFunctor" in found.candidate.events[match.candidate[0]].name
        for match in found.matches
        if match.relation == "added"
    )


def test_14_the_library_chose_a_matrix_vector_kernel_of_one_block() -> None:
    found = between(14, "cublas_12_1_0.json", "cublas_12_1_3.json")

    assert relations(found) == {"same": 1, "reselected": 1}
    other = next(match for match in found.matches if match.relation == "reselected")
    differences = {difference.field: (difference.baseline, difference.candidate) for difference in other.differences}
    assert differences["grid"] == ("1x1x64", "1x1x1")
    assert differences["op"] == ("gemm", "gemv")
    assert found.dispatch.removed == found.dispatch.added == ()


def test_22_faster_by_other_arithmetic_is_not_the_same_work() -> None:
    found = between(22, "baseline.json", "optimised.json")

    assert found.verdict.gpu_work == "changed"
    assert "precision" in found.verdict.changes
    assert "arithmetic" in found.verdict.summary


def test_28_a_graph_replay_runs_the_same_kernels_without_operators() -> None:
    found = between(28, "eager.json", "graph.json")

    assert found.verdict.gpu_work == "same"
    assert found.verdict.changes == ("captured",)
    assert len(found.candidate.events) == 6
    assert all(event.chain == () and event.launch == "cudaGraphLaunch" for event in found.candidate.events)


def test_32_driver_launches_are_linked_by_correlation_time_and_thread() -> None:
    trace = linked(32)
    events = kernels(trace)

    assert len(events) == 8
    assert (trace.gpu.launch[events] >= 0).all()
    assert Counter(launch_of(trace, e) for e in events) == {
        "cuLaunchKernelEx": 4,
        "cudaLaunchKernelExC": 2,
        "cudaLaunchKernel": 2,
    }
    by_name = {trace.raw.strings[int(trace.gpu.name[e])]: operator_of(trace, e) for e in events}
    assert by_name["_copy_page_indices_kernel"] == "vllm::unified_attention_with_output"
    assert by_name["my_extension_kernel(float*, int)"] is None
    assert by_name["triton_red_fused_add_mean_mul_pow_rsqrt_0"] == "triton_red_fused_add_mean_mul_pow_rsqrt_0"
    assert "aten::addmm" in by_name.values()
    run = load(place(32, "trace.json"))
    assert any(event.decoded.epilogue == "bias" for event in run.events)


def test_35_a_kernel_before_its_launch_is_linked_and_the_skew_is_named() -> None:
    trace = linked(35)

    assert (trace.gpu.launch[kernels(trace)] >= 0).all()
    note = next(note for note in trace.notes if note.code == "clock-skew")
    assert note.count == 2
    assert "900 ns" in note.text


def test_36_lost_records_leave_their_steps_out_and_nothing_is_removed() -> None:
    found = between(36, "complete.json", "lossy.json")

    assert found.verdict.gpu_work == "same"
    assert [found.baseline.complete_steps, found.candidate.complete_steps] == [5, 3]
    note = next(note for note in found.notes if note.code == "launches-without-events")
    assert note.count == 6
    assert "3, 4" in note.text
    assert found.times.gpu.call != "faster"


@pytest.mark.parametrize("order", [("with_gpu.json", "cpu_only.json"), ("cpu_only.json", "with_gpu.json")])
def test_37_no_gpu_records_is_unknown_not_zero(order: tuple[str, str]) -> None:
    found = between(37, *order)

    assert found.verdict.gpu_work == "unknown"
    assert found.matches == ()
    assert found.times.gpu.ratio is None
    assert "gpu-not-recorded" in codes(found)
    assert found.dispatch.removed == found.dispatch.added == ()


def test_38_left_over_kernels_belong_to_no_step() -> None:
    trace = linked(38)
    events = kernels(trace)
    left_over = events[trace.gpu.launch[events] < 0]

    assert len(events) == 15
    assert len(left_over) == 7
    assert spent(trace, left_over) == 1_085_640
    assert spent(trace, in_step(trace, 6)) == 562_296
    assert spent(trace, in_step(trace, 7)) == 563_071
    assert "launched-before-window" in {note.code for note in trace.notes}


@pytest.mark.parametrize("order", [("cpu_and_gpu.json", "gpu_only.json"), ("gpu_only.json", "cpu_and_gpu.json")])
def test_39_a_gpu_only_recording_is_compared_by_its_kernels(order: tuple[str, str]) -> None:
    found = between(39, *order)

    assert found.verdict.gpu_work == "same"
    assert relations(found) == {"same": 8}
    assert found.dispatch.removed == found.dispatch.added == ()
    assert {"operators", "steps"} <= set(load(place(39, "gpu_only.json")).missing)


def test_40_backward_kernels_belong_to_operators_of_their_own_thread() -> None:
    trace = linked(40, "train.json")
    first = in_step(trace, 1)

    assert len(first) == 6
    run = load(place(40, "train.json"))
    backward = [event for event in run.events if any("Backward0" in name for name in event.chain)]
    assert len(backward) == 4
    assert [event.operator for event in backward].count("aten::mm") == 2
    under_linear = [e for e in first if operator_of(trace, e) in ("aten::mm", "aten::sum")]
    assert spent(trace, np.array(under_linear)) == 16_101
    assert spent(trace, np.array([e for e in first if operator_of(trace, e) == "aten::addmm"])) == 6_353


def test_43_an_impossible_duration_is_cut_and_named() -> None:
    trace = linked(43)
    impossible = np.flatnonzero(trace.gpu.impossible)

    assert len(impossible) == 1
    assert int(trace.gpu.longest_ns[impossible[0]]) == 14_748
    assert spent(trace, np.flatnonzero(~trace.gpu.impossible)) == 7_259_834
    note = next(note for note in trace.notes if note.code == "impossible-duration")
    assert "112" in str(note.where)


def test_46_absolute_and_relative_times_give_the_same_nanoseconds() -> None:
    absolute, relative = linked(46, "absolute.json"), linked(46, "relative.json")

    for trace in (absolute, relative):
        start, length = trace.gpu.start_ns, trace.gpu.dur_ns
        assert int(length.sum()) == 25_311
        assert set((start[1:] - (start + length)[:-1]).tolist()) == {32}
    assert between(46, "absolute.json", "relative.json").verdict.gpu_work == "same"
    whole = linked(46, "whole_microseconds.json")
    assert int(whole.gpu.dur_ns.sum()) == 24_000
    assert whole.raw.whole_microseconds


def test_46_whole_microseconds_are_said_when_compared() -> None:
    found = between(46, "absolute.json", "whole_microseconds.json")

    assert found.candidate.whole_microseconds
    assert "clock resolution" in {difference.field for difference in found.comparable.differences}


def test_48_annotations_on_the_gpu_row_are_no_work() -> None:
    trace = linked(48)
    kinds = Counter(Kind(kind).name for kind in trace.gpu.kind.tolist())

    assert kinds == {"KERNEL": 6, "MEMCPY": 3, "MEMSET": 3}
    assert spent(trace, kernels(trace)) == 179_052
    assert int(trace.gpu.dur_ns.sum()) == 200_352


def test_50_a_step_with_the_profilers_set_up_is_left_out() -> None:
    trace = linked(50)
    run = load(place(50, "trace.json"))

    assert [step.complete for step in trace.steps] == [False, True, True, True]
    assert run.complete_steps == 3
    assert trace.steps[0].profiler_ns == 1_525_900 + 81_900
    assert "profiler-overhead" in {note.code for note in run.notes}


def test_52_backslashes_from_windows_stand_for_themselves() -> None:
    trace = linked(52)

    assert len(kernels(trace)) == 4
    assert len(trace.steps) == 2
    assert spent(trace, kernels(trace)) == 18_315
    assert r"torch\nn\modules\linear.py(125): forward" in trace.raw.strings
    assert r"C:\Users\me\bench\train.py(41): forward" in trace.raw.strings
    assert any("backslash" in note.text.lower() for note in trace.raw.notes)


@pytest.mark.parametrize("name", ["inf.json", "not_available.json", "empty_and_nan.json"])
def test_53_bare_words_are_missing_values_and_the_event_stays(name: str) -> None:
    trace = linked(53, name)

    assert len(kernels(trace)) == 4
    assert len(trace.steps) == 3
    assert int((trace.gpu.kind == Kind.MEMCPY).sum()) == 1
    assert spent(trace, kernels(trace)) == 18_404
    assert trace.raw.notes


def test_56_a_cut_off_file_keeps_what_is_sound_and_proves_nothing() -> None:
    trace = linked(56)

    assert len(kernels(trace)) == 5
    assert trace.raw.cut_off_at is not None
    found = between(56, "trace.json", "trace.json")
    assert found.verdict.gpu_work == "unproven"
    assert "cut off" in found.verdict.summary


def test_57_damaged_and_mislabelled_gzip_is_read_as_far_as_it_goes() -> None:
    for name in ("no_trailer.json.gz", "not_gzip.json.gz"):
        trace = linked(57, name)
        assert len(kernels(trace)) == 8
        assert len(trace.steps) == 4
        assert spent(trace, kernels(trace)) == 36_729
    cut = linked(57, "trace.json.gz")
    assert cut.raw.cut_off_at is not None
    assert 0 < len(kernels(cut)) < 8


def test_58_two_ranks_in_one_file_are_refused_with_the_place_and_both_pids() -> None:
    with pytest.raises(MalformedTraceError) as error:
        linked(58)

    assert "5001" in str(error.value)
    assert "5002" in str(error.value)
    assert error.value.offset is not None


def test_59_lists_are_read_and_empty_is_empty() -> None:
    for name in ("bare_events.json", "unclosed.json"):
        trace = linked(59, name)
        assert len(kernels(trace)) == 4
        assert len(trace.steps) == 2
        assert spent(trace, kernels(trace)) == 18_325
    legacy = linked(59, "legacy.json")
    names = [legacy.raw.strings[i] for i in legacy.cpu.name.tolist()]
    assert Counter(names) == {"aten::zeros": 4, "aten::empty": 4}
    inner = [i for i, name in enumerate(names) if name == "aten::empty"]
    assert all(names[int(legacy.cpu.parent[i])] == "aten::zeros" for i in inner)
    assert "gpu" in load(place(59, "legacy.json")).missing
    with pytest.raises(EmptyTraceError):
        linked(59, "empty.json")


def test_61_a_file_from_2021_reads_as_any_other() -> None:
    trace = linked(61, "worker0.pt.trace.json")
    events = kernels(trace)
    run = load(place(61, "worker0.pt.trace.json"))

    assert [step.number for step in trace.steps] == [1, 2, 3]
    assert len(events) == 6
    assert spent(trace, events) == 542_000
    assert (trace.gpu.launch >= 0).all()
    assert {operator_of(trace, e) for e in events} == {"aten::mm", "aten::relu"} or {"aten::mm"} < {
        operator_of(trace, e) for e in events
    }
    assert not any(stat.operator.startswith("ProfilerStep") for stat in run.operators)


def test_62_an_amd_trace_is_linked_and_missing_stays_missing() -> None:
    trace = linked(62)
    run = load(place(62, "trace.json"))

    assert len(trace.steps) == 2
    assert len(kernels(trace)) == 6
    assert (trace.gpu.launch[kernels(trace)] >= 0).all()
    assert run.events[0].operator == "aten::addmm"
    assert {event.operator for event in run.events} >= {"aten::addmm", "aten::copy_"}
    assert all(event.registers is None and event.shared_memory is None for event in run.events)
    assert all(event.stream == 0 for event in run.events)
    assert "launches-without-events" not in {note.code for note in trace.notes}


def test_63_an_intel_trace_has_names_and_times_only() -> None:
    run = load(place(63, "trace.json"))
    trace = linked(63)

    assert len(kernels(trace)) == 4
    assert spent(trace, kernels(trace)) == 49_690
    assert [event.operator for event in run.events] == ["aten::addmm", "aten::relu"]
    assert {event.launch for event in run.events} == {"urEnqueueKernelLaunch"}
    assert all(event.grid is None for event in run.events)
    assert {"launch_shapes", "device"} <= set(run.missing)
    found = between(63, "trace.json", "trace.json")
    assert all("grid" not in match.evidence for match in found.matches)


def test_66_shapes_on_one_side_are_a_difference_in_recording() -> None:
    found = between(66, "with_shapes.json", "without_shapes.json")

    assert found.verdict.gpu_work == "same"
    assert found.verdict.changes == ()
    shapes = next(one for one in found.comparable.differences if one.field == "shapes")
    assert "not in the program" in shapes.affects


def test_72_one_allocation_changes_no_gpu_work() -> None:
    found = between(72, "a.json", "b.json")

    assert found.verdict.gpu_work == "same"
    assert found.times.step.call != "slower"


def test_73_other_kernels_are_seen_and_are_not_the_reason() -> None:
    found = between(73, "workers_0.json", "workers_4.json")

    assert [found.baseline.kernels, found.candidate.kernels] == [8, 16]
    assert relations(found) == {"same": 4, "reselected": 4}
    assert found.times.gpu.call not in ("faster", "slower")
