"""Two processes that wrote to one path: their texts interleave, and no reading of the mixture is right."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from kerneldiff.errors import MalformedTraceError
from kerneldiff.traces.model import EventColumns, Kind, Track
from kerneldiff.traces.salvage import Break

# Slices of these kinds have the id of the process as pid; on the GPU's rows it is the number of the device.
HOST_KINDS: Final = (Kind.OPERATOR, Kind.ANNOTATION, Kind.RUNTIME, Kind.PYTHON)


def refuse_spliced(name: str, parts: dict[str, Any], broken: Break | None) -> None:
    """Raise an error when the text breaks and a process follows that was not there before.

    One file may hold several processes (merged traces do); it is the break that tells a splice.
    """
    if broken is None:
        return
    before, after = host_pids(parts["events"], parts["tracks"], broken.row)
    new = [pid for pid in after if pid not in before]
    if before and new:
        first, second = before[-1], new[0]
    elif len(broken.pids) > 1 and not {str(pid) for pid in broken.pids} <= {*before, *after}:
        first, second = str(broken.pids[0]), str(broken.pids[1])
    else:
        return
    message = (
        f"{name}: the text breaks at byte {broken.offset}, where events of process {second} interrupt those of process "
        f"{first}: two processes wrote to one path; record each to a path of its own"
    )
    raise MalformedTraceError(message, offset=broken.offset)


def host_pids(events: EventColumns, tracks: tuple[Track, ...], row: int) -> tuple[list[str], list[str]]:
    """Return the pids of the slices of host kinds before a row, and from it on."""
    is_host = np.isin(events.kind, HOST_KINDS)
    rows = np.arange(len(events))
    return tuple(  # type: ignore[return-value]
        sorted({tracks[track].pid for track in np.unique(events.track[is_host & side])})
        for side in (rows < row, rows >= row)
    )
