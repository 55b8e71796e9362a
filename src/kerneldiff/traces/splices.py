"""Two processes that wrote to one path: their texts interleave, and no reading of the mixture is right."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kerneldiff.errors import MalformedTraceError
from kerneldiff.traces.model import Kind, Track
from kerneldiff.traces.salvage import Break

# Slices of these kinds have the id of the process as pid; on the GPU's rows it is the number of the device.
HOST_KINDS: Final = (Kind.OPERATOR, Kind.ANNOTATION, Kind.RUNTIME, Kind.PYTHON)


def refuse_spliced(name: str, parts: dict[str, Any], broken: Break | None) -> None:
    """Raise an error when the text breaks and more than one process wrote it.

    A sound file may hold several processes (merged traces do); it is the break that tells a splice.
    """
    if broken is None:
        return
    events, tracks = parts["events"], parts["tracks"]
    is_host = np.isin(events.kind, HOST_KINDS)
    of_devices = pids_of(events.track[~is_host], tracks)
    # Within one broken record two pids are those of two records that ran into each other.
    torn = [str(pid) for pid in broken.pids if str(pid) not in of_devices] if len(broken.pids) > 1 else []
    pids = list(dict.fromkeys([*pids_of(events.track[is_host], tracks), *torn]))
    if len(pids) < 2:
        return
    message = (
        f"{name}: the text breaks at byte {broken.offset}, and events of process {pids[1]} interrupt those of process "
        f"{pids[0]}: two processes wrote to one path; record each to a path of its own"
    )
    raise MalformedTraceError(message, offset=broken.offset)


def pids_of(numbers: NDArray[np.int32], tracks: tuple[Track, ...]) -> list[str]:
    """Return the distinct pids of some tracks, in the order of the tracks."""
    return list(dict.fromkeys(tracks[number].pid for number in np.unique(numbers).tolist()))
