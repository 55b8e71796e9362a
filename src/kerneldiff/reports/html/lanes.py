"""Where the lanes of the picture stand: CPU above GPU for the baseline, mirrored below for the candidate."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kerneldiff.profiles.model import Profile

AXIS = 24
CAPTION = 17
GPU_LANE = 26
CPU_ROW = 8
GAP = 5
RIBBONS = 104
MOST_STREAMS = 4
MOST_THREADS = 2
MOST_DEPTH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One lane: of the GPU a stream, of the CPU a thread with a row for each depth. ``y`` and ``height`` in pixels.

    Attributes:
        keys: streams (GPU) or numbers of threads (CPU) drawn in it.
    """

    kind: Literal["gpu", "cpu"]
    side: Literal[0, 1]
    y: int
    height: int
    caption: str
    caption_y: int
    keys: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """All lanes, and the band between the two sides where ribbons are drawn."""

    lanes: tuple[Lane, ...]
    ribbons_top: int
    ribbons_bottom: int
    height: int

    def of(self, side: int, kind: str) -> list[Lane]:
        """List the lanes of one side and kind."""
        return [lane for lane in self.lanes if lane.side == side and lane.kind == kind]


def stage(runs: tuple[Profile, ...]) -> Stage:
    """Place the lanes of one run, or of two with the band between them."""
    at = AXIS
    lanes: list[Lane] = []
    for side, run in enumerate(runs):
        wanted = [*_cpu(run), *reversed(_gpu(run))] if side == 0 else [*_gpu(run), *_cpu(run)]
        if side == 1:
            at += RIBBONS
        who = f"{('baseline', 'candidate')[side]} \N{MIDDLE DOT} " if len(runs) == 2 else ""
        for kind, caption, height, keys in wanted:
            caption_y = at + 12 if side == 0 else at + height + 13
            y = at + CAPTION if side == 0 else at
            text = who + (caption if who else caption[:1].upper() + caption[1:])
            lanes.append(
                Lane(kind=kind, side=1 if side else 0, y=y, height=height, caption=text, caption_y=caption_y, keys=keys)
            )
            at += CAPTION + height + GAP
    bottom = min((lane.y for lane in lanes if lane.side == 1), default=at)
    top = max((lane.y + lane.height for lane in lanes if lane.side == 0), default=AXIS)
    return Stage(lanes=tuple(lanes), ribbons_top=top, ribbons_bottom=bottom, height=at)


Wanted = tuple[Literal["gpu", "cpu"], str, int, tuple[int | None, ...]]


def _gpu(run: Profile) -> list[Wanted]:
    """List the streams, the busiest first: it stands next to the ribbons."""
    spent: Counter[int | None] = Counter()
    for event in run.events:
        spent[event.stream] += event.gpu_ns
    streams = [stream for stream, _ in spent.most_common()]
    if not streams:
        return [("gpu", "no GPU events", GPU_LANE, ())]
    alone = streams if len(streams) <= MOST_STREAMS else streams[: MOST_STREAMS - 1]
    rest = streams[len(alone) :]
    lanes: list[Wanted] = [("gpu", f"GPU stream {'not named' if s is None else s}", GPU_LANE, (s,)) for s in alone]
    return [*lanes, ("gpu", f"{len(rest)} other GPU streams", GPU_LANE, tuple(rest))] if rest else lanes


def _cpu(run: Profile) -> list[Wanted]:
    found = run.lanes
    if found is None:
        return []
    busiest = Counter(
        dict(enumerate(np.bincount(found.track[found.depth == 0], found.dur_ns[found.depth == 0]).tolist()))
    )
    first = {track: int(found.start_ns[found.track == track].min()) for track in busiest}
    shown = sorted((track for track, spent in busiest.most_common(MOST_THREADS) if spent > 0), key=first.__getitem__)
    lanes: list[Wanted] = []
    for number, track in enumerate(shown, 1):
        depth = min(MOST_DEPTH, int(found.depth[found.track == track].max()) + 1)
        which = f"CPU dispatch, thread {number}" if len(shown) > 1 else "CPU dispatch"
        lanes.append(("cpu", which, depth * CPU_ROW, (track,)))
    return lanes
