"""Real public traces of many devices load, link and compare with themselves."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from kerneldiff.diffs import diff
from kerneldiff.links import Trace, link
from kerneldiff.profiles import profile
from kerneldiff.traces import Kind
from kerneldiff.traces import load as read

FOLDER = Path(__file__).parents[4] / "shared" / "real-traces"
LISTED = (FOLDER / "counts.tsv").read_text().splitlines() if FOLDER.is_dir() else []
COUNTS = list(csv.DictReader(LISTED, delimiter="\t"))

pytestmark = [
    pytest.mark.real_traces,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the folder of public traces is not beside this checkout"),
]


def linked(name: str) -> Trace:
    return link(read(FOLDER / name))


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["file"])
def test_kernels_links_copies_and_operators_are_counted_right(row: dict[str, str]) -> None:
    trace = linked(row["file"])
    events, gpu = trace.raw.events, trace.gpu
    kernels = gpu.kind == Kind.KERNEL
    # Files of 2021 write ProfilerStep marks under the category of operators; the list counts by category.
    marks = [i for i, text in enumerate(trace.raw.strings) if text == "Operator"]
    operators = (events.kind == Kind.OPERATOR) | np.isin(events.category, marks)

    assert int(kernels.sum()) == int(row["kernels"])
    assert int((kernels & (gpu.launch >= 0)).sum()) == int(row["kernels_linked"])
    assert int((~kernels).sum()) == int(row["copies_and_sets"])
    assert int(operators.sum()) == int(row["operators"])


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["file"])
def test_a_trace_compared_with_itself_is_the_same(row: dict[str, str]) -> None:
    run = profile(linked(row["file"]))

    found = diff(run, run)

    assert found.verdict.gpu_work == ("same" if run.events else "unknown")
    assert found.verdict.changes == ()


def test_clock_skew_of_a_real_b200_is_named_and_nothing_is_dropped() -> None:
    trace = linked("aipe-moe-layer-b200-clock-skew.json.gz")

    note = next(note for note in trace.notes if note.code == "clock-skew")
    assert note.count == 113
    assert (trace.gpu.launch >= 0).all()


def test_two_alexnet_runs_do_the_same_gpu_work() -> None:
    runs = [profile(linked(name)) for name in ("hta-simple-add.json.gz", "hta-alexnet.json.gz")]

    found = diff(*runs)

    assert found.verdict.gpu_work == "same"
    assert [run.kernels for run in runs] == [79, 79]


@pytest.mark.parametrize(("one", "other"), [("0", "0-again"), ("4", "4-again")])
def test_two_windows_of_one_training_process_are_the_same_work(one: str, other: str) -> None:
    runs = [profile(linked(f"kineto-resnet50-2021-num-workers-{name}.json.gz")) for name in (one, other)]

    found = diff(*runs)

    assert found.verdict.gpu_work == "same"
    assert found.times.gpu.call not in ("faster", "slower")
    assert found.times.step.call not in ("faster", "slower")


def test_other_convolution_algorithms_are_reselected() -> None:
    runs = [profile(linked(f"kineto-resnet50-2021-num-workers-{name}.json.gz")) for name in ("0", "4")]

    found = diff(*runs)

    assert found.verdict.gpu_work == "changed"
    assert [run.kernels for run in runs] == [1462, 1478]
    assert "reselected" in found.verdict.changes


@pytest.mark.parametrize("model", ["bert-small", "vit-classifier"])
def test_two_vendors_are_paired_by_operator_and_not_comparable_in_time(model: str) -> None:
    found = diff(*(profile(linked(f"tracelens-{model}-{device}.json.gz")) for device in ("h100", "mi300x")))

    assert not found.comparable.ok
    paired = sum(bool(match.baseline and match.candidate) for match in found.matches)
    assert paired >= 0.95 * len(found.matches)
