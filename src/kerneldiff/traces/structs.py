"""What is decoded of an event: the wanted keys, in about the order in which Kineto writes them.

msgspec skips all other keys at scanning speed, and looks for a key from the place of the last one found, so the order
of fields is part of the speed. ``gc=False``: events hold no reference cycles, and there are millions of them.
"""

from __future__ import annotations

from typing import Final

from msgspec import Raw, Struct, field

from kerneldiff.traces.model import MISSING

# The default of a field of type Raw; no JSON value is empty text.
ABSENT: Final = Raw(b"")


class Args(Struct, gc=False, frozen=True):
    """``args`` of an event. A key that is absent has ``MISSING``, None or ``ABSENT``.

    AMD and MTIA write some numbers as text, and roots of Python stacks have a null parent: these fields are unions.
    """

    python_parent: int | None = field(name="Python parent id", default=MISSING)
    python_id: int = field(name="Python id", default=MISSING)
    python_module: int | None = field(name="Python module id", default=MISSING)
    external_id: int = field(name="External id", default=MISSING)
    external_id_2021: int = field(name="external id", default=MISSING)
    sequence: int = field(name="Sequence number", default=MISSING)
    forward_thread: int = field(name="Fwd thread id", default=MISSING)
    concrete_inputs: Raw = field(name="Concrete Inputs", default=ABSENT)
    input_types: Raw = field(name="Input type", default=ABSENT)
    input_strides: Raw = field(name="Input Strides", default=ABSENT)
    input_dims: Raw = field(name="Input Dims", default=ABSENT)
    correlation: int = MISSING
    device: int = MISSING
    context: int = MISSING
    stream: int | str | None = MISSING
    registers: int = field(name="registers per thread", default=MISSING)
    shared_memory: int = field(name="shared memory", default=MISSING)
    grid: Raw = ABSENT
    block: Raw = ABSENT
    bytes: int | str | None = MISSING
    size: int | str | None = MISSING
    graph_id: int = field(name="graph id", default=MISSING)
    graph_node: int = field(name="graph node id", default=MISSING)
    queue: int | str | None = field(name="sycl queue", default=None)
    num_warps: int = MISSING
    num_stages: int = MISSING
    kernel_backend: str | None = None
    kernel_name: str | None = None
    kernel_kwargs: str | None = None
    kernel_file: str | None = None
    kernel_hash: str | None = None
    collective_name: str | None = field(name="Collective name", default=None)
    collective_dtype: str | None = field(name="dtype", default=None)
    collective_in: int = field(name="In msg nelems", default=MISSING)
    collective_out: int = field(name="Out msg nelems", default=MISSING)
    collective_group: int = field(name="Group size", default=MISSING)
    sync_kind: str | None = field(name="cuda_sync_kind", default=None)
    wait_on_stream: int = MISSING
    wait_on_event: int = field(name="wait_on_cuda_event_id", default=MISSING)
    wait_on_correlation: int = field(name="wait_on_cuda_event_record_corr_id", default=MISSING)


NO_ARGS: Final = Args()

TrackId = int | str | float | None


class Event(Struct, gc=False):
    """One record of ``traceEvents``; times as JSON numbers."""

    ph: str = ""
    cat: str | None = None
    name: str = ""
    pid: TrackId = None
    tid: TrackId = None
    ts: int | float | None = None
    dur: int | float = 0
    args: Args = NO_ARGS


class TextTimeEvent(Struct, gc=False):
    """The same with the start as the text in the file, for those that a double does not hold."""

    ph: str = ""
    cat: str | None = None
    name: str = ""
    pid: TrackId = None
    tid: TrackId = None
    ts: Raw = ABSENT
    dur: int | float = 0
    args: Args = NO_ARGS


class SettledEvent(Struct, gc=False):
    """The same with times in nanoseconds."""

    ph: str = ""
    cat: str | None = None
    name: str = ""
    pid: TrackId = None
    tid: TrackId = None
    ts: int = 0
    dur: int = 0
    args: Args = NO_ARGS


class LooseEvent(Struct, gc=False):
    """The same with nothing assumed about any value; of a record that has a value of an unexpected type."""

    ph: Raw = ABSENT
    cat: Raw = ABSENT
    name: Raw = ABSENT
    pid: Raw = ABSENT
    tid: Raw = ABSENT
    ts: Raw = ABSENT
    dur: Raw = ABSENT
    args: Raw = ABSENT


def texts_of(raws: list[Raw]) -> list[bytes]:
    """Return the JSON texts as bytes, twice as fast as ``bytes`` one by one; sound JSON has no zero byte."""
    return b"\0".join(raws).split(b"\0") if raws else []
