"""A folder in which the plug-in is tried: traces of an eager and a compiled program, and a test that checks one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders import GELU, GELU_MUL, GEMM, MUL, document, kernel


@pytest.fixture
def inside(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with traces of an eager and a compiled program, where CI is not set."""
    monkeypatch.delenv("CI", raising=False)
    traces = {
        "eager.json": document(*[[GEMM, GELU, MUL]] * 3),
        "again.json": document(*[[GEMM, GELU, MUL]] * 3, shift_ns=5_000_000),
        "compiled.json": document(*[[GEMM, GELU_MUL]] * 3),
        "a100.json": document(*[[GEMM, GELU, MUL]] * 3, device="NVIDIA A100"),
        "unproven.json": document(*[[kernel("my_kernel", operators=("my_kernel",))]] * 3),
        "hostile.json": document(*[[GEMM, kernel("evil\x1b[31m", operators=("aten::\x1b]8;;x", "up\n::error::"))]] * 3),
    }
    for name, value in traces.items():
        pytester.makefile(".json", **{name.removesuffix(".json"): json.dumps(value)})
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider -p no:syrupy -p no:hypothesispytest\n")
    return pytester


def locks(inside: pytest.Pytester) -> list[Path]:
    return sorted(inside.path.rglob("*.lock"))


CHECK = """
    def test_mlp(kerneldiff):
        kerneldiff.check(kerneldiff.load("{trace}.json"))
"""


def with_lock(inside: pytest.Pytester, trace: str = "eager") -> None:
    inside.makepyfile(test_it=CHECK.format(trace=trace))
    inside.runpytest("--kerneldiff-update").assert_outcomes(passed=1)
