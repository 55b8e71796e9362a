"""The trace of both runs: slices nest, flows begin before they end, times are on one zero."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from samples import SAMPLES, fusion, hostile, identical

from builders import ADD, GELU, GELU_MUL, GEMM, MUL, run
from kerneldiff.diffs import Diff, diff
from kerneldiff.reports import perfetto
from kerneldiff.reports.joins import joins
from kerneldiff.traces import load


def events_of(*diffs: Diff) -> list[dict[str, Any]]:
    found = json.loads(gzip.decompress(perfetto.render(diffs)))["traceEvents"]
    assert isinstance(found, list)
    return found


def ns(us: float) -> int:
    return round(us * 1000)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_gpu_event_is_a_slice_with_its_relation_as_category(name):
    found = SAMPLES[name]()
    slices = [e for e in events_of(found) if e["ph"] == "X" and e["tid"] >= 1000]
    wanted = [m.relation for m in found.matches for _ in (*m.baseline, *m.candidate)]

    assert sorted(e["cat"] for e in slices) == sorted(wanted)
    assert sum(ns(e["dur"]) for e in slices if e["pid"] == 1) == sum(e.gpu_ns for e in found.baseline.events)


@pytest.mark.parametrize("name", SAMPLES)
def test_slices_of_a_thread_nest(name):
    threads: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for e in events_of(SAMPLES[name]()):
        if e["ph"] == "X":
            threads[e["pid"], e["tid"]].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])))
    for slices in threads.values():
        around: list[int] = []
        for start, end in sorted(slices, key=lambda one: (one[0], -one[1])):
            while around and around[-1] <= start:
                around.pop()
            assert not around or end <= around[-1]
            around.append(end)


@pytest.mark.parametrize("name", SAMPLES)
def test_flows_begin_at_the_earlier_slice_and_join_the_match(name):
    found = SAMPLES[name]()
    starts: dict[int, dict[str, Any]] = {}
    ends: dict[int, dict[str, Any]] = {}
    slices = defaultdict(set)
    for e in events_of(found):
        if e["ph"] in "sf":
            (starts if e["ph"] == "s" else ends)[e["id"]] = e
        elif e["ph"] == "X":
            slices[e["pid"], e["tid"]].add(e["ts"])

    assert starts.keys() == ends.keys()
    assert len(starts) == sum(len(joins(match)) for match in found.matches)
    for number, start in starts.items():
        end = ends[number]
        assert start["ts"] <= end["ts"]
        assert start["pid"] != end["pid"]
        assert start["ts"] in slices[start["pid"], start["tid"]]
        assert end["ts"] in slices[end["pid"], end["tid"]]


def test_both_steps_begin_at_the_same_zero():
    found = identical()
    first = {pid: min(e["ts"] for e in events_of(found) if e["ph"] == "X" and e["pid"] == pid) for pid in (1, 2)}

    assert first[1] == first[2]


def test_events_that_overlap_on_a_stream_get_a_row_of_their_own():
    found = fusion()
    events = tuple(replace(event, start_ns=0, stream=7) for event in found.baseline.events)
    overlapping = replace(found, baseline=replace(found.baseline, events=events))

    tracks = [e["tid"] for e in events_of(overlapping) if e["ph"] == "X" and e["pid"] == 1 and e["tid"] >= 1000]

    assert len(set(tracks)) == len(events)


def test_several_candidates_are_processes_of_their_own():
    base = run(GEMM, GELU, MUL)
    diffs = [diff(base, other) for other in (run(GEMM, GELU_MUL), run(GEMM, GELU, MUL, ADD))]
    names = [e["args"]["name"] for e in events_of(*diffs) if e["name"] == "process_name"]

    assert [name.split(":")[0] for name in names] == ["baseline", "candidate 1", "candidate 2"]


def test_the_file_is_the_same_each_time_and_its_texts_are_visible():
    assert perfetto.render([hostile()]) == perfetto.render([hostile()])
    assert not set(gzip.decompress(perfetto.render([hostile()])).decode()) & set("\x1b\u202e\u2028")


def test_the_file_is_a_trace_that_kerneldiff_reads_too(tmp_path):
    path = tmp_path / "both.json.gz"
    path.write_bytes(perfetto.render([fusion()]))

    assert load(str(path)) is not None


def test_a_run_against_itself_stands_there_twice():
    one = run(GEMM, GELU)

    assert {e["pid"] for e in events_of(diff(one, one))} == {1, 2}
