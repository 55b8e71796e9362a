"""What the page's script gets: events and matches as columns, with every text interned and made visible first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from kerneldiff.diffs.model import RELATIONS, Match
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.reports import phrases
from kerneldiff.reports.escape import terminal
from kerneldiff.reports.html.picture import Picture, drawn_slices, lane_of
from kerneldiff.units import bytes_text


class _Texts:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.known.setdefault(terminal(text), len(self.known))


def script_data(
    runs: Sequence[Profile], matches: Sequence[Match], picture: Picture | None, names: dict[str, int]
) -> dict[str, Any]:
    """Gather the columns."""
    texts = _Texts()
    kinds: dict[tuple[Any, ...], int] = {}
    events = [_events(run, side, matches, kinds, picture) for side, run in enumerate(runs)]
    document = {
        "span": [picture.span.start_ns, picture.span.end_ns] if picture else [0, 0],
        "relations": list(RELATIONS),
        "signs": [phrases.SIGNS[relation] for relation in RELATIONS],
        "lanes": [[lane.side, int(lane.kind == "gpu"), lane.y, lane.height] for lane in picture.stage.lanes]
        if picture
        else [],
        "events": events,
        "cpu": [_cpu(run, side, texts, picture) for side, run in enumerate(runs)],
        "kinds": [_kind(event, names, texts) for event in kinds_in_order(runs, kinds)],
        "matches": [_match(match, texts) for match in matches],
    }
    return {**document, "texts": list(texts.known)}


def _facts(event: GpuEvent) -> tuple[Any, ...]:
    """Give what two events of one kind share: all but when they ran."""
    return (
        event.name,
        event.grid,
        event.block,
        event.registers,
        event.shared_memory,
        event.code_hash,
        event.configuration,
        event.chain,
        event.launch,
        event.input_shapes,
        event.input_types,
        event.problem_size,
        event.size_bytes,
        event.collective,
    )


def kinds_in_order(runs: Sequence[Profile], kinds: dict[tuple[Any, ...], int]) -> list[GpuEvent]:
    """Give one event of each kind, by number."""
    found: dict[int, GpuEvent] = {}
    for run in runs:
        for event in run.events:
            found.setdefault(kinds[_facts(event)], event)
    return [found[number] for number in range(len(found))]


def _events(
    run: Profile, side: int, matches: Sequence[Match], kinds: dict[tuple[Any, ...], int], picture: Picture | None
) -> dict[str, Sequence[int | None]]:
    homes = lane_of(picture.stage.of(side, "gpu")) if picture else {}
    order = list(picture.stage.lanes) if picture else []
    numbers = {id(lane): number for number, lane in enumerate(order)}
    owner = [-1] * len(run.events)
    for number, match in enumerate(matches):
        for index in match.baseline if side == 0 else match.candidate:
            owner[index] = number
    return {
        "start": _steps([event.start_ns for event in run.events]),
        "dur": [event.gpu_ns for event in run.events],
        "delay": [event.delay_ns for event in run.events],
        "lane": [numbers[id(homes[event.stream])] if event.stream in homes else -1 for event in run.events],
        "kind": [kinds.setdefault(_facts(event), len(kinds)) for event in run.events],
        "match": owner,
    }


def _steps(values: Sequence[int]) -> list[int]:
    """Give each value less the one before: fewer digits."""
    return [value - before for before, value in pairwise([0, *values])]


def _cpu(run: Profile, side: int, texts: _Texts, picture: Picture | None) -> list[dict[str, Any]]:
    """Give the CPU slices lane by lane; ``runtime`` lists the names of runtime calls."""
    if run.lanes is None or picture is None:
        return []
    homes = lane_of(picture.stage.of(side, "cpu"))
    numbers = {id(lane): number for number, lane in enumerate(picture.stage.lanes)}
    names = np.array([texts.number(name) for name in run.lanes.names], dtype=np.int64)
    kept = drawn_slices(run.lanes)
    found = []
    for track, lane in homes.items():
        here = kept[run.lanes.track[kept] == track]
        found.append(
            {
                "lane": numbers[id(lane)],
                "start": _steps(run.lanes.start_ns[here].tolist()),
                "dur": run.lanes.dur_ns[here].tolist(),
                "depth": run.lanes.depth[here].tolist(),
                "name": names[run.lanes.name[here]].tolist(),
                "runtime": np.unique(names[run.lanes.name[here[run.lanes.runtime[here]]]]).tolist(),
            }
        )
    return found


def _kind(event: GpuEvent, names: dict[str, int], texts: _Texts) -> list[Any]:
    """Give label, label with operator, number of the decoded name, the facts as pairs of texts, and a short text."""
    facts = [
        ("kernel", event.name),
        (
            "launched by",
            " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} ".join(
                (*event.chain, *([event.launch] if event.launch else []))
            ),
        ),
        ("grid, block", " ".join(_dims(one) for one in (event.grid, event.block) if one)),
        ("registers", _text(event.registers)),
        ("shared memory", None if event.shared_memory is None else bytes_text(event.shared_memory)),
        ("problem size", None if not event.problem_size else "m {} n {} k {} batch {}".format(*event.problem_size)),
        ("inputs", _inputs(event)),
        ("bytes", None if event.size_bytes is None else bytes_text(event.size_bytes)),
        ("collective", event.collective),
        ("code hash", event.code_hash),
        ("configuration", event.configuration),
    ]
    pairs = [[texts.number(key), texts.number(value)] for key, value in facts if value]
    shown = [
        texts.number(one)
        for one in (event.decoded.label or event.name, phrases.event_text(event), phrases.short_text(event))
    ]
    return [shown[0], shown[1], names.get(event.name, -1), pairs, shown[2]]


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def _dims(dims: Sequence[int]) -> str:
    return "[" + ", ".join(str(size) for size in dims) + "]"


def _inputs(event: GpuEvent) -> str | None:
    """Write shapes with their types; scalars are left out."""
    if event.input_shapes is None:
        return None
    types = event.input_types or ()
    shown = []
    for index, shape in enumerate(event.input_shapes):
        if shape:
            kind = types[index].removeprefix("c10::") if index < len(types) else ""
            shown.append(f"{_dims(shape)} {kind}".strip())
    return ", ".join(shown) or None


def _match(match: Match, texts: _Texts) -> list[Any]:
    """Give relation, change in ns, the lines of its detail as pairs of texts, and its judged time."""
    grounds = f": {', '.join(one.replace('_', ' ') for one in match.evidence)}" if match.evidence else ""
    lines: list[tuple[str, str | None]] = [
        ("relation", phrases.MEANINGS[match.relation]),
        ("confidence", match.confidence + grounds),
        ("why not proved", match.reason),
        ("also", ", ".join([*match.facets, *(["runs in another order"] if match.moved else [])]) or None),
        ("traffic", phrases.saved_text(match)),
    ]
    lines += [
        (d.field.replace("_", " "), f"{d.baseline or 'not said'} \N{RIGHTWARDS ARROW} {d.candidate or 'not said'}")
        for d in match.differences
    ]
    pairs = [[texts.number(key), texts.number(value)] for key, value in lines if value]
    return [RELATIONS.index(match.relation), match.delta_ns, pairs, _time(match, texts)]


def _time(match: Match, texts: _Texts) -> list[Any] | None:
    call = match.time
    if call is None or call.baseline_ns is None or call.candidate_ns is None or not call.ratio:
        return None
    low, high = (round(bound, 4) for bound in call.interval) if call.interval else (None, None)
    judged = [texts.number(call.call), texts.number(call.reason)]
    return [call.baseline_ns, call.candidate_ns, round(call.ratio, 4), low, high, *judged]
