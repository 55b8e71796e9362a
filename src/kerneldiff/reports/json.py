"""The JSON contract: ``kerneldiff.diff/1`` and ``kerneldiff.diffs/1`` (docs/json.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from kerneldiff import __version__
from kerneldiff.diffs.explained import Waterfall
from kerneldiff.diffs.model import RELATIONS, Diff, Match, OperatorChange
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.names import as_json
from kerneldiff.notes import Note
from kerneldiff.profiles.model import GpuEvent, OperatorStat, Profile
from kerneldiff.reports.explained_json import explained_in_short

SCHEMA = "kerneldiff.diff/1"
SCHEMA_MANY = "kerneldiff.diffs/1"


def render(diffs: Sequence[Diff]) -> str:
    """Write one diff, or several against one baseline, as a JSON document."""
    document = as_dict(diffs[0]) if len(diffs) == 1 else many_as_dict(diffs)
    return dumps(document)


def dumps(document: object) -> str:
    """Write a document: indented, keys in their order, texts of a trace kept as valid Unicode."""
    encoded = msgspec.json.format(msgspec.json.encode(document), indent=1)
    return encoded.decode("utf-8") + "\n"


def many_as_dict(diffs: Sequence[Diff]) -> dict[str, Any]:
    """Give the document for more than two runs."""
    return {"schema": SCHEMA_MANY, "version": __version__, "diffs": [as_dict(diff) for diff in diffs]}


def as_dict(diff: Diff) -> dict[str, Any]:
    """Give the document of one diff."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "baseline": run_as_dict(diff.baseline),
        "candidate": run_as_dict(diff.candidate),
        "verdict": _verdict(diff),
        "matches": [_match(match) for match in diff.matches],
        "events": {
            "baseline": [event_as_dict(event) for event in diff.baseline.events],
            "candidate": [event_as_dict(event) for event in diff.candidate.events],
        },
        "time": {
            "gpu": time_as_dict(diff.times.gpu),
            "gpu_busy": time_as_dict(diff.times.gpu_busy),
            "cpu": time_as_dict(diff.times.cpu),
            "step": time_as_dict(diff.times.step),
        },
        "dispatch": {
            "removed": [_operator(change.baseline) for change in diff.dispatch.removed if change.baseline],
            "added": [_operator(change.candidate) for change in diff.dispatch.added if change.candidate],
            "changed": [_operator_change(change) for change in diff.dispatch.changed],
        },
        "waterfall": {"cpu": _waterfall(diff.waterfalls.cpu), "gpu": _waterfall(diff.waterfalls.gpu)},
        "explained": {
            "baseline": explained_in_short(diff.baseline.explained),
            "candidate": explained_in_short(diff.candidate.explained),
        },
        "bound": {"baseline": diff.baseline.bound, "candidate": diff.candidate.bound},
        "coverage": {"baseline": coverage_as_dict(diff.baseline), "candidate": coverage_as_dict(diff.candidate)},
        "comparable": {
            "ok": diff.comparable.ok,
            "differences": [
                {"field": one.field, "baseline": one.baseline, "candidate": one.candidate, "affects": one.affects}
                for one in diff.comparable.differences
            ],
        },
        "notes": [note_as_dict(note) for note in diff.notes],
    }


def run_as_dict(run: Profile) -> dict[str, Any]:
    """Describe a run: files, device, steps, what is missing."""
    return {
        "paths": list(run.paths),
        "device": run.device,
        "recordings": len(run.paths),
        "steps": run.steps,
        "complete_steps": run.complete_steps,
        "representative": {"step": run.step_number, "alike": run.alike},
        "kernels_per_step": run.kernels,
        "gpu_events_per_step": len(run.events),
        "missing": list(run.missing),
        "deviating_steps": list(run.deviating),
        "environment": dict(run.environment),
    }


def _verdict(diff: Diff) -> dict[str, Any]:
    counts = Counter(match.relation for match in diff.matches)
    deltas: Counter[str] = Counter()
    for match in diff.matches:
        deltas[match.relation] += match.delta_ns
    return {
        "gpu_work": diff.verdict.gpu_work,
        "changes": list(diff.verdict.changes),
        "summary": diff.verdict.summary,
        "counts": {relation: counts[relation] for relation in RELATIONS if counts[relation]},
        "gpu_ns_delta": {relation: deltas[relation] for relation in RELATIONS if counts[relation]},
        "captured": {"baseline": diff.baseline.captured, "candidate": diff.candidate.captured},
        "reasons": list(diff.verdict.reasons),
        "details": list(diff.verdict.details),
    }


def _match(match: Match) -> dict[str, Any]:
    return {
        "relation": match.relation,
        "moved": match.moved,
        "facets": list(match.facets),
        "baseline": list(match.baseline),
        "candidate": list(match.candidate),
        "operators": list(match.operators),
        "fused_operators": list(match.fused_operators),
        "confidence": match.confidence,
        "evidence": list(match.evidence),
        "reason": match.reason,
        "differences": [
            {"field": one.field, "baseline": one.baseline, "candidate": one.candidate} for one in match.differences
        ],
        "gpu_ns": {"baseline": match.baseline_ns, "candidate": match.candidate_ns},
        "time": None if match.time is None else _short_time(match.time),
        "bytes_saved": match.bytes_saved,
    }


def _short_time(call: TimeCall) -> dict[str, Any]:
    return {"ratio": call.ratio, "interval": call.interval, "call": call.call, "reason": call.reason}


def time_as_dict(call: TimeCall) -> dict[str, Any]:
    """Give one judged quantity."""
    return {
        "baseline_ns": call.baseline_ns,
        "candidate_ns": call.candidate_ns,
        "ratio": call.ratio,
        "interval": call.interval,
        "call": call.call,
        "basis": call.basis,
        "recordings": list(call.recordings),
        "steps": list(call.steps),
        "session": call.session,
        "reason": call.reason,
    }


def event_as_dict(event: GpuEvent) -> dict[str, Any]:
    """Give one GPU event; what the trace does not say is null."""
    return {
        "name": event.name,
        "kind": event.kind,
        "auxiliary": event.decoded.auxiliary or event.kind == "memset",
        "decoded": as_json(event.decoded),
        "grid": event.grid,
        "block": event.block,
        "registers": event.registers,
        "shared_memory": event.shared_memory,
        "code_hash": event.code_hash,
        "configuration": event.configuration,
        "chain": list(event.chain),
        "launch": event.launch,
        "input_shapes": event.input_shapes,
        "input_types": event.input_types,
        "input_strides": event.input_strides,
        "problem_size": event.problem_size,
        "bytes": event.size_bytes,
        "stream": event.stream,
        "start_ns": event.start_ns,
        "gpu_ns": event.gpu_ns,
        "regions": list(event.regions),
        "replayed": event.replayed,
        "collective": event.collective,
    }


def _operator(stat: OperatorStat) -> dict[str, Any]:
    return {
        "operator": stat.operator,
        "per_step": stat.calls,
        "ns_per_step": stat.own_ns,
        "launches": stat.launches,
    }


def _operator_change(change: OperatorChange) -> dict[str, Any]:
    return {
        "operator": change.operator,
        "baseline": _operator(change.baseline) if change.baseline else None,
        "candidate": _operator(change.candidate) if change.candidate else None,
    }


def _waterfall(fall: Waterfall | None) -> dict[str, Any] | None:
    """Give one waterfall: both sums of the rows are those of the whole, to the nanosecond."""
    if fall is None:
        return None
    return {
        "baseline_ns": fall.baseline_ns,
        "candidate_ns": fall.candidate_ns,
        "delta_ns": fall.delta_ns,
        "rows": [
            {
                "kind": part.kind,
                "match": part.match,
                "baseline_ns": part.baseline_ns,
                "candidate_ns": part.candidate_ns,
                "delta_ns": part.delta_ns,
                "items": [
                    {
                        "name": item.name,
                        "calls": {"baseline": item.baseline_calls, "candidate": item.candidate_calls},
                        "ns": {"baseline": item.baseline_ns, "candidate": item.candidate_ns},
                    }
                    for item in part.items
                ],
            }
            for part in fall.rows
        ],
    }


def coverage_as_dict(run: Profile) -> dict[str, Any]:
    """Say what share of a file its steps hold."""
    coverage = run.coverage
    return {
        "gpu_events": coverage.gpu_events,
        "in_steps": coverage.in_steps,
        "before_window": coverage.before_window,
        "linked": coverage.linked,
        "gpu_ns": coverage.gpu_ns,
        "gpu_ns_in_steps": coverage.gpu_ns_in_steps,
    }


def note_as_dict(note: Note) -> dict[str, Any]:
    """Give one note."""
    return {"code": note.code, "text": note.text, "where": note.where, "count": note.count}
