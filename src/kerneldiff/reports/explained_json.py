"""The explanation of one run as JSON values: whole for ``show``, without its long lists for ``compare``."""

from __future__ import annotations

from typing import Any

import msgspec

from kerneldiff.profiles.explained import Explained, Traffic

_KEYS = ("cpu", "chains", "views", "epilogues", "pace", "compiled", "step_lengths_ns")


def explained_as_dict(explained: Explained | None) -> dict[str, Any]:
    """Give all of it; every key is there, null where there is nothing."""
    if explained is None:
        return dict.fromkeys(_KEYS)
    return {
        "cpu": msgspec.to_builtins(explained.cpu),
        "chains": msgspec.to_builtins(explained.nodes),
        "views": msgspec.to_builtins(explained.views),
        "epilogues": msgspec.to_builtins(explained.epilogues),
        "pace": _pace(explained),
        "compiled": msgspec.to_builtins(explained.compiled),
        "step_lengths_ns": explained.step_lengths_ns.tolist(),
    }


def explained_in_short(explained: Explained | None) -> dict[str, Any] | None:
    """Give it for one side of a comparison: without the tree of chains, the single gaps and what has no traffic."""
    if explained is None:
        return None
    whole = explained_as_dict(explained)
    if whole["pace"] is not None:
        del whole["pace"]["gaps"]
    del whole["chains"]
    return {**whole, "traffic": [_bytes(moved) for moved in explained.traffic]}


def _bytes(moved: Traffic | None) -> dict[str, Any] | None:
    if moved is None:
        return None
    return {
        "read_bytes": moved.read_bytes,
        "write_bytes": moved.write_bytes,
        "lower_bound": moved.lower_bound,
        "flops": moved.flops,
    }


def _pace(explained: Explained) -> dict[str, Any] | None:
    pace: dict[str, Any] | None = msgspec.to_builtins(explained.pace)
    if pace is None:
        return None
    pace["gap_ns"] = dict(pace["gap_ns"])
    delays = pace.pop("delays_ns")
    pace["launch_delay_ns"] = None if delays is None else {"median": delays[0], "p90": delays[1]}
    return pace
