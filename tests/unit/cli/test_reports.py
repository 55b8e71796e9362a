"""Reports from the command line: where they go, and that two cannot share one place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kerneldiff.cli.compare import command as compare
from kerneldiff.cli.show import command as show


@pytest.fixture
def pair(data: Path) -> list[str]:
    traces = data / "pairs" / "traces"
    return [str(traces / "seed-mlp_eager_shapes.json.gz"), str(traces / "seed-mlp_compile_shapes.json.gz")]


def test_all_reports_are_written_in_one_run(pair, tmp_path):
    places = {
        kind: tmp_path / name
        for kind, name in (("html", "r.html"), ("markdown", "r.md"), ("perfetto", "r.json.gz"), ("json", "r.json"))
    }
    options = [text for kind, place in places.items() for text in (f"--{kind}", str(place))]

    result = CliRunner().invoke(compare, [*pair, *options, "-q"], catch_exceptions=False)

    assert result.exit_code == 0
    assert "GPU work" in result.output
    assert places["html"].read_text().startswith("<!doctype html>")
    assert places["markdown"].read_text().startswith("### GPU work changed")
    assert json.loads(gzip.decompress(places["perfetto"].read_bytes()))["traceEvents"]
    assert json.loads(places["json"].read_text())["schema"] == "kerneldiff.diff/1"


def test_a_perfetto_file_without_gz_is_plain_json(pair, tmp_path):
    place = tmp_path / "r.json"
    CliRunner().invoke(compare, [*pair, "--perfetto", str(place), "-q"], catch_exceptions=False)

    assert json.loads(place.read_text())["traceEvents"]


def test_a_report_on_stdout_stands_there_alone(pair):
    result = CliRunner().invoke(compare, [*pair, "--markdown", "-"], catch_exceptions=False)

    assert result.stdout.startswith("### GPU work changed")
    assert result.stdout.endswith("</sub>\n")


def test_two_reports_cannot_both_go_to_stdout(pair):
    result = CliRunner().invoke(compare, [*pair, "--markdown", "-", "--html", "-"])

    assert result.exit_code == 2
    assert "cannot both go to stdout" in result.output


def test_show_writes_a_page(pair, tmp_path):
    place = tmp_path / "run.html"
    result = CliRunner().invoke(show, [pair[0], "--html", str(place)], catch_exceptions=False)

    assert result.exit_code == 0
    assert "seed-mlp_eager_shapes" in place.read_text()
