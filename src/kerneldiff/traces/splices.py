"""Two processes that wrote to one path: their texts interleave, and no reading of the mixture is right."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kerneldiff.errors import MalformedTraceError
from kerneldiff.traces.model import EventColumns, Kind, Track
from kerneldiff.traces.salvage import Break

# Slices of these kinds have the id of the process as pid; on the GPU's rows it is the number of the device.
HOST_KINDS: Final = (Kind.OPERATOR, Kind.ANNOTATION, Kind.RUNTIME, Kind.PYTHON)


def refuse_spliced(name: str, parts: dict[str, Any], broken: Break | None) -> None:
    """Raise an error when the text breaks and more than one process wrote it.

    A sound file may hold several processes (merged traces do); it is the break that tells a splice.
    """
    if broken is None:
        return
    before, after = host_pids(parts["events"], parts["tracks"], broken.row)
    pids = list(dict.fromkeys([*before, *after, *(str(pid) for pid in broken.pids if len(broken.pids) > 1)]))
    if len(pids) < 2:
        return
    message = (
        f"{name}: the text breaks at byte {broken.offset}, and events of process {pids[1]} interrupt those of process "
        f"{pids[0]}: two processes wrote to one path; record each to a path of its own"
    )
    raise MalformedTraceError(message, offset=broken.offset)


def host_pids(events: EventColumns, tracks: tuple[Track, ...], row: int) -> tuple[list[str], list[str]]:
    """Return the pids of the slices of host kinds before a row, and from it on, in the order of their tracks."""
    is_host = np.isin(events.kind, HOST_KINDS)
    rows = np.arange(len(events))
    before, after = (np.unique(events.track[is_host & side]) for side in (rows < row, rows >= row))
    return ordered_pids(before, tracks), ordered_pids(after, tracks)


def ordered_pids(numbers: NDArray[np.int32], tracks: tuple[Track, ...]) -> list[str]:
    """Return the distinct pids of some tracks."""
    return list(dict.fromkeys(tracks[number].pid for number in numbers.tolist()))
