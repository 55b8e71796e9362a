"""Any bytes end in a trace or in one clear error: no crash, no hang.

``KERNELDIFF_FUZZ`` multiplies the number of examples (``make fuzz``).
"""

from __future__ import annotations

import gzip
import json
import os
import time
from pathlib import Path

import contract
import layouts
import strategies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kerneldiff.errors import KerneldiffError
from kerneldiff.traces.loading import load_in_pieces

CASES = Path(__file__).parents[2] / "data" / "cases"
SEEDS = [
    path.read_bytes()
    for path in sorted(CASES.glob("*/*.json"))
    if path.parent.name[:2] in ("28", "32", "40", "52", "53", "56", "58", "59", "61", "62", "63")
    and path.stat().st_size < 30_000
]
TIMES = int(os.environ.get("KERNELDIFF_FUZZ", "1"))
SECONDS = 10.0

# Bytes with a meaning to a reader of JSON.
MEANINGFUL = [
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"nan",
    b"-",
    b"1e999",
]
FRAGMENTS = [
    *MEANINGFUL,
    b'}, {"ph": "X"',
    b'"traceEvents": [',
    b"]}",
    b'\\"',
    b"\\u",
    b"\\ud800",
    b"null",
    b'"ts": ""',
    b"9" * 400,
]

place = st.floats(0, 1, exclude_max=True)
edits = st.one_of(
    st.tuples(st.just("insert"), place, st.sampled_from(FRAGMENTS)),
    st.tuples(st.just("replace"), place, st.sampled_from(MEANINGFUL)),
    st.tuples(st.just("delete"), place, st.integers(1, 400)),
    st.tuples(st.just("repeat"), place, st.integers(1, 2000)),
    st.tuples(st.just("cut"), place, st.none()),
    st.tuples(st.just("splice"), place, st.sampled_from(SEEDS)),
)


def edited(data: bytes, kind: str, where: float, what) -> bytes:
    at = int(where * len(data))
    if kind == "insert":
        return data[:at] + what + data[at:]
    if kind == "replace":
        return data[:at] + what + data[at + len(what) :]
    if kind == "delete":
        return data[:at] + data[at + what :]
    if kind == "repeat":
        return data[: at + what] + data[at:]
    if kind == "cut":
        return data[:at]
    return data[:at] + what[len(what) // 3 :]


def answer(data: bytes, piece: int):
    """Return the trace, or None after a clear error."""
    started = time.process_time()
    trace, message = None, ""
    try:
        trace = load_in_pieces(data, None, piece)
    except KerneldiffError as error:
        message = str(error)
    assert time.process_time() - started < SECONDS
    assert "\n" not in message
    assert len(message) < 2000
    if trace is not None:
        contract.check_form(trace)
        assert len(trace.events)
    return trace


def slices_of_sound_json(data: bytes) -> int | None:
    """Return the number of slices, or None when the text is not sound."""
    try:
        document = json.loads(data.decode(), parse_constant=lambda word: 1 / 0)
        events = document if isinstance(document, list) else document["traceEvents"]
        return sum(isinstance(event, dict) and event.get("ph") == "X" for event in events)
    except (ValueError, ZeroDivisionError, KeyError, TypeError, RecursionError):
        return None


@settings(max_examples=400 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.sampled_from(SEEDS),
    changes=st.lists(edits, min_size=1, max_size=4),
    piece=st.sampled_from([1, 300, 4000, 1 << 19]),
)
def test_edited_traces_end_in_an_answer_or_an_error(seed, changes, piece):
    data = seed
    for kind, where, what in changes:
        data = edited(data, kind, where, what)

    trace = answer(data, piece)

    slices = slices_of_sound_json(data)
    if trace is not None and slices is not None and data.count(b'"traceEvents"') < 2:
        lost = [note.count for note in trace.notes if note.code in ("bad-time", "unmatched-begin")]
        assert len(trace.events) + sum(lost) >= slices
        assert trace.cut_off_at is None


@settings(max_examples=60 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.sampled_from(SEEDS), changes=st.lists(edits, min_size=1, max_size=3), piece=st.sampled_from([1, 1 << 19])
)
def test_edited_archives_end_in_an_answer_or_an_error(seed, changes, piece):
    data = gzip.compress(seed, mtime=0)
    for kind, where, what in changes:
        data = edited(data, kind, where, what)

    answer(data, piece)


@settings(max_examples=150 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(events=strategies.event_lists, cut=place, piece=st.sampled_from([1, 60, 1 << 19]))
def test_cut_off_traces_keep_every_whole_event(events, cut, piece):
    text = layouts.as_kineto({}, events).rstrip().encode()
    start = text.index(b"[") + 1
    end = start + int(cut * (len(text) - start))

    trace = answer(text[:end], piece)

    if trace is not None:
        whole = json.loads(text)["traceEvents"]
        expected = [event["name"] for event in whole if event["ph"] == "X"]
        names = [trace.strings[number] for number in trace.events.name]
        assert names == expected[: len(names)]
        assert trace.cut_off_at is not None
        assert trace.cut_off_at <= end


@settings(max_examples=100 * TIMES, deadline=None)
@given(data=st.one_of(st.binary(max_size=300), st.binary(max_size=100).map(lambda rest: b'{"traceEvents":[' + rest)))
def test_any_bytes_end_in_an_answer_or_an_error(data):
    answer(data, 1 << 19)


def test_hostile_texts_end_in_an_answer_or_an_error():
    event = '{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1.000,"dur":1.000}'
    hostile = {
        "deep nesting": f'[{event},{event[:-1]},"args":{{"a":{"[" * 50_000}{"]" * 50_000}}}}},{event}]',
        "deep and open": f"[{event}," + '{"a":' * 200_000,
        "deep header": '{"a":' + "[" * 50_000 + "]" * 50_000 + ',"traceEvents":[' + event + "]}",
        "only brackets": "[" * 500_000,
        "long numbers": f'[{event},{event[:-1]},"ts":{"1" * 10_000}}},{event[:-1]},"args":{{"External id":{"9" * 10_000}}}}}]',
        "many keys": '{"a":{' + ",".join(['"traceEvents":[1]'] * 50_000) + '},"traceEvents":[' + event + "]}",
        "same key": f'[{event[:-1]},"name":"b","args":{{}},"args":{{"External id":1,"External id":2}}}}]',
        "quotes": f"[{event}," + '"' * 1_000_000,
        "backslashes": f'[{event},{{"name":"' + "\\" * 1_000_001 + '"}]',
        "colons": f"[{event},{{" + '"a":' * 300_000,
        "commas": f"[{event}" + "," * 1_000_000,
        "braces": f"[{event}" + "},{" * 300_000,
        "false cuts": f'[{event},{event[:-1]},"args":{{"l":[' + ",".join(['{"ph":1}'] * 100_000) + "]}}]",
        "open text": f'[{event},{{"name":"' + "x" * 3_000_000,
        "words": f"[{event}," + "x" * 3_000_000,
        "blanks": f"[{event}" + " " * 3_000_000 + "]",
        "names": "[" + ",".join(event.replace('"a"', f'"{n}"') for n in range(50_000)) + "]",
    }
    counts = {}
    for what, text in hostile.items():
        trace = answer(text.encode(), 1 << 19)
        counts[what] = None if trace is None else len(trace.events)

    assert counts["names"] == 50_000
    assert counts["deep nesting"] == 2
    assert counts["false cuts"] == counts["long numbers"] == 2
    assert counts["same key"] == counts["blanks"] == 1
