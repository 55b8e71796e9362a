"""What runtime and driver calls do, told by their name: CUDA, HIP, SYCL's Unified Runtime, MTIA."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

CallClass = Literal["launch", "graph", "copy", "set", "sync", "allocate", "query"]

# Kernel launches end in a kernel record; copies and sets may be elided by the driver.
_CLASSES: tuple[tuple[re.Pattern[str], CallClass], ...] = (
    (re.compile(r"(cuda|cu|hip)GraphLaunch", re.IGNORECASE), "graph"),
    (re.compile(r"(StreamBeginCapture|StreamEndCapture|LaunchHostFunc)"), "query"),
    (re.compile(r"Launch|EnqueueKernel|runFunction"), "launch"),
    (re.compile(r"Memcpy|EnqueueMem\w*Copy|EnqueueUSMMemcpy", re.IGNORECASE), "copy"),
    (re.compile(r"Memset|EnqueueUSMFill|EnqueueMemBufferFill", re.IGNORECASE), "set"),
    (re.compile(r"Synchronize|^urQueueFinish|^urEventWait|^cuCtxSync|^synchronize"), "sync"),
    (re.compile(r"^(cuda|hip|cuMem)(Malloc|Free|HostAlloc|HostRegister|Alloc|Create|Map)"), "allocate"),
)


@lru_cache(maxsize=4096)
def call_class(name: str) -> CallClass:
    """Say what a call does; a call that is not known starts nothing.

    >>> call_class("cuLaunchKernelEx"), call_class("hipGraphLaunch"), call_class("cudaEventQuery")
    ('launch', 'graph', 'query')
    """
    for pattern, what in _CLASSES:
        if pattern.search(name):
            return what
    return "query"


def starts_work(name: str) -> bool:
    """Say whether GPU events can have this call as their launch."""
    return call_class(name) in ("launch", "graph", "copy", "set")


@lru_cache(maxsize=4096)
def captures(name: str) -> Literal["begin", "end"] | None:
    """Say whether a call begins or ends the capture of a graph: launches between them start nothing."""
    if "StreamBeginCapture" in name:
        return "begin"
    if "StreamEndCapture" in name:
        return "end"
    return None
