"""The verdict on GPU work: same, unproven, changed or unknown, and the kinds of change."""

from __future__ import annotations

from collections.abc import Sequence

from kerneldiff.diffs.model import RELATIONS, GpuWork, Match
from kerneldiff.profiles.model import Profile

MIN_COVERAGE = 0.95


def gpu_work(baseline: Profile, candidate: Profile, matches: Sequence[Match]) -> tuple[GpuWork, tuple[str, ...]]:
    """Say whether the GPU did the same work, with the reasons where that is open.

    ``same`` needs every match to be same, every complete step's sequence to occur on the other side, and the steps
    to cover at least 95 % of each side's GPU time (what was launched before the window aside), or the same events
    outside of them.
    """
    unknown = _not_recorded(baseline, candidate)
    if unknown:
        return "unknown", unknown
    if any(match.relation not in ("same", "unproven") for match in matches):
        return "changed", ()
    reasons = tuple(dict.fromkeys(match.reason for match in matches if match.reason))
    if not reasons:
        reasons = _open_questions(baseline, candidate)
    return ("unproven" if reasons else "same"), reasons


def _not_recorded(baseline: Profile, candidate: Profile) -> tuple[str, ...]:
    if _on_cpu(baseline) and _on_cpu(candidate):
        return ("both runs were recorded on the CPU, so there is none; their CPU kernels are compared instead",)
    lacking = [who for who, run in (("baseline", baseline), ("candidate", candidate)) if not run.coverage.gpu_events]
    if lacking:
        return (f"no GPU events were recorded in the {' and the '.join(lacking)}; not recorded is not zero",)
    empty = [who for who, run in (("baseline", baseline), ("candidate", candidate)) if not run.events]
    if len(empty) == 2:
        return ("no GPU events were launched inside the steps of either run",)
    return ()


def _on_cpu(run: Profile) -> bool:
    return any(event.kind == "cpu_kernel" for event in run.events)


def _open_questions(baseline: Profile, candidate: Profile) -> tuple[str, ...]:
    """List what else must hold before all-equal matches prove equal work."""
    found = []
    for who, run in (("baseline", baseline), ("candidate", candidate)):
        if run.cut_off:
            found.append(f"the {who}'s file is cut off, so its steps may lack events; record again")
        if not run.complete_steps:
            found.append(f"no step of the {who} is complete; record more steps")
    if not _sequences_agree(baseline, candidate):
        found.append(
            "not every step's list of kernels occurs on the other side; look at the deviating steps in the notes"
        )
    if baseline.sequences.outside != candidate.sequences.outside:
        for who, run in (("baseline", baseline), ("candidate", candidate)):
            share = coverage_share(run)
            if share < MIN_COVERAGE:
                found.append(
                    f"only {share:.0%} of the {who}'s GPU time lies in its steps; record with a schedule whose steps hold all work"
                )
    return tuple(found)


def _sequences_agree(baseline: Profile, candidate: Profile) -> bool:
    ours, theirs = baseline.sequences, candidate.sequences
    if ours.contents and theirs.contents:
        return ours.contents == theirs.contents
    if ours.names != theirs.names:
        return False
    hashes_known = "code_hashes" not in (*baseline.missing, *candidate.missing)
    if hashes_known and not (baseline.captured or candidate.captured) and ours.hashed != theirs.hashed:
        return False
    return not hashes_known or ours.full == theirs.full or _geometry_unknown(baseline, candidate)


def _geometry_unknown(baseline: Profile, candidate: Profile) -> bool:
    return "launch_shapes" in (*baseline.missing, *candidate.missing)


def coverage_share(run: Profile) -> float:
    """Give the share of GPU time that lies in steps, without what was launched before the window."""
    whole = run.coverage.gpu_ns - run.coverage.before_window_ns
    return run.coverage.gpu_ns_in_steps / whole if whole > 0 else 1.0


def change_kinds(baseline: Profile, candidate: Profile, matches: Sequence[Match]) -> tuple[str, ...]:
    """List the kinds of change: relations, then facets, then ``captured``."""
    relations = {match.relation for match in matches}
    found: list[str] = [relation for relation in RELATIONS if relation in relations - {"same", "unproven"}]
    facets = {facet for match in matches for facet in match.facets}
    found += [facet for facet in ("precision", "layout") if facet in facets]
    if baseline.captured != candidate.captured and baseline.events and candidate.events:
        found.append("captured")
    return tuple(found)
