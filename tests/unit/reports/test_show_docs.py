"""What the pages about one run show is what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from kerneldiff.cli.main import group
from kerneldiff.pipeline import load
from kerneldiff.profiles.limits import judge_limits
from kerneldiff.profiles.peaks import peaks_of
from kerneldiff.reports import show_json

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"```console\n\$ kerneldiff (?P<arguments>[^\n]+)\n(?P<shown>.*?)```", re.DOTALL)


def blocks():
    return [
        (found["arguments"], found["shown"]) for found in BLOCK.finditer((ROOT / "docs" / "one-run.md").read_text())
    ]


@pytest.mark.parametrize(("arguments", "shown"), blocks())
def test_page_shows_what_is_printed(arguments, shown, monkeypatch):
    monkeypatch.chdir(ROOT)
    printed = CliRunner(env={"COLUMNS": "80"}).invoke(group, arguments.split()).output

    for part in shown.rstrip("\n").split("\n\n...\n\n"):
        assert part in printed


def keys(value, prefix=""):
    """List all keys of a document, however deep, without those that are data (operators, causes, modes ...)."""
    data = {"environment", "gap_ns", "limited_ns", "flops_per_s", "decoded"}
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in data:
                yield from keys(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from keys(inner)


def test_every_key_of_the_document_is_on_the_page(data):
    run = load(data / "pairs" / "traces" / "seed-mlp_eager_shapes.json.gz")
    known = {
        match
        for page in ("show-json.md", "json.md")
        for match in re.findall(r"`(\w+)`", (ROOT / "docs" / page).read_text())
    }
    # The keys of an event are those of DESIGN's contract, shared with compare.
    event = {"name", "kind", "auxiliary", "decoded", "grid", "block", "registers", "shared_memory", "code_hash", "configuration",
             "chain", "launch", "input_shapes", "input_types", "input_strides", "problem_size", "bytes", "stream", "start_ns",
             "gpu_ns", "regions", "replayed", "collective"}  # fmt: skip
    document = show_json.as_dict(run, judge_limits(run, peaks_of(run.device)))

    shared = {
        *event,
        "step",
        "alike",
        "recordings",
        "paths",
        "gpu_events",
        "in_steps",
        "before_window",
        "linked",
        "gpu_ns_in_steps",
    }
    assert (
        set(keys(document)) - known - shared - {key for key in keys(document["events"]) if key.startswith("content")}
        == set()
    )
