"""Whatever is given: a trace, or one clear error that says what, which, and what to do."""

from __future__ import annotations

import gc
import gzip
import io
import json
import os
import subprocess
import sys

import pytest

import kerneldiff.traces
from kerneldiff.errors import EmptyTraceError, MalformedTraceError, TraceError, UnknownFormatError
from kerneldiff.traces import Kind, load, sources
from kerneldiff.traces.categories import kind_of

EVENT = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 1.5, "dur": 2.25}
DATA = json.dumps({"traceEvents": [EVENT]}).encode()


def one_line(caught):
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


def test_source_is_a_path_text_a_file_or_bytes(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(DATA)

    with path.open("rb") as file:
        traces = [load(path), load(str(path)), load(file), load(DATA), load(io.BytesIO(gzip.compress(DATA)))]

    assert [len(trace.events) for trace in traces] == [1] * 5
    assert traces[0].path == traces[1].path == traces[2].path == str(path)


def test_dash_is_standard_input():
    program = "from kerneldiff.traces import load; t = load('-'); print(t.path, len(t.events))"

    done = subprocess.run([sys.executable, "-c", program], input=DATA, capture_output=True, check=True)

    assert done.stdout.split() == [b"<stdin>", b"1"]


def test_pipe_that_gives_small_portions_is_read_whole():
    reading, writing = os.pipe()
    data = json.dumps({"traceEvents": [EVENT] * 300}).encode()
    assert len(data) < 60_000  # the pipe must hold all of it
    with os.fdopen(writing, "wb") as file:
        file.write(data)
    with os.fdopen(reading, "rb", buffering=0) as file:
        assert len(load(file).events) == 300


def test_missing_file_and_folder_are_named(tmp_path):
    with pytest.raises(TraceError, match="no such file") as caught:
        load(tmp_path / "none.json")
    assert str(tmp_path / "none.json") in one_line(caught)
    with pytest.raises(TraceError, match="folder") as caught:
        load(tmp_path)
    one_line(caught)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_named(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(DATA)
    path.chmod(0)
    with pytest.raises(TraceError, match="Permission denied"):
        load(path)


def test_path_with_a_zero_byte_is_no_crash():
    with pytest.raises(TraceError):
        load("a\0b")


def test_file_open_as_text_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(DATA)
    with path.open() as file, pytest.raises(TraceError, match="binary"):
        load(file)


@pytest.mark.parametrize(
    "data", [b"", b"  \n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0), gzip.compress(b" " * 10**7, mtime=0)]
)
def test_empty_file_is_empty(data):
    with pytest.raises(EmptyTraceError, match="empty"):
        load(data)


@pytest.mark.parametrize("data", [b"[]", b'{"traceEvents": []}', b'{"traceEvents": [{"ph": "M"}]}', b"[{}]"])
def test_trace_without_slices_has_no_events(data):
    with pytest.raises(EmptyTraceError, match="no events"):
        load(data)


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"<!DOCTYPE html><html>", "HTML"),
        (b"\x80\x04\x95pickle", "pickle"),
        (b"SQLite format 3\0", "SQLite"),
        (b"PK\x03\x04zip", "zip"),
        (b"\x28\xb5\x2f\xfdzstd", "zstd"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"hello", "not JSON"),
        (b"123", "not JSON"),
        (b"\0" * 1000, "not JSON"),
        (json.dumps({"traceEvents": [EVENT]}).encode("utf-16"), "not JSON"),
        (b'{"schema": "1.0.2-chakra.0.0.4", "nodes": []}', "schema, nodes"),
        (b'{"traceEvents": null}', "not a list"),
        (b'{"traceEvents": {"a": [{"ph": "X"}]}}', "not a list"),
        (b'{"deviceProperties": [{"id": 0', "cut off"),
        (b"{", "cut off"),
        (b'{"a": }', "no list"),
    ],
)
def test_what_is_no_trace_is_said_with_what_it_seems_to_be(data, hint):
    with pytest.raises(UnknownFormatError, match=hint) as caught:
        load(data)
    assert "torch.profiler" in one_line(caught)


@pytest.mark.parametrize(("name", "hint"), [("a.nsys-rep", "Nsight Systems"), ("a.pftrace", "Perfetto")])
def test_names_help_where_the_content_tells_nothing(tmp_path, name, hint):
    path = tmp_path / name
    path.write_bytes(b"\x0a\x0b\x0c\x0d\x01\x02")
    with pytest.raises(UnknownFormatError, match=hint) as caught:
        load(path)
    one_line(caught)


@pytest.mark.parametrize("data", [b"[", b'{"traceEvents": [', b'{"traceEvents": [{"ph": "X"', b'[{"ph": "X", "name'])
def test_file_cut_before_the_first_event_ends_is_an_error_with_the_place(data):
    with pytest.raises(TraceError, match=r"cut off at byte \d+|no events") as caught:
        load(data)
    one_line(caught)


def test_progress_tells_bytes_and_total(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(json.dumps([EVENT] * 20_000).encode())
    seen = []

    load(path, progress=lambda done, total: seen.append((done, total)))

    size = path.stat().st_size
    assert seen[-1] == (size, size)
    assert seen == sorted(seen)
    assert len(seen) > 2


def test_garbage_collector_is_as_before_also_after_an_error():
    assert gc.isenabled()
    load(DATA)
    assert gc.isenabled()
    with pytest.raises(UnknownFormatError):
        load(b"no")
    assert gc.isenabled()
    gc.disable()
    try:
        load(DATA)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_gzip_bomb_is_refused(monkeypatch):
    monkeypatch.setattr(sources, "MAX_UNCHECKED", 1 << 20)
    bomb = gzip.compress(b"[" + json.dumps(EVENT).encode() + b" " * (1 << 26) + b"]")

    with pytest.raises(MalformedTraceError, match="no trace shrinks so much") as caught:
        load(bomb)
    one_line(caught)


def test_event_without_end_is_refused_before_it_fills_the_memory(monkeypatch):
    from kerneldiff.traces import streaming

    monkeypatch.setattr(streaming, "MAX_BUFFER", 1 << 20)
    data = b'[{"ph": "X", "name": "' + b"x" * (1 << 22)

    with pytest.raises(MalformedTraceError, match="no event ends within 1 MB"):
        load(data)


@pytest.mark.parametrize(
    ("category", "kind"),
    [
        ("cpu_op", Kind.OPERATOR),
        ("hip_runtime", Kind.RUNTIME),
        ("privateuse1_runtime", Kind.RUNTIME),
        ("new_device_runtime", Kind.RUNTIME),
        ("new_device_kernel", Kind.OTHER_DEVICE),
        ("hpu_op", Kind.OTHER_DEVICE),
        ("ac2g", Kind.OTHER),
        ("", Kind.OTHER),
        (None, Kind.OTHER),
    ],
)
def test_kind_is_told_by_the_category(category, kind):
    assert kind_of(category) is kind


def test_operator_named_like_a_kernel_stays_an_operator():
    launch = EVENT | {"name": "triton_poi_fused_add_0", "args": {"stream": 0, "grid": "grid(4,)", "kernel_hash": "c1"}}

    trace = load(json.dumps([launch]).encode())

    assert trace.events.kind.tolist() == [Kind.OPERATOR]
    assert trace.text(int(trace.operators.kernel_hash[0])) == "c1"


def test_public_names_are_there():
    assert all(hasattr(kerneldiff.traces, name) for name in kerneldiff.traces.__all__)


def test_import_needs_numpy_and_msgspec_only():
    program = (
        "import sys, kerneldiff.traces; "
        "print(*{name.split('.')[0] for name in sys.modules} & {'isal', 'polars', 'pandas', 'scipy', 'torch', 'rich'})"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert done.stdout.split() == []
