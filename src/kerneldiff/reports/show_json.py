"""The JSON of one run: ``kerneldiff.show/1`` (docs/show-json.md)."""

from __future__ import annotations

from typing import Any

import msgspec

from kerneldiff import __version__
from kerneldiff.profiles.explained import Traffic
from kerneldiff.profiles.limits import Limit, Limits
from kerneldiff.profiles.model import Profile
from kerneldiff.reports.explained_json import explained_as_dict
from kerneldiff.reports.json import coverage_as_dict, dumps, event_as_dict, note_as_dict, run_as_dict

SCHEMA = "kerneldiff.show/1"


def render(profile: Profile, limits: Limits) -> str:
    """Write one run as a JSON document."""
    return dumps(as_dict(profile, limits))


def as_dict(profile: Profile, limits: Limits) -> dict[str, Any]:
    """Give the document of one run; times are ns, sizes bytes, rates a second. What is not known is null."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "run": run_as_dict(profile),
        "bound": profile.bound,
        "events": [
            {**event_as_dict(event), "delay_ns": event.delay_ns, "traffic": moved, "limit": limit}
            for event, moved, limit in zip(profile.events, _traffic(profile), _limits(profile, limits), strict=True)
        ],
        "operators": [
            {
                "operator": stat.operator,
                "per_step": stat.calls,
                "ns_per_step": stat.own_ns,
                "launches": stat.launches,
            }
            for stat in profile.operators
        ],
        **explained_as_dict(profile.explained),
        "peaks": _peaks(limits),
        "limited_ns": dict(limits.time_ns),
        "limiter": limits.limiter,
        "coverage": coverage_as_dict(profile),
        "notes": [note_as_dict(note) for note in profile.notes],
    }


def _traffic(profile: Profile) -> list[dict[str, Any] | None]:
    return [None if moved is None else _moved(moved) for moved in profile.traffic]


def _moved(moved: Traffic) -> dict[str, Any]:
    return {
        "read_bytes": moved.read_bytes,
        "write_bytes": moved.write_bytes,
        "lower_bound": moved.lower_bound,
        "reads": msgspec.to_builtins(moved.reads),
        "writes": msgspec.to_builtins(moved.writes),
        "assumptions": list(moved.assumptions),
        "flops": moved.flops,
        "math_mode": moved.math_mode,
    }


def _limits(profile: Profile, limits: Limits) -> list[dict[str, Any]]:
    assert len(limits.events) == len(profile.events)  # noqa: S101 - made from this very profile
    return [_limit(limit) for limit in limits.events]


def _limit(limit: Limit) -> dict[str, Any]:
    result: dict[str, Any] = msgspec.to_builtins(limit)
    return result


def _peaks(limits: Limits) -> dict[str, Any] | None:
    peaks = limits.peaks
    if peaks is None:
        return None
    return {
        "device": peaks.device,
        "memory_bytes_per_s": peaks.memory,
        "l2_bytes": peaks.l2,
        "flops_per_s": dict(peaks.flops),
        "source": peaks.source,
    }
