"""Damage of the kinds that real files have: repaired and said, left out and said, or refused with the place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import contract
import pytest

from kerneldiff.errors import EmptyTraceError, MalformedTraceError
from kerneldiff.traces import Kind, load
from kerneldiff.traces.loading import load_in_pieces

CASES = Path(__file__).parents[2] / "data" / "cases"
PIECES = [1, 100, 3000, 1 << 19]


def names(trace, kind=None):
    return [trace.strings[n] for n, k in zip(trace.events.name, trace.events.kind, strict=True) if kind in (None, k)]


def gpu_ns(trace, kind=Kind.KERNEL):
    return int(trace.events.dur_ns[trace.events.kind == kind].sum())


def codes(trace):
    return {note.code: note.count for note in trace.notes}


def event(name="aten::mm", **changes):
    fields = {"ph": "X", "cat": "cpu_op", "name": name, "pid": 7, "tid": 7, "ts": 1.5, "dur": 2.25} | changes
    return json.dumps(fields)


def document(*events, footer=""):
    return ('{"traceEvents": [' + ",\n".join(events) + "]" + footer + "}").encode()


@pytest.mark.parametrize("piece", PIECES)
def test_case_52_raw_backslashes_stand_for_themselves(piece):
    trace = load_in_pieces(str(CASES / "52-backslashes-from-windows" / "trace.json"), None, piece)

    contract.check_form(trace)
    assert set(names(trace, Kind.PYTHON)) == {
        r"torch\nn\modules\linear.py(125): forward",
        r"C:\Users\me\bench\train.py(41): forward",
    }
    assert (len(names(trace, Kind.KERNEL)), gpu_ns(trace)) == (4, 18_315)
    assert "raw-backslashes" in codes(trace)
    assert trace.header.trace_name == r"C:\Users\me\log\[Strategy]SingleDevice.pt.trace.json"


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("inf", {"bare-word": 1}),
        ("not_available", {"bare-word": 1}),
        ("empty_and_nan", {"bare-word": 1, "empty-value": 1}),
    ],
)
def test_case_53_bare_words_are_missing_values(file, found, piece):
    trace = load_in_pieces(str(CASES / "53-bare-words-for-values" / f"{file}.json"), None, piece)

    assert codes(trace) == found
    assert (len(names(trace, Kind.KERNEL)), gpu_ns(trace)) == (4, 18_404)
    assert sum(name.startswith("ProfilerStep#") for name in names(trace, Kind.ANNOTATION)) == 3
    assert trace.device.size_bytes[trace.events.kind[trace.device.row] == Kind.MEMCPY].tolist() == [200]
    assert all(note.where.startswith("byte ") for note in trace.notes)


@pytest.mark.parametrize("piece", PIECES)
def test_case_56_keeps_what_is_sound_before_the_cut(piece):
    path = CASES / "56-cut-off-file" / "trace.json"
    trace = load_in_pieces(str(path), None, piece)

    assert len(names(trace, Kind.KERNEL)) == 5
    text = path.read_bytes()
    assert trace.cut_off_at == text.rindex(b'{\n    "ph"')
    assert codes(trace) == {"cut-off": 1}


@pytest.mark.parametrize("piece", PIECES)
def test_case_57_reads_damaged_and_mislabelled_archives(piece):
    folder = CASES / "57-cut-off-gzip"
    cut = load_in_pieces(str(folder / "trace.json.gz"), None, piece)
    unclosed = load_in_pieces(str(folder / "no_trailer.json.gz"), None, piece)
    plain = load_in_pieces(str(folder / "not_gzip.json.gz"), None, piece)

    assert set(codes(cut)) == {"cut-off", "gzip-not-closed"}
    assert cut.cut_off_at > 0
    assert codes(unclosed) == {"gzip-not-closed": 1}
    assert unclosed.cut_off_at is None
    assert (len(names(unclosed, Kind.KERNEL)), gpu_ns(unclosed)) == (8, 36_729)
    assert plain.notes == ()
    assert plain.events.dur_ns.tolist() == unclosed.events.dur_ns.tolist()


@pytest.mark.parametrize("piece", PIECES)
def test_case_58_two_processes_in_one_file_are_refused(piece):
    path = CASES / "58-two-ranks-wrote-one-file" / "trace.json"

    with pytest.raises(MalformedTraceError, match=r"5002.*5001") as refused:
        load_in_pieces(str(path), None, piece)

    assert f"byte {refused.value.offset}" in str(refused.value)
    first_foreign = path.read_bytes().index(b'"pid": 5002')
    assert refused.value.offset < first_foreign < refused.value.offset + 1000


@pytest.mark.parametrize("piece", PIECES)
def test_case_59_lists_are_traces(piece):
    folder = CASES / "59-plain-list-of-events"
    legacy = load_in_pieces(str(folder / "legacy.json"), None, piece)
    bare = load_in_pieces(str(folder / "bare_events.json"), None, piece)
    unclosed = load_in_pieces(str(folder / "unclosed.json"), None, piece)

    assert names(legacy) == ["aten::zeros", "aten::empty"] * 4
    assert set(legacy.events.kind) == {Kind.OPERATOR}
    assert (len(names(bare, Kind.KERNEL)), gpu_ns(bare)) == (4, 18_325)
    assert bare.events.start_ns.tolist() == unclosed.events.start_ns.tolist()
    assert unclosed.cut_off_at is None
    assert codes(unclosed) == {"unclosed-list": 1}
    with pytest.raises(EmptyTraceError, match="no events"):
        load_in_pieces(str(folder / "empty.json"), None, piece)


def test_case_61_steps_of_2021_are_annotations():
    trace = load(CASES / "61-file-from-2021" / "worker0.pt.trace.json")

    assert names(trace, Kind.ANNOTATION) == ["ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"]
    assert (len(names(trace, Kind.KERNEL)), gpu_ns(trace)) == (6, 542_000)
    assert (trace.events.external_id[trace.events.kind == Kind.KERNEL] > 0).all()


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(
    ("damaged", "name", "code"),
    [
        (event("a\x01b").replace("\\u0001", "\x01"), "a\x01b", "control-characters"),
        (event("a\\ud800b").replace("\\\\", "\\"), "a\ufffdb", "lone-surrogates"),
        (event("pair \U0001f600"), "pair \U0001f600", None),
        (event("mm", args={"External id": 5})[:-2] + ",}}", "mm", "trailing-comma"),
    ],
)
def test_texts_are_repaired_and_said(damaged, name, code, piece):
    trace = load_in_pieces(document(event("before"), damaged, event("after")), None, piece)

    assert names(trace) == ["before", name, "after"]
    assert list(codes(trace)) == ([code] if code else [])


def test_invalid_utf8_is_replaced_and_said():
    data = document(event("before"), event("a@b"), event("after")).replace(b"@", b"\xff")

    trace = load(data)

    assert names(trace) == ["before", "a\ufffdb", "after"]
    assert codes(trace) == {"invalid-utf8": 1}


@pytest.mark.parametrize("piece", PIECES)
def test_backslashes_of_earlier_pieces_are_put_back(piece):
    early, late = event("C:\\new\\table").replace("\\\\", "\\"), event("C:\\Users").replace("\\\\", "\\")
    data = document(early, *[event("aten::mm")] * 50, late, early)

    trace = load_in_pieces(data, None, piece)

    assert names(trace)[0] == names(trace)[-1] == r"C:\new\table"
    assert names(trace)[-2] == r"C:\Users"
    contract.check_form(trace)


def test_text_that_ends_in_a_backslash_ends_there():
    trace = load(document(event("before"), event("C:\\new\\").replace("\\\\", "\\"), event("after")))

    assert names(trace) == ["before", "C:\\new\\", "after"]


@pytest.mark.parametrize("piece", PIECES)
def test_one_broken_event_is_left_out_and_said(piece):
    broken = event("lost").replace('"cat"', "cat")
    data = document(event("before"), broken, event("after"))

    trace = load_in_pieces(data, None, piece)

    assert names(trace) == ["before", "after"]
    assert codes(trace) == {"event-left-out": 1}
    place = int(trace.notes[0].where.removeprefix("byte "))
    assert data[place:].startswith(broken.encode())


@pytest.mark.parametrize("piece", PIECES)
def test_odd_values_are_missing_and_the_event_stays(piece):
    odd = event("odd", args={"External id": {"a": 1}, "correlation": "17", "Sequence number": 10**30})

    trace = load_in_pieces(document(event("before"), odd, event("after")), None, piece)

    assert names(trace) == ["before", "odd", "after"]
    assert codes(trace) == {"odd-value": 1, "number-out-of-range": 1}


def test_event_without_a_time_is_left_out_and_said():
    trace = load(document(event("before"), event("timeless", ts=None), event("after", dur=None)))

    assert names(trace) == ["before", "after"]
    assert trace.events.dur_ns.tolist() == [2250, 0]
    assert codes(trace) == {"bad-time": 1}


@pytest.mark.parametrize("piece", PIECES)
def test_begin_and_end_records_become_slices(piece):
    records = [
        event("outer", ph="B", ts=1),
        event("inner", ph="B", ts=2.5, cat="kernel"),
        event("x", ph="X", ts=3),
        event("inner", ph="E", ts=4),
        event("never ends", ph="B", ts=5, tid=8),
        event("outer", ph="E", ts=10),
        event("never began", ph="E", ts=11),
    ]

    trace = load_in_pieces(document(*records), None, piece)

    assert names(trace) == ["outer", "inner", "x"]
    assert trace.events.dur_ns.tolist() == [9000, 1500, 2250]
    assert trace.device.row.tolist() == [1]
    assert codes(trace) == {"unmatched-begin": 1, "unmatched-end": 1}
    assert dict(trace.counts_by_phase) == {"B": 3, "E": 3, "X": 1}


def test_unreadable_part_of_the_header_does_not_cost_the_trace():
    log = '"WARNING": ["WARNING:2024 "x" is not set"], "traceName": "/home/a.json", "record_shapes": 1'
    before = b"{" + log.encode() + b', "traceEvents": [' + event().encode() + b"]}"
    behind = document(event(), footer=", " + log)

    for data in (before, behind):
        trace = load(data)
        assert names(trace) == ["aten::mm"]
        assert trace.header.trace_name == "/home/a.json"
        assert trace.header.record_shapes
        assert codes(trace) == {"header-unreadable": 1}


@pytest.mark.parametrize("end", range(1, 60))
def test_file_cut_behind_the_events_is_cut_off(end):
    data = document(event("a"), event("b"), footer=', "traceName": "x", "deviceProperties": [{"id": 0}, {"id": 1}]')

    trace = load(data[:-end])

    assert names(trace) == ["a", "b"]
    assert set(codes(trace)) == {"cut-off"}
    assert trace.cut_off_at is not None


def test_second_trace_in_the_file_is_refused():
    one, two = document(event()), document(event(pid=8))

    for data in (one + two, gzip.compress(one) + gzip.compress(two), one + two[30:]):
        with pytest.raises(MalformedTraceError, match="one path"):
            load(data)


def test_text_behind_the_trace_is_ignored_and_said():
    trace = load(document(event()) + b"\nINFO done\n")

    assert codes(trace) == {"trailing-text": 1}


def test_two_lists_of_events_are_refused():
    with pytest.raises(MalformedTraceError, match="second list"):
        load(document(event(), footer=', "traceEvents": []'))


def test_gzip_that_breaks_in_the_middle_keeps_what_came_before():
    text = document(*[event(f"op{i}", ts=i * 1.001) for i in range(20_000)])
    data = bytearray(gzip.compress(text))
    data[len(data) // 2] ^= 0xFF

    trace = load(bytes(data))

    assert 1000 < len(trace.events) < 20_000
    assert "gzip-damaged" in codes(trace) or "event-left-out" in codes(trace)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("break_first", [True, False])
def test_splice_with_one_clean_seam_is_refused(break_first, piece):
    ours = [event(f"ours{i}", ts=i) for i in range(6)]
    theirs = [event(f"theirs{i}", ts=i, pid=8, tid=8) for i in range(6)]
    torn = ours[2][:40] + theirs[2] if break_first else theirs[2][:40] + ours[2]
    data = document(*ours[:2], torn, *theirs[3:]) if break_first else document(*ours[:2], *theirs[:2], torn, *ours[3:])

    with pytest.raises(MalformedTraceError, match="two processes"):
        load_in_pieces(data, None, piece)


def test_two_processes_in_a_sound_file_are_read():
    trace = load(document(event("ours"), event("theirs", pid=8)))

    assert names(trace) == ["ours", "theirs"]
    assert trace.notes == ()


@pytest.mark.parametrize(
    "word", ["inf", "-inf", "nan", "-nan", "NaN", "-Infinity", "-nan(ind)", "1.#INF", "N/A", "None", "default_pg"]
)
def test_any_bare_word_is_a_missing_value(word):
    odd = event("odd", args={"External id": 95, "stream": 96}).replace(": 95", f": {word}").replace(": 96", f":{word}")

    trace = load(document(event("before"), odd, event("after")))

    assert names(trace) == ["before", "odd", "after"]
    assert trace.events.external_id.tolist() == [-1, -1, -1]
    assert codes(trace) == {"bare-word": 2}


@pytest.mark.parametrize("word", ["true", "false", "null", "-1.5e3", "12"])
def test_words_of_json_are_no_damage(word):
    data = document(
        event("a", args={"x": 0, "y": None}).replace(": 0", f": {word}"), event("b\x02").replace("\\u0002", "\x02")
    )

    assert codes(load(data)) == {"control-characters": 1}


def test_wrong_checksum_of_an_archive_costs_nothing_but_is_said():
    data = bytearray(gzip.compress(document(event("a"), event("b"))))
    data[-6] ^= 0xFF

    trace = load(bytes(data))

    assert names(trace) == ["a", "b"]
    assert codes(trace) == {"gzip-damaged": 1}
    assert trace.cut_off_at is None


@pytest.mark.parametrize("rest", [b"\0" * 512, b"log line\n"])
def test_bytes_behind_an_archive_are_ignored(rest):
    trace = load(gzip.compress(document(event("a"))) + rest)

    assert names(trace) == ["a"]
    assert list(codes(trace)) == ([] if rest.strip(b"\0") == b"" else ["gzip-trailing-bytes"])


def test_broken_text_across_a_kernel_is_no_splice():
    torn = event("lost")[:40] + event("gemm", cat="kernel", pid=0, tid=7)
    kernel = event("relu", cat="kernel", pid=0, tid=7)

    trace = load(document(event("before"), torn, kernel))

    assert names(trace) == ["before", "relu"]
    assert codes(trace) == {"event-left-out": 1}
