"""What decides between same, unproven, changed and unknown beyond the matches."""

from __future__ import annotations

from pathlib import Path

import builders as b
from builders import GELU, GEMM, MUL, compare, kernel, run, run_of
from kerneldiff.diffs import diff


def test_no_gpu_events_on_a_side_is_unknown_and_nothing_is_removed() -> None:
    value = b.document([GEMM], [GEMM])
    value["traceEvents"] = [e for e in value["traceEvents"] if e["cat"] not in ("kernel", "cuda_driver")]

    found = diff(run(GEMM), run_of(value))

    assert found.verdict.gpu_work == "unknown"
    assert found.matches == ()
    assert "not zero" in found.verdict.summary


def test_a_step_that_only_one_side_has_makes_equality_unproven() -> None:
    odd = run_of(b.document([GEMM], [GEMM], [GEMM], [GEMM, GELU]))

    found = diff(run(GEMM), odd)

    assert {match.relation for match in found.matches} == {"same"}
    assert found.verdict.gpu_work == "unproven"
    assert odd.deviating == (4,)


def test_a_step_on_another_amount_of_data_makes_equality_unproven() -> None:
    larger = b.replace(GELU, grid=(999, 1, 1))

    found = diff(run(GELU), run_of(b.document([GELU], [GELU], [larger])))

    assert found.verdict.gpu_work == "unproven"


def test_incomplete_steps_are_left_out_and_named() -> None:
    lossy = run_of(b.document([b.replace(GEMM, lost=True), GELU], [GEMM, GELU], [GEMM, GELU]))

    found = diff(run(GEMM, GELU), lossy)

    assert found.verdict.gpu_work == "same"
    assert lossy.complete_steps == 2
    assert "launches-without-events" in [note.code for note in found.notes]


def test_a_cut_off_file_proves_nothing() -> None:
    whole = run(GEMM)

    assert diff(whole, b.replace(whole, cut_off=True)).verdict.gpu_work == "unproven"


def test_work_outside_the_steps_counts_against_coverage_unless_both_have_it() -> None:
    value = b.document([GEMM], [GEMM], [GEMM])
    late = b.document([b.with_time(MUL, 999.0)], marks=False, shift_ns=900_000)
    for event in late["traceEvents"]:
        event["args"] = {k: v + 500 if k in ("correlation", "External id") else v for k, v in event["args"].items()}
    both = {**value, "traceEvents": value["traceEvents"] + late["traceEvents"]}

    assert diff(run_of(value), run_of(both)).verdict.gpu_work == "unproven"
    assert diff(run_of(both), run_of(both)).verdict.gpu_work == "same"
    assert diff(run_of(value), run_of(both)).verdict.summary.startswith("This speaks of")


def test_events_from_before_the_window_belong_to_no_step() -> None:
    early = b.replace(MUL, launched_before=True)
    left_over = run_of(b.document([early, GEMM], [GEMM], [GEMM]))

    found = diff(run(GEMM), left_over)

    assert found.verdict.gpu_work == "same"
    assert left_over.coverage.before_window == 1


def test_graph_replay_on_one_side_is_captured_and_changes_nothing() -> None:
    eager = run(GEMM, GELU)
    graph = run_of(_replayed(GEMM, GELU))

    found = diff(eager, graph)

    assert found.verdict.gpu_work == "same"
    assert found.verdict.changes == ("captured",)
    assert all(event.chain == () for event in graph.events)


def _replayed(*kernels: b.Kernel) -> dict[str, object]:
    """Three steps, in each of which one graph launch starts all kernels."""
    value = b.document(*([[b.kernel("first", operators=())]] * 3))
    events = value["traceEvents"]
    kept = []
    for event in events:
        if event["cat"] == "kernel":
            start = event["ts"]
            for one in kernels:
                args = {**event["args"], "grid": one.grid, "block": one.block, "registers per thread": one.registers}
                args["shared memory"] = one.shared_memory
                kept.append({**event, "name": one.name, "ts": start, "dur": one.dur_ns / 1000, "args": args})
                start += one.dur_ns / 1000
        else:
            kept.append({**event, "name": "cudaGraphLaunch"} if event["cat"] == "cuda_runtime" else event)
    return {**value, "traceEvents": kept}


def test_another_device_is_compared_with_a_warning() -> None:
    found = diff(run(GEMM), run(GEMM, device="NVIDIA A100"))

    assert not found.comparable.ok
    assert found.comparable.differences[0].field == "device"
    assert any(note.where == "device" for note in found.notes)


def test_shapes_on_one_side_only_are_a_difference_in_recording() -> None:
    shaped = b.replace(GELU, operator_args={"Input Dims": [[8, 8]], "Input type": ["float"]})

    found = diff(run(GELU), run(shaped))

    assert found.verdict.gpu_work == "same"
    assert found.comparable.ok
    assert "shapes" in [difference.field for difference in found.comparable.differences]


def test_every_event_is_in_exactly_one_match_and_times_add_up() -> None:
    found = compare([GEMM, GELU, GEMM, MUL, GEMM, kernel("x", 3.0)], [GEMM, GEMM, b.GELU_MUL, GEMM])

    assert sorted(i for match in found.matches for i in match.baseline) == list(range(6))
    assert sorted(i for match in found.matches for i in match.candidate) == list(range(4))
    assert sum(match.baseline_ns for match in found.matches) == sum(event.gpu_ns for event in found.baseline.events)
    assert sum(match.delta_ns for match in found.matches) == 57_000 * 0 + 37_000 - 69_000 - 3_000


def test_outlier_steps_are_named_by_their_number() -> None:
    from kerneldiff.pipeline import compare as compare_files

    folder = Path(__file__).parents[2] / "data" / "cases" / "12-slower-mean-is-noise"

    found = compare_files(folder / "baseline.json", folder / "candidate.json")

    note = next(note for note in found.notes if note.code == "outlier-steps")
    assert "step 13" in note.text
    assert "step 21" in note.text
    assert found.times.gpu.call == "equivalent"


def test_cpu_times_are_not_compared_across_recording_settings() -> None:
    shaped = b.replace(GELU, operator_args={"Input Dims": [[8, 8]], "Input type": ["float"]})

    found = diff(run(GELU, steps=12), run(shaped, steps=12))

    assert found.times.cpu.call == found.times.step.call == "inconclusive"
    assert "shapes" in found.times.cpu.reason
    assert found.times.gpu.call == "equivalent"


def test_what_is_missing_comes_with_how_to_record_it() -> None:
    note = next(note for note in run(GELU).notes if note.code == "not-recorded")

    assert "record_shapes=True" in note.text
