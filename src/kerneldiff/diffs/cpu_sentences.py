"""Sentences about the CPU side and the step: operators, guards, data loader, allocations, compilations."""

from __future__ import annotations

from kerneldiff.diffs.explained import WaterfallRow
from kerneldiff.diffs.facts import Facts, moved, span, unsettled
from kerneldiff.diffs.wording import count
from kerneldiff.profiles.compiled import frames
from kerneldiff.profiles.model import Profile
from kerneldiff.units import time_text


def operators(facts: Facts) -> str | None:
    """Say which operators left and came, as a clause."""
    fall = facts.waterfalls.cpu
    if fall is None:
        return None
    left, came = fall.row("removed"), fall.row("added")
    gone, new = (_counted(left, came=False), _counted(came, came=True))
    if not gone and not new:
        return None
    if gone and new:
        new = new.replace(" operators", "").replace(" operator", "")
    if facts.compiling:
        return "Compiling " + " and ".join([*([f"removed {gone}"] if gone else []), *([f"added {new}"] if new else [])])
    parts = [*([f"{gone} left"] if gone else []), *([f"{new} came"] if new else [])]
    return f"On the CPU side {' and '.join(parts)}"


def _counted(row: WaterfallRow | None, *, came: bool) -> str | None:
    if row is None or not row.items:
        return None
    return f"{count(len(row.items), 'operator')} ({time_text(row.candidate_ns if came else row.baseline_ns)})"


def cpu_side(facts: Facts) -> str | None:
    """Operators that left and came, and what it means for a run whose pace the CPU sets."""
    clause = operators(facts)
    if clause is None:
        return None
    call = facts.times.step
    if facts.candidate.bound != "cpu" or call.ratio is None or facts.work == "changed":
        return f"{clause}."
    settled = moved(call, "step time")
    fall = facts.waterfalls.cpu
    change = 0 if fall is None else sum(row.delta_ns for row in fall.rows if row.kind in ("removed", "added"))
    if settled and call.call in ("faster", "slower"):
        so = "so" if (change > 0) == (call.call == "slower") else "and"
        return f"{clause}; the run is CPU-bound, {so} it is {call.call}: {settled}."
    if settled:
        return f"{clause}; the run is CPU-bound, and {settled}."
    longer = "longer" if call.ratio > 1 else "shorter"
    return (
        f"{clause}; the run is CPU-bound and the recorded steps are {longer} ({span(call)}), but "
        f"{unsettled(call, 'step time')}."
    )


def step(facts: Facts) -> str | None:
    """Step time beside GPU time: they can move in opposite directions."""
    call = facts.times.step
    if call.ratio is None:
        return None
    settled = moved(call, "step time")
    paced = facts.candidate.bound == "cpu" and facts.baseline.bound == "cpu"
    opposed = (
        facts.times.gpu.call in ("faster", "slower")
        and (call.ratio < 1) != (facts.times.gpu.call == "faster")
        and abs(call.ratio - 1) > 0.02
    )
    if settled:
        why = ", because the CPU sets the pace" if opposed and paced else ""
        return f"{'Still, ' if opposed else ''}{settled if opposed else settled[0].upper() + settled[1:]}{why}."
    if not opposed:
        return f"Whether step time differs is open ({span(call)}): {unsettled(call, 'it')}."
    still = "shorter" if call.ratio < 1 else "longer"
    why = " because the CPU sets the pace" if paced else ""
    return f"The recorded steps are still {still}{why} ({span(call)}); {unsettled(call, 'step time')}."


def data_loader(facts: Facts) -> str | None:
    """The data loader makes most of the difference between the steps."""
    fall = facts.waterfalls.cpu
    row = fall.row("loader") if fall else None
    if fall is None or row is None or abs(row.delta_ns) * 2 < abs(fall.delta_ns) or not fall.delta_ns:
        return None
    if (row.delta_ns > 0) != (fall.delta_ns > 0) or abs(fall.delta_ns) < fall.baseline_ns / 50:
        return None
    longer = "longer" if fall.delta_ns > 0 else "shorter"
    kernels = ", not the kernels" if facts.work == "changed" else ""
    return (
        f"The step is {longer} on the CPU ({time_text(fall.baseline_ns)} to {time_text(fall.candidate_ns)}) because of the "
        f"data loader ({time_text(row.baseline_ns)} to {time_text(row.candidate_ns)}){kernels}."
    )


def guards(facts: Facts) -> str | None:
    """Dynamo's cache lookup takes a large part of what the step got longer by."""
    fall = facts.waterfalls.cpu
    ours, theirs = facts.baseline.explained, facts.candidate.explained
    if fall is None or ours is None or theirs is None or fall.delta_ns <= 0:
        return None
    spent = theirs.compiled.lookup_ns
    more = spent - ours.compiled.lookup_ns
    if more * 2 < fall.delta_ns or spent * 2 < fall.candidate_ns:
        return None
    return (
        f"Dynamo's cache lookup, in which guards are evaluated before anything is launched, takes {time_text(spent)} of the "
        f"candidate's step ({time_text(fall.candidate_ns)} on the CPU)."
    )


def allocation(facts: Facts) -> str | None:
    """A call that allocates device memory takes most of one step and of no other."""
    for who, run in (("candidate", facts.candidate), ("baseline", facts.baseline)):
        text = _one_allocation(who, run)
        if text:
            return text
    return None


def _one_allocation(who: str, run: Profile) -> str | None:
    explained = run.explained
    found = explained.compiled.allocations if explained else ()
    if explained is None or not found or len(explained.step_lengths_ns) < 3:
        return None
    longest = max(found, key=lambda one: one.ns)
    usual = sorted(explained.step_lengths_ns.tolist())[(len(explained.step_lengths_ns) - 1) // 2]
    if longest.ns < usual or longest.step is None:
        return None
    below = f" in {longest.chain[-1]}" if longest.chain else ""
    return (
        f"Step {longest.step} of the {who} holds one {longest.name}{below} of {time_text(longest.ns)}; the run's usual step "
        f"takes {time_text(usual)}. One call in one step is no property of the program."
    )


def recompilation(facts: Facts) -> str | None:
    """Something was compiled inside the recorded steps of a run."""
    for who, run in (("candidate", facts.candidate), ("baseline", facts.baseline)):
        found = run.explained.compiled.recompilations if run.explained else ()
        if found:
            longest = max(found, key=lambda one: one.ns)
            return (
                f"The {who} compiled inside the recorded steps (step {longest.step}, {time_text(longest.ns)}); before and "
                "after it, other code may run."
            )
    return None


def graph_breaks(facts: Facts) -> str | None:
    """The compiled program falls into another number of regions than before."""
    ours, theirs = facts.baseline.explained, facts.candidate.explained
    if ours is None or theirs is None:
        return None
    before, after = len(frames(ours.compiled.regions)), len(frames(theirs.compiled.regions))
    if before == after or after < 2:
        return None
    was = f" instead of {before}" if before else ""
    return (
        f"The candidate's step runs {after} compiled regions{was}: between them lie graph breaks, unless they were "
        "compiled one by one."
    )


def host_reads(facts: Facts) -> str | None:
    """The CPU reads more values of the GPU, and waits for each."""
    ours, theirs = facts.baseline.explained, facts.candidate.explained
    if ours is None or theirs is None:
        return None
    before, after = ours.compiled.item_calls, theirs.compiled.item_calls
    if before == after:
        return None
    return f"The CPU reads values of the GPU by aten::item {count(after, 'time')} a step instead of {before}, and waits for each."
