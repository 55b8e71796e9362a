"""Every reader fills the columns alike: in any layout, cut anywhere, as a plain slow reading says."""

from __future__ import annotations

import gzip
from pathlib import Path

import contract
import layouts
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from kerneldiff.traces.loading import load_in_pieces

CASES = Path(__file__).parents[2] / "data" / "cases"
DAMAGED = ("52-", "53-", "56-", "57-", "58-", "59-plain-list-of-events/unclosed", "59-plain-list-of-events/empty")
SOUND = [path for path in sorted(CASES.glob("*/*.json")) if not str(path.relative_to(CASES)).startswith(DAMAGED)]


def read(data, piece=1 << 19):
    return load_in_pieces(data, None, piece)


# A reader is a function of the bytes of a file and the size of a piece. The native one is to be added here.
READERS = [read]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("path", SOUND, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_columns_of_each_case_are_those_of_a_plain_reading(path, reader):
    data = path.read_bytes()

    contract.check(reader(data), data)
    contract.check(reader(data, 512), data)


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=150, deadline=None)
@given(
    events=strategies.event_lists,
    header=strategies.headers,
    form=st.tuples(st.sampled_from(sorted(layouts.TEXTS)), st.sampled_from(sorted(layouts.WRAPPINGS))),
    piece=st.sampled_from([1, 16, 60, 200, 1000, 1 << 19]),
)
def test_columns_are_those_of_a_plain_reading_in_any_layout(events, header, form, piece, reader):
    layout, wrapping = form
    text = layouts.TEXTS[layout](header, events).encode()

    trace = reader(layouts.WRAPPINGS[wrapping](text), piece)

    contract.check(trace, text)
    assert trace.cut_off_at is None
    assert trace.notes == ()


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=60, deadline=None)
@given(
    events=strategies.event_lists,
    header=strategies.headers,
    layout=st.sampled_from(sorted(layouts.OBJECTS)),
    piece=st.sampled_from([1, 50, 1 << 19]),
)
def test_header_is_read_wherever_it_stands(events, header, layout, piece, reader):
    trace = reader(layouts.OBJECTS[layout](header, events).encode(), piece)

    assert trace.header.trace_name == header.get("traceName")
    assert trace.header.base_ns == header.get("baseTimeNanoseconds")
    assert trace.header.record_shapes == (True if "record_shapes" in header else None)
    assert trace.header.rank == (3 if "distributedInfo" in header else None)
    assert [device.name for device in trace.header.devices] == (
        ["NVIDIA H200", "B"] if "deviceProperties" in header else []
    )


@pytest.mark.parametrize("reader", READERS)
def test_the_three_families_of_times_agree_to_the_nanosecond(reader):
    folder = CASES / "46-absolute-times-and-doubles"
    absolute = reader((folder / "absolute.json").read_bytes())
    relative = reader((folder / "relative.json").read_bytes())
    whole = reader((folder / "whole_microseconds.json").read_bytes())

    assert absolute.events.dur_ns.tolist() == relative.events.dur_ns.tolist()
    shift = absolute.events.start_ns - relative.events.start_ns
    assert set(shift.tolist()) == {relative.header.base_ns}
    assert whole.whole_microseconds
    assert not absolute.whole_microseconds


REAL = sorted((Path(__file__).parents[3].parent / "shared" / "real-traces").rglob("*.json.gz"))


@pytest.mark.real_traces
@pytest.mark.skipif(not REAL, reason="../shared/real-traces is absent")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("path", [path for path in REAL if path.stat().st_size < 400_000], ids=lambda path: path.name)
def test_columns_of_real_traces_are_those_of_a_plain_reading(path, reader):
    data = gzip.decompress(path.read_bytes())

    contract.check(reader(path), data)
