"""Work units: one main event with the helpers that its operator call launched beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.operators import of_event
from kerneldiff.profiles.model import GpuEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A main event and its auxiliary events.

    Attributes:
        main: index of the main event.
        helpers: indices of its auxiliary events, ascending.
        event: the main event.
        heavy: gemm, conv or attention, None for everything else.
        basics: basic operations that it does.
    """

    main: int
    helpers: tuple[int, ...]
    event: GpuEvent
    heavy: str | None
    basics: frozenset[str]

    @property
    def members(self) -> tuple[int, ...]:
        """All its events, ascending."""
        return tuple(sorted((self.main, *self.helpers)))


def is_helper(event: GpuEvent) -> bool:
    """Say whether an event can belong to another kernel: a memset, split-k reduction, layout or padding kernel."""
    return event.kind == "memset" or event.decoded.auxiliary


def collapse(events: Sequence[GpuEvent]) -> tuple[Unit, ...]:
    """Put every auxiliary event with the main kernel of the same operator call, in order of the main events.

    Without operators (graph replay, GPU-only recordings) neighbours decide: a set or conversion belongs to the
    heavy kernel that follows, a reduction to the one before. An auxiliary event without a main one stands alone.
    """
    owner = _owners(events)
    helpers: dict[int, list[int]] = {}
    for index, main in owner.items():
        helpers.setdefault(main, []).append(index)
    return tuple(
        Unit(
            main=index,
            helpers=tuple(helpers.get(index, ())),
            event=event,
            heavy=heavy_class(event.decoded),
            basics=of_event(event),
        )
        for index, event in enumerate(events)
        if index not in owner
    )


def _owners(events: Sequence[GpuEvent]) -> dict[int, int]:
    """Map auxiliary events to their main event."""
    mains: dict[int, list[int]] = {}
    for index, event in enumerate(events):
        if event.call >= 0 and event.kind == "kernel" and not is_helper(event):
            mains.setdefault(event.call, []).append(index)
    owner = {}
    for index, event in enumerate(events):
        if not is_helper(event) and not _beside_heavy(events, index, mains):
            continue
        among = mains.get(event.call, []) if event.call >= 0 else _neighbours(events, index)
        among = [main for main in among if main != index]
        if among:
            owner[index] = min(among, key=lambda main: (_rank(events, main), abs(main - index), main))
    return owner


def _beside_heavy(events: Sequence[GpuEvent], index: int, mains: dict[int, list[int]]) -> bool:
    """Say whether a precompiled kernel is a small part of what one heavy operator call launched.

    Attention launches kernels that unpack its random seed, sum rows or convert the result; they have no other purpose.
    """
    event = events[index]
    if event.call < 0 or event.kind != "kernel" or event.decoded.jit or heavy_class(event.decoded):
        return False
    return any(heavy_class(events[main].decoded) for main in mains[event.call])


def _rank(events: Sequence[GpuEvent], main: int) -> int:
    return 0 if heavy_class(events[main].decoded) else 1


def _neighbours(events: Sequence[GpuEvent], index: int) -> list[int]:
    """Give the heavy kernel next to an auxiliary event without operator, looking past other such events."""
    after = events[index].decoded.op not in ("splitk_reduce", "gemm_epilogue")
    step = 1 if after else -1
    at = index + step
    while 0 <= at < len(events) and is_helper(events[at]) and events[at].call < 0:
        at += step
    if not 0 <= at < len(events) or events[at].call >= 0 or heavy_class(events[at].decoded) is None:
        return []
    return [at]
