"""One run in the terminal and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

import builders as b
from builders import GEMM, kernel
from kerneldiff.cli.show import command
from kerneldiff.pipeline import load
from kerneldiff.profiles.limits import judge_limits
from kerneldiff.profiles.peaks import peaks_of
from kerneldiff.reports import show_json
from kerneldiff.reports.text.run import render

TRACES = ["seed-mlp_eager_shapes", "seed-mlp_compile_shapes", "hf-bert_eager", "train-train_lm_bf16_compile"]


def lines_of(run, width=80, **options):
    return [line.plain for line in render(run, judge_limits(run, peaks_of(run.device)), width, **options)]


def text_of(run, width=80, **options):
    """The text with line breaks removed, so that sentences can be looked for."""
    return " ".join(" ".join(lines_of(run, width, **options)).split())


@pytest.mark.parametrize("name", TRACES)
@pytest.mark.parametrize("width", [60, 80, 140])
def test_no_line_is_wider_than_the_terminal(data, name, width):
    run = load(data / "pairs" / "traces" / f"{name}.json.gz")

    assert max(cell_len(line) for line in lines_of(run, width)) <= width
    assert max(cell_len(line) for line in lines_of(run, width, everything=True)) <= width


def test_a_run_is_told_from_its_pace_to_its_notes(data):
    text = text_of(load(data / "pairs" / "traces" / "seed-linear_bf16_eager_shapes.json.gz"), 140)

    assert "The CPU sets the pace: the GPU is busy" in text
    assert "aten::addmm > cuLaunchKernelEx > nvjet" in text
    assert "View operators: 3 calls" in text
    assert "[64, 32] strides [32, 1] -> [32, 64] strides [1, 32]" in text
    assert "aten::addmm, bias: in the GEMM's epilogue (the kernel's name says bias)." in text


def test_compiled_code_is_told(data):
    text = text_of(load(data / "pairs" / "traces" / "seed-mlp_compile_shapes.json.gz"))

    assert "1 call of 1 compiled region a step (0/0)." in text
    assert "1 Dynamo cache lookup (guards are evaluated there)" in text
    assert "Peaks of H200" in text


def test_case_72_names_the_allocation_below_its_operators(data):
    text = text_of(load(data / "cases" / "72-one-allocation-in-one-run" / "b.json"))

    assert "cudaMalloc below aten::max_pool2d > aten::max_pool2d_with_indices, step 2, 179.2 ms" in text


def test_case_45_says_that_collectives_wait(data):
    text = text_of(load(data / "cases" / "45-two-streams-at-once" / "trace.json"))

    assert "waiting for other ranks included" in text
    assert "on 2 streams" in text


def test_all_unfolds_what_repeats(data):
    run = load(data / "pairs" / "traces" / "hf-bert_eager.json.gz")

    assert "4 times the next 13 rows" in text_of(run)
    assert "times the next" not in text_of(run, everything=True)


def test_a_long_step_is_listed_by_time():
    run = b.run(*(kernel(f"my_kernel_{number}(int)", number + 1, operators=()) for number in range(100)))
    text = text_of(run)

    assert "GPU events by time, alike ones together" in text
    assert text.index("my_kernel_99") < text.index("my_kernel_98")
    assert "and 60 more kinds (1.83 ms); --all lists every event in launch order" in text
    assert "GPU events in launch order" in text_of(run, everything=True)


def test_hostile_names_reach_the_terminal_as_text():
    run = b.run(kernel("evil\x1b[31m\u202e", operators=("aten::\x1b]0;x\x07",)))

    assert all(char.isprintable() for line in lines_of(run) for char in line)


def test_a_run_without_gpu_events_is_shown(data):
    run = load(data / "cases" / "37-no-gpu-records-at-all" / "cpu_only.json")

    assert "no GPU events" in text_of(run)


@pytest.mark.parametrize("name", TRACES)
def test_json_adds_up(data, name):
    run = load(data / "pairs" / "traces" / f"{name}.json.gz")
    found = json.loads(show_json.render(run, judge_limits(run, peaks_of(run.device))))

    assert found["schema"] == "kerneldiff.show/1"
    assert sum(event["gpu_ns"] for event in found["events"]) == found["pace"]["gpu_ns"]
    assert sum(item["ns"] for item in found["cpu"]["items"]) + found["cpu"]["between_ns"] == found["cpu"]["extent_ns"]
    assert sum(found["pace"]["gap_ns"].values()) == found["pace"]["idle_ns"]
    assert sum(found["limited_ns"].values()) == found["pace"]["gpu_ns"]
    assert [event["traffic"] is None for event in found["events"]] == [one is None for one in run.explained.traffic]


def test_json_of_a_run_without_gpu_events_has_the_same_keys(data):
    full = load(data / "cases" / "37-no-gpu-records-at-all" / "with_gpu.json")
    bare = load(data / "cases" / "37-no-gpu-records-at-all" / "cpu_only.json")

    assert set(show_json.as_dict(full, judge_limits(full, None))) == set(
        show_json.as_dict(bare, judge_limits(bare, None))
    )


def run_cli(*arguments):
    return CliRunner().invoke(command, [str(one) for one in arguments])


def test_command_prints_text_or_json(data, tmp_path: Path):
    trace = data / "cases" / "01-linear-eager-vs-compiled" / "eager.json"
    target = tmp_path / "run.json"

    assert "What sets the pace" in run_cli(trace).output
    assert json.loads(run_cli(trace, "--json", "-").output)["schema"] == "kerneldiff.show/1"
    assert run_cli(trace, "--json", target).exit_code == 0
    assert json.loads(target.read_text())["bound"] == "cpu"


def test_command_takes_peaks_of_an_unknown_device(data):
    trace = data / "cases" / "01-linear-eager-vs-compiled" / "eager.json"
    found = json.loads(run_cli(trace, "--peak", "memory=1e12", "--json", "-").output)

    assert found["peaks"]["memory_bytes_per_s"] == 1e12


def test_own_time_of_the_whole_tree_is_what_its_threads_spent():
    run = b.run(GEMM, GEMM)
    nodes = run.explained.nodes

    assert sum(node.own_ns for node in nodes) == sum(node.total_ns for node in nodes if node.parent < 0)


def test_kernels_of_a_cpu_have_no_traffic_and_are_shown_all_the_same():
    run = b.run(GEMM, GEMM)
    cpu = replace(run, explained=replace(run.explained, traffic=(), pace=None))
    found = show_json.as_dict(cpu, judge_limits(cpu, None))

    assert [event["traffic"] for event in found["events"]] == [None, None]
    assert lines_of(cpu)
