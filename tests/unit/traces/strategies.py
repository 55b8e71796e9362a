"""Hypothesis strategies for traces with all columns, odd texts, and times of the three families."""

from __future__ import annotations

from typing import Any

import layouts
from hypothesis import strategies as st

# Texts that look like the places at which a reader cuts, and characters that need escapes.
LOOK_ALIKES = [
    '}, {"ph": "X"',
    '},\n  {\n    "ph"',
    '"traceEvents": [',
    "]}",
    "\\",
    '\\"',
    "\n",
    "\u2028",
    "é😀",
    "</script>",
]
texts = st.lists(st.one_of(st.text(max_size=6), st.sampled_from(LOOK_ALIKES)), max_size=3).map("".join)
small = st.integers(0, 5)
ids = st.one_of(st.integers(-1, 100), st.integers(2**31, 2**32), st.just(2**63 - 1))
dims = st.lists(st.lists(st.integers(0, 4096), max_size=3), max_size=3)
triples = st.lists(st.integers(1, 2**31 - 1), min_size=3, max_size=3)

CATEGORIES = [
    "cpu_op",
    "Operator",
    "user_annotation",
    "cuda_runtime",
    "cuda_driver",
    "Runtime",
    "kernel",
    "Kernel",
    "gpu_memcpy",
    "gpu_memset",
    "gpu_user_annotation",
    "python_function",
    "cuda_sync",
    "overhead",
    "Trace",
    "mtia_ccp_events",
    "something_new",
    None,
]

ARGS = {
    "External id": ids,
    "external id": ids,
    "Sequence number": ids,
    "Fwd thread id": ids,
    "Input Dims": dims,
    "Input type": st.lists(texts, max_size=3),
    "Input Strides": dims,
    "Concrete Inputs": st.lists(texts, max_size=3),
    "correlation": ids,
    "device": small,
    "context": small,
    "stream": ids,
    "registers per thread": small,
    "shared memory": st.integers(0, 232448),
    "grid": st.one_of(triples, st.just("grid(100,)"), st.just([1, 2])),
    "block": triples,
    "bytes": st.one_of(ids, ids.map(lambda n: str(abs(n) % 10**9))),
    "graph id": ids,
    "graph node id": ids,
    "sycl queue": st.one_of(texts, small),
    "num_warps": small,
    "num_stages": small,
    "kernel_backend": st.just("triton"),
    "kernel_file": texts,
    "kernel_hash": texts,
    "kernel_kwargs": texts,
    "kernel_name": texts,
    "Collective name": st.just("allreduce"),
    "dtype": st.just("Float"),
    "In msg nelems": small,
    "Out msg nelems": small,
    "Group size": small,
    "cuda_sync_kind": st.just("Stream Sync"),
    "wait_on_stream": ids,
    "wait_on_cuda_event_id": ids,
    "wait_on_cuda_event_record_corr_id": ids,
    "Python id": ids,
    "Python parent id": st.one_of(ids, st.none()),
    "Python module id": ids,
    "Call stack": texts,
    "unknown": st.one_of(texts, st.lists(st.fixed_dictionaries({"ph": st.just("X"), "a": small}), max_size=3), dims),
}

args = st.lists(st.sampled_from(sorted(ARGS)), unique=True, max_size=8).flatmap(
    lambda keys: st.fixed_dictionaries({key: ARGS[key] for key in keys})
)


def microseconds(nanoseconds: int) -> str:
    """A number with three decimals, marked for ``layouts`` to write it as it is: no double holds all of them."""
    return f"{layouts.NUMBER}{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def times_up_to(limit_us: int) -> st.SearchStrategy[Any]:
    return st.integers(0, limit_us * 1000 + 999).map(microseconds)


# Relative to baseTimeNanoseconds; near the limit of exact doubles; since 1970 with a fraction; whole since 1970.
TIME_FAMILIES = [
    times_up_to(10**6),
    st.integers(2**42 * 1000, 2**43 * 1000 + 10**6).map(microseconds),
    st.integers(1_712_195_495_505_582_000, 1_712_195_495_605_582_000).map(microseconds),
    st.integers(1_623_143_093_553_266, 1_623_143_093_653_266),
]
durations = st.one_of(times_up_to(10**4), st.integers(0, 10**6))


def slices(times: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "ph": st.just("X"),
            "cat": st.sampled_from(CATEGORIES),
            "name": st.one_of(texts, st.sampled_from(["aten::mm", "ProfilerStep#7"])),
            "pid": st.sampled_from([0, 7, 41234, "41234", "Spans", "CPU functions"]),
            "tid": st.sampled_from([7, "7", "stream 7", 41234, "PyTorch Profiler"]),
            "ts": times,
        },
        optional={"dur": durations, "args": args},
    ).map(without_none)


def without_none(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if value is not None}


others = st.sampled_from(
    [
        {"ph": "s", "id": 7, "pid": 1, "tid": 1, "ts": 5, "cat": "ac2g", "name": "ac2g"},
        {"name": "process_name", "ph": "M", "ts": 1, "pid": 1, "tid": 0, "args": {"name": "python"}},
        {
            "ph": "i",
            "cat": "cpu_instant_event",
            "s": "t",
            "name": "[memory]",
            "pid": 1,
            "tid": 1,
            "ts": 5.5,
            "args": {},
        },
    ]
)

event_lists = st.sampled_from(TIME_FAMILIES).flatmap(
    lambda times: st.tuples(slices(times), st.lists(st.one_of(slices(times), slices(times), others), max_size=12)).map(
        lambda pair: [pair[0], *pair[1]]
    )
)

headers = st.fixed_dictionaries(
    {},
    optional={
        "schemaVersion": st.just(1),
        "deviceProperties": st.just(
            [
                {"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0, "numSms": 132},
                {"id": 1, "name": "B"},
            ]
        ),
        "record_shapes": st.just(1),
        "distributedInfo": st.just({"rank": 3, "world_size": 8, "pg_config": [{"pg_name": "0"}, {"pg_name": "1"}]}),
        "displayTimeUnit": st.just("ms"),
        "baseTimeNanoseconds": st.just(1_790_857_026_000_000_000),
        "traceName": texts,
        "metadata": st.just({"traceEvents": [], "other": [{"name": "a"}, {"name": "b"}]}),
    },
)
