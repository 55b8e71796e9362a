"""Runs and comparisons as polars data frames; needs the extra ``tables``.

>>> from kerneldiff import load
>>> from kerneldiff.reports import tables
>>> frame = tables.events(load("run.json.gz"))  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kerneldiff.diffs.explained import Waterfall
from kerneldiff.diffs.model import Diff
from kerneldiff.errors import KerneldiffError
from kerneldiff.profiles.limits import Limits
from kerneldiff.profiles.model import Profile

if TYPE_CHECKING:
    import polars as pl

_INT, _FLOAT, _TEXT, _BOOL, _LIST = "Int64", "Float64", "String", "Boolean", "List"


def events(profile: Profile, limits: Limits | None = None) -> pl.DataFrame:
    """Give the GPU events of the representative step, one a row, in launch order.

    Times are ns, sizes bytes; ``memory_share`` and ``compute_share`` are of the device's peaks and need ``limits``.
    """
    rows = []
    for index, (event, moved) in enumerate(zip(profile.events, profile.traffic, strict=True)):
        limit = limits.events[index] if limits else None
        rows.append(
            {
                "event": index,
                "name": event.name,
                "label": event.decoded.label,
                "kind": event.kind,
                "operator": event.operator,
                "chain": list(event.chain),
                "stream": event.stream,
                "start_ns": event.start_ns,
                "gpu_ns": event.gpu_ns,
                "delay_ns": event.delay_ns,
                "read_bytes": moved.read_bytes if moved else None,
                "write_bytes": moved.write_bytes if moved else None,
                "lower_bound": moved.lower_bound if moved else None,
                "flops": moved.flops if moved else None,
                "math_mode": moved.math_mode if moved else None,
                "memory_share": limit.memory_share if limit else None,
                "compute_share": limit.compute_share if limit else None,
                "limiter": limit.limiter if limit else None,
            }
        )
    return _frame(rows, _EVENTS)


_EVENTS = {
    "event": _INT, "name": _TEXT, "label": _TEXT, "kind": _TEXT, "operator": _TEXT, "chain": _LIST, "stream": _INT,
    "start_ns": _INT, "gpu_ns": _INT, "delay_ns": _INT, "read_bytes": _INT, "write_bytes": _INT, "lower_bound": _BOOL,
    "flops": _INT, "math_mode": _TEXT, "memory_share": _FLOAT, "compute_share": _FLOAT, "limiter": _TEXT,
}  # fmt: skip


def operators(profile: Profile) -> pl.DataFrame:
    """Give the operators of the representative step by name: calls, own CPU time (ns), launches."""
    rows = [
        {"operator": stat.operator, "calls": stat.calls, "own_ns": stat.own_ns, "launches": stat.launches}
        for stat in profile.operators
    ]
    return _frame(rows, {"operator": _TEXT, "calls": _INT, "own_ns": _INT, "launches": _INT})


def chains(profile: Profile) -> pl.DataFrame:
    """Give the tree of dispatch chains, parents before children; ``parent`` is the number of a row, -1 at the top."""
    nodes = profile.explained.nodes if profile.explained else ()
    names = ("name", "kind", "parent", "depth", "calls", "own_ns", "total_ns", "launches", "gpu_ns")
    rows = [{name: getattr(node, name) for name in names} for node in nodes]
    return _frame(rows, {name: _TEXT if name in ("name", "kind") else _INT for name in names})


def cpu(profile: Profile) -> pl.DataFrame:
    """Give the CPU side of the representative step by innermost slice, with the time between them; ns add up to it."""
    step = profile.explained.cpu if profile.explained else None
    rows: list[dict[str, Any]] = []
    if step is not None:
        rows = [{"kind": item.kind, "name": item.name, "calls": item.calls, "ns": item.ns} for item in step.items]
        rows.append({"kind": "between", "name": None, "calls": None, "ns": step.between_ns})
    return _frame(rows, {"kind": _TEXT, "name": _TEXT, "calls": _INT, "ns": _INT})


def gaps(profile: Profile) -> pl.DataFrame:
    """Give the stretches in which the GPU ran nothing, with their causes; ns."""
    pace = profile.explained.pace if profile.explained else None
    names = ("start_ns", "dur_ns", "event", "cause", "detail")
    rows = [{name: getattr(gap, name) for name in names} for gap in (pace.gaps if pace else ())]
    return _frame(rows, {name: _TEXT if name in ("cause", "detail") else _INT for name in names})


def matches(diff: Diff) -> pl.DataFrame:
    """Give the matches of a comparison, one a row; ns, bytes."""
    rows = [
        {
            "match": index,
            "relation": match.relation,
            "baseline": list(match.baseline),
            "candidate": list(match.candidate),
            "operators": list(match.operators),
            "facets": list(match.facets),
            "confidence": match.confidence,
            "baseline_ns": match.baseline_ns,
            "candidate_ns": match.candidate_ns,
            "delta_ns": match.delta_ns,
            "bytes_saved": match.bytes_saved,
        }
        for index, match in enumerate(diff.matches)
    ]
    schema = dict.fromkeys(("match", "baseline_ns", "candidate_ns", "delta_ns", "bytes_saved"), _INT)
    return _frame(rows, {name: schema.get(name, _TEXT) for name in _MATCHES} | _MATCH_LISTS)


_MATCHES = (
    "match", "relation", "baseline", "candidate", "operators", "facets", "confidence", "baseline_ns", "candidate_ns",
    "delta_ns", "bytes_saved",
)  # fmt: skip
_MATCH_LISTS = {"baseline": "Ints", "candidate": "Ints", "operators": _LIST, "facets": _LIST}


def waterfall(fall: Waterfall | None) -> pl.DataFrame:
    """Give a waterfall: a row for each name inside a part, and one for what of the part has no name; ns add up."""
    rows: list[dict[str, Any]] = []
    for part in fall.rows if fall else ():
        rows += [_part(part.kind, one.name, part.match, (one.baseline_ns, one.candidate_ns)) for one in part.items]
        rest = (
            part.baseline_ns - sum(item.baseline_ns for item in part.items),
            part.candidate_ns - sum(item.candidate_ns for item in part.items),
        )
        if any(rest) or not part.items:
            rows.append(_part(part.kind, None, part.match, rest))
    schema = {"kind": _TEXT, "name": _TEXT, "match": _INT, "baseline_ns": _INT, "candidate_ns": _INT, "delta_ns": _INT}
    return _frame(rows, schema)


def _part(kind: str, name: str | None, match: int | None, times: tuple[int, int]) -> dict[str, Any]:
    return {
        "kind": kind,
        "name": name,
        "match": match,
        "baseline_ns": times[0],
        "candidate_ns": times[1],
        "delta_ns": times[1] - times[0],
    }


def _frame(rows: Sequence[Mapping[str, Any]], schema: Mapping[str, str]) -> pl.DataFrame:
    """Make a frame with the given columns, also when there are no rows.

    Raises:
        KerneldiffError: when polars is not installed.
    """
    try:
        import polars as pl  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        msg = "tables need polars; install it with: pip install 'kerneldiff[tables]'"
        raise KerneldiffError(msg) from error
    types: dict[str, Any] = {
        _INT: pl.Int64,
        _FLOAT: pl.Float64,
        _TEXT: pl.String,
        _BOOL: pl.Boolean,
        _LIST: pl.List(pl.String),
        "Ints": pl.List(pl.Int64),
    }
    return pl.DataFrame(list(rows), schema={name: types[kind] for name, kind in schema.items()})
