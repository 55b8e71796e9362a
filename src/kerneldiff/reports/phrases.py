"""Short texts about runs, matches and times that the page, Markdown and Perfetto share. Nothing is escaped here."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from hashlib import blake2s
from pathlib import PurePath
from typing import Final

from kerneldiff.diffs.model import Diff, Match, Relation
from kerneldiff.diffs.noise import TimeCall
from kerneldiff.diffs.operators import bare, basics
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.units import bytes_text, time_text

# A sign for each relation, so that nothing rests on colour alone.
SIGNS: Final[dict[Relation, str]] = {
    "same": "=",
    "unproven": "?",
    "resized": "~",
    "recompiled": "~",
    "reselected": "~",
    "reimplemented": "~",
    "fused": ">",
    "split": "<",
    "added": "+",
    "removed": "\N{MINUS SIGN}",
}
MEANINGS: Final[dict[Relation, str]] = {
    "same": "the same kernel does the same work",
    "unproven": "nothing known differs, but equality is not proved",
    "resized": "the same code on another amount of work",
    "recompiled": "compiled at run time, into other code",
    "reselected": "the same operation by another precompiled kernel",
    "reimplemented": "the same operation by another library",
    "fused": "several kernels became fewer",
    "split": "one or few kernels became more",
    "added": "only in the candidate",
    "removed": "only in the baseline",
}


def signed_time(ns: int) -> str:
    """Write a change in time with its sign.

    >>> signed_time(-31_936), signed_time(0)
    ('\N{MINUS SIGN}31.9 us', '0')
    """
    if not ns:
        return "0"
    return f"{'+' if ns > 0 else chr(0x2212)}{time_text(abs(ns))}"


def change_text(ratio: float) -> str:
    """Write a ratio candidate / baseline as a signed change.

    >>> change_text(0.8799), change_text(1.332)
    ('\N{MINUS SIGN}12.0 %', '+33.2 %')
    """
    percent = (ratio - 1) * 100
    return f"{'+' if percent >= 0 else chr(0x2212)}{abs(percent):.1f} %"


def interval_text(call: TimeCall) -> str:
    """Write the 95 % interval of a ratio as changes in percent, or as factors where it is wide; empty without one."""
    if call.interval is None:
        return ""
    low, high = call.interval
    if high > 2 or low < 0.5:
        factors = [f"\N{MULTIPLICATION SIGN}{bound:.2f}" for bound in (low, high)]
        return f"{factors[0]} or more" if high >= 100 else " to ".join(factors)
    return " to ".join(change_text(bound).removesuffix(" %") for bound in (low, high)) + " %"


def subject(diff: Diff) -> str:
    """Name what is compared: GPU events, or the CPU's kernels in a recording without a GPU."""
    on_cpu = any(event.kind == "cpu_kernel" for event in (*diff.baseline.events, *diff.candidate.events))
    return "CPU kernels" if on_cpu else "GPU events"


def points(diff: Diff) -> list[str]:
    """List what a reader should know besides the summary: open questions with their remedies, then further findings."""
    return [*diff.verdict.reasons[1:4], *diff.verdict.details]


def run_name(run: Profile) -> str:
    """Name a run by its file, or by its folder and the number of recordings."""
    first = PurePath(run.paths[0])
    return first.name if len(run.paths) == 1 else f"{first.parent.name} ({len(run.paths)} recordings)"


def kernels_text(run: Profile) -> str:
    """Count a run's kernels a step; a run whose GPU was not recorded has no count."""
    return "not recorded" if "gpu" in run.missing else str(run.kernels)


def run_facts(run: Profile) -> list[str]:
    """List what a reader needs to know of a run: device, steps, events, what is missing."""
    facts = [run.device or "device not named"]
    if "steps" in run.missing:
        facts.append("no step marks: the whole file is one step")
    else:
        steps = f"{run.steps} step{'' if run.steps == 1 else 's'}"
        steps += f", {run.complete_steps} complete" if run.complete_steps != run.steps else ""
        steps += f", {run.alike} alike" if run.alike != run.complete_steps else ""
        facts.append(f"{steps}; step {run.step_number} is shown" if run.step_number is not None else steps)
    if run.missing:
        facts.append("lacks " + ", ".join(fact.replace("_", " ") for fact in run.missing))
    return facts


def event_text(event: GpuEvent) -> str:
    """Give the decoded label of an event, and the operator that launched it where the label does not name it."""
    text = event.decoded.label or event.name
    operator = event.operator
    named = {word.strip("_") for word in re.split(r"[ ,]", text)}
    if operator and not operator.startswith("triton_") and bare(operator) not in named:
        return f"{text} \N{MIDDLE DOT} {clipped(operator.removeprefix('aten::'))}"
    return text


def clipped(text: str, most: int = 120) -> str:
    """Shorten a very long text; a digest of the whole keeps two that begin alike apart.

    >>> clipped("short"), len(clipped("x" * 4000))
    ('short', 120)
    """
    if len(text) <= most:
        return text
    digest = blake2s(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{text[: most - 9]}~{digest}"


def short_text(event: GpuEvent) -> str:
    """Give one or two words for a narrow block: the operator that launched it, or what the kernel does."""
    operator = event.operator
    if operator and not operator.startswith("triton_") and "::" in operator:
        return bare(operator)
    named = [bare(name) for name in event.decoded.fused_ops if basics(name)]
    return " ".join(named[-3:]) or event.decoded.op or event.decoded.label or event.name


def main_events(events: Sequence[GpuEvent]) -> list[GpuEvent]:
    """Leave out what only helps a main kernel, unless there is nothing else."""
    return [event for event in events if not (event.decoded.auxiliary or event.kind == "memset")] or list(events)


def headline(diff: Diff, match: Match) -> str:
    """Say in a few words what a match is about."""
    if match.relation in ("fused", "split"):
        words = list(dict.fromkeys(bare(name) for name in match.fused_operators))
        text = clipped(" + ".join(words)) if words else "matched by position"
    elif match.relation in ("same", "unproven", "added", "removed"):
        events = [diff.candidate.events[i] for i in match.candidate] or [
            diff.baseline.events[i] for i in match.baseline
        ]
        helpers = len(events) - 1
        text = event_text(main_events(events)[0])
        text += f" (with {helpers} helper{'s' if helpers > 1 else ''})" if helpers else ""
    else:
        told = [d for d in match.differences if d.field not in ("name", "library") and d.baseline and d.candidate]
        text = ", ".join(f"{d.field} {d.baseline} \N{RIGHTWARDS ARROW} {d.candidate}" for d in told[:3])
        operators = clipped(" + ".join(dict.fromkeys(bare(name) for name in match.operators if "::" in name)))
        text = ": ".join(part for part in (operators, text) if part) or ", ".join(bare(n) for n in match.operators[-1:])
    return text


def counts_text(match: Match) -> str:
    """Say how many events of each side a match joins, such as ``7 to 3``."""
    return f"{len(match.baseline)} to {len(match.candidate)}"


def saved_text(match: Match) -> str | None:
    """Say the HBM traffic that a match saves or costs, None when shapes do not tell."""
    if match.bytes_saved is None:
        return None
    verb = "saves" if match.bytes_saved >= 0 else "adds"
    return f"{verb} {bytes_text(abs(match.bytes_saved))} of HBM traffic"


def bar_scale(diff: Diff, changes: Iterable[int]) -> int:
    """Give the change in ns that fills a bar: the largest, or 2 % of a step's GPU time where all are less than that."""
    total = max(sum(event.gpu_ns for event in run.events) for run in (diff.baseline, diff.candidate))
    return max([abs(change) for change in changes] + [total // 50, 1])


def signature(diff: Diff, match: Match) -> Hashable:
    """Give what makes two matches look alike: relation, and labels and operators of both sides."""
    return (
        match.relation,
        match.facets,
        tuple((diff.baseline.events[i].decoded.label, diff.baseline.events[i].operator) for i in match.baseline),
        tuple((diff.candidate.events[i].decoded.label, diff.candidate.events[i].operator) for i in match.candidate),
    )


def alike(diff: Diff) -> list[list[Match]]:
    """Gather all changes that look alike, the largest change in time first."""
    groups: dict[Hashable, list[Match]] = {}
    for match in diff.matches:
        if match.relation != "same":
            groups.setdefault(signature(diff, match), []).append(match)
    return sorted(groups.values(), key=lambda stack: -abs(sum(match.delta_ns for match in stack)))
