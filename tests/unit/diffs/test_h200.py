"""Pairs of own recordings on an H200: attention backends, reductions, dynamic shapes, layouts, models, twins."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from kerneldiff.diffs.operators import bare
from kerneldiff.pipeline import compare

FOLDER = Path(__file__).parents[2] / "data" / "h200"
LABELS: list[dict[str, Any]] = tomllib.loads((FOLDER / "labels.toml").read_text())["pair"]


@pytest.mark.parametrize("label", LABELS, ids=lambda label: label["name"])
def test_the_answer_is_as_labelled(label: dict[str, Any]) -> None:
    found = compare(*(FOLDER / "traces" / f"{label[side]}.json.gz" for side in "ab"))

    assert found.verdict.gpu_work == label["gpu_work"]
    assert set(label["must"]) <= set(found.verdict.changes)
    assert not set(label["must_not"]) & set(found.verdict.changes)
    if wanted := label.get("fused"):
        named = [{bare(name) for name in match.fused_operators} for match in found.matches if match.relation == "fused"]
        assert any(set(wanted) <= names for names in named), named
