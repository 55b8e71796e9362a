"""The labelled pairs: real H200 traces whose true answer is known."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from kerneldiff.diffs import Diff
from kerneldiff.diffs.operators import bare
from kerneldiff.pipeline import compare

PAIRS = Path(__file__).parents[2] / "data" / "pairs"
LABELS: list[dict[str, Any]] = tomllib.loads((PAIRS / "labels.toml").read_text())["pair"]


@pytest.fixture(params=LABELS, ids=lambda label: label["name"])
def labelled(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Diff]:
    label = request.param
    return label, compare(PAIRS / label["a"], PAIRS / label["b"])


def kernels(found: Diff, side: str, members: tuple[int, ...]) -> int:
    events = found.baseline.events if side == "baseline" else found.candidate.events
    return sum(events[i].kind == "kernel" for i in members)


def test_the_answer_is_as_labelled(labelled: tuple[dict[str, Any], Diff]) -> None:
    label, found = labelled

    assert found.verdict.gpu_work == label["gpu_work"]
    assert [found.baseline.kernels, found.candidate.kernels] == label["kernels_per_step"]
    assert set(label["must"]) <= set(found.verdict.changes)
    assert not set(label["must_not"]) & set(found.verdict.changes)
    groups = [
        (
            {bare(name) for name in match.fused_operators},
            [kernels(found, "baseline", match.baseline), kernels(found, "candidate", match.candidate)],
        )
        for match in found.matches
        if match.relation == "fused"
    ]
    for wanted, sizes in zip(label["fused"], label["fused_sizes"], strict=True):
        assert any(set(wanted) <= names and sizes == counts for names, counts in groups)


def test_matches_add_up_to_the_nanosecond(labelled: tuple[dict[str, Any], Diff]) -> None:
    _, found = labelled

    ours = sum(event.gpu_ns for event in found.baseline.events)
    theirs = sum(event.gpu_ns for event in found.candidate.events)
    assert sum(match.baseline_ns for match in found.matches) == ours
    assert sum(match.delta_ns for match in found.matches) == theirs - ours


def test_swapped_the_pair_mirrors(labelled: tuple[dict[str, Any], Diff]) -> None:
    label, found = labelled

    back = compare(PAIRS / label["b"], PAIRS / label["a"])

    assert back.verdict.gpu_work == found.verdict.gpu_work
    assert ("fused" in back.verdict.changes) == ("split" in found.verdict.changes)
    assert ("added" in back.verdict.changes) == ("removed" in found.verdict.changes)
