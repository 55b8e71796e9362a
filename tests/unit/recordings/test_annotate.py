"""The kerneldiff object in a trace that stays a trace."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.annotate import named_in, write_text, write_trace
from kerneldiff.recordings.digests import KernelFacts

TRACE = ' {\n  "schemaVersion": 1,\n  "traceEvents": [{"name": "k_0"}]\n}\n'


def test_facts_stand_at_the_top_level_and_all_else_is_unchanged(tmp_path):
    source, target = tmp_path / "a.json", tmp_path / "00.pt.trace.json.gz"
    source.write_text(TRACE)

    write_trace(source, target, {"session": "s", "note": None, "odd": '</script>\u202e"'})

    document = json.loads(gzip.decompress(target.read_bytes()))
    assert document.pop("kerneldiff") == {"session": "s", "note": None, "odd": '</script>\u202e"'}
    assert document == json.loads(TRACE)


@pytest.mark.parametrize("text", ["", "[]", "   ", "null"])
def test_what_is_no_object_is_an_error_and_leaves_no_file(tmp_path, text):
    source = tmp_path / "a.json"
    source.write_text(text)

    with pytest.raises(RecordingError, match="no JSON object"):
        write_trace(source, tmp_path / "b.gz", {})

    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_folder_that_is_not_there_is_said(tmp_path):
    source = tmp_path / "a.json"
    source.write_text(TRACE)

    with pytest.raises(RecordingError, match="cannot be written"):
        write_trace(source, tmp_path / "absent" / "b.gz", {})
    with pytest.raises(RecordingError, match="cannot be written"):
        write_text(tmp_path / "absent" / "b.txt", "x")


def test_a_file_that_is_not_finished_is_not_left_behind(tmp_path):
    source = tmp_path / "a.json"
    source.write_text(TRACE)

    with pytest.raises(ValueError, match="not JSON compliant"):
        write_trace(source, tmp_path / "b.gz", {"bad": float("nan")})

    assert not (tmp_path / "b.gz").exists()


def test_only_kernels_that_the_trace_names_are_kept(tmp_path):
    source = tmp_path / "a.json"
    source.write_text(TRACE)
    kernels = [
        KernelFacts(name=name, registers=None, shared_memory=None, warps=None, source=None, code="c")
        for name in ("k_0", "k_1", "k_")
    ]

    assert [one["name"] for one in named_in(source, kernels)] == ["k_0"]


def test_a_new_file_can_be_read_by_others_as_any_other(tmp_path):
    write_text(tmp_path / "a.txt", "x")
    Path(tmp_path / "plain.txt").write_text("x")

    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain.txt").stat().st_mode
