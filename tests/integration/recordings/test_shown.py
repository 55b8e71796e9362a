"""What a recording of variants ends with, in the terminal."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from kerneldiff import pipeline
from kerneldiff.diffs.builds import spread_of_builds
from kerneldiff.reports.text import recorded

RECORDED = Path(__file__).parents[2] / "data" / "recorded"
HOSTILE = "kern\x1b[31m\u202eels\n"


def compare(baseline, candidate):
    return pipeline.compare(RECORDED / baseline, RECORDED / candidate)


def shown(monkeypatch, width=80, *, quiet=False, **facts):
    monkeypatch.setenv("COLUMNS", str(width))
    out = io.StringIO()
    recorded.show(recorded.Variants(**facts), out, quiet=quiet)
    return out.getvalue()


@pytest.fixture(scope="module")
def mlp():
    return [compare("mlp/eager", "mlp/compile"), compare("mlp/eager", "mlp/compile-mode=reduce-overhead")]


@pytest.fixture(scope="module")
def spread():
    return spread_of_builds(
        "compile", [compare(f"builds/build-{n}/eager", f"builds/build-{n}/compile") for n in (1, 2, 3)]
    )


def test_the_table_says_what_changed_and_what_stayed_the_same(monkeypatch, mlp):
    text = shown(monkeypatch, 140, diffs=mlp, labels=["eager", "compile", "compile:mode=reduce-overhead"])

    table = text[text.index("Against eager") :]
    assert "fused: gelu, mul" in table
    assert "added: _foreach_copy_" in table
    assert "replaying a CUDA graph" in table
    assert "3 of 4 GPU events proved equal (mm)" in table


def test_a_mismatch_stands_before_every_verdict_and_remarks_at_the_end(monkeypatch, mlp):
    text = shown(monkeypatch, diffs=mlp[:1], labels=["eager", "compile"], warnings=["other numbers"], remarks=["kept"])

    assert text.startswith("MISMATCH  other numbers")
    assert text.endswith("- kept\n")


def test_builds_are_shown_with_their_range_and_the_kernel_that_makes_it(monkeypatch, mlp, spread):
    text = shown(monkeypatch, 140, diffs=mlp[:1], labels=["eager", "compile"], spreads=[spread])

    assert "3 builds of compile" in text
    assert "the builds are not the same code (2 different among 3)" in text
    assert "GPU time a step: 225.9 us, 207.4 us, 211.5 us; 8.9 % apart." in text
    assert "triton_poi_fused__unsafe_view_gelu_mul_0: 5" in text
    assert "block 256x1x1 > 128x1x1" in text


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_line_is_wider_than_the_terminal_and_nothing_hidden_is_printed(monkeypatch, mlp, spread, width):
    text = shown(
        monkeypatch,
        width,
        diffs=mlp[:1],
        labels=[HOSTILE, HOSTILE],
        spreads=[spread],
        warnings=[HOSTILE],
        remarks=[HOSTILE],
    )

    assert max(len(line) for line in text.splitlines()) <= width
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_quiet_prints_the_verdicts_alone(monkeypatch, mlp):
    text = shown(monkeypatch, quiet=True, diffs=mlp, labels=["eager", "compile", "graph"], remarks=["kept"])

    assert text.count("GPU work: CHANGED") == 2
    assert "Against" not in text
    assert "kept" not in text


def test_one_variant_alone_has_nothing_to_compare_and_still_says_where_it_is(monkeypatch):
    assert shown(monkeypatch, diffs=[], labels=["eager"], remarks=["recordings are in x"]) == "- recordings are in x\n"
