"""One set of comparisons through every renderer, as a reader gets it; a new field or word shows up in one diff.

``pytest tests/unit/reports/test_snapshots.py --snapshot-update`` takes the present output as right.
"""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest
from reading import Page
from samples import SAMPLES, large

from kerneldiff.diffs import Diff
from kerneldiff.reports import html, markdown, perfetto, text
from kerneldiff.reports import json as json_report


def as_text(found: Diff) -> str:
    file = io.StringIO()
    text.show([found], file)
    return file.getvalue()


def as_page(found: Diff) -> str:
    """The texts of the page in the order of reading, a line each."""
    texts = (" ".join(part.split()) for part in Page(html.render([found])).texts)
    return "\n".join(shorten(part) for part in texts if part)


def as_trace(found: Diff) -> str:
    """Slices and flows of the GPU side, a line each."""
    events = json.loads(gzip.decompress(perfetto.render([found])))["traceEvents"]
    return "\n".join(shorten(line(event)) for event in events if event.get("tid", 0) >= 1000 and event["ph"] != "M")


def line(event: dict[str, Any]) -> str:
    place = f"{event['pid']}/{event['tid']} at {event['ts']:.3f}"
    return f"{event['ph']} {event['cat']} {event['name']} {place} {event.get('dur', '')}".rstrip()


def shorten(line: str) -> str:
    """Long names are looked at by tests of their own."""
    return line if len(line) <= 300 else f"{line[:200]}... ({len(line)} characters)"


RENDERERS = {
    "text": as_text,
    "markdown": lambda found: markdown.render([found]),
    "page": as_page,
    "perfetto": as_trace,
}


@pytest.mark.parametrize(
    ("renderer", "sample"),
    [
        *(("text", sample) for sample in ("empty", "identical", "fusion", "hostile")),
        *(("markdown", sample) for sample in ("empty", "identical", "fusion", "hostile")),
        *(("page", sample) for sample in ("empty", "fusion")),
        *(("perfetto", sample) for sample in ("fusion", "hostile")),
    ],
)
def test_report_is_as_it_was(snapshot, monkeypatch, renderer, sample):
    monkeypatch.setenv("COLUMNS", "100")
    found = SAMPLES[sample]()
    written = RENDERERS[renderer](found)

    assert "\n".join(shorten(line) for line in written.splitlines()) == snapshot


@pytest.mark.parametrize("renderer", ["text", "markdown", "page"])
def test_four_thousand_kernels_fold_to_a_short_report(renderer):
    found = large()
    written = RENDERERS[renderer](found)

    assert len(found.baseline.events) == 4000
    assert len(written.splitlines()) < 1_000
    assert "gelu" in written


def test_json_lists_every_one_of_four_thousand_kernels():
    assert len(json.loads(json_report.render([large()]))["events"]["baseline"]) == 4000
