"""The verdict in words: one table of (condition, sentence); a sentence without its evidence is not said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kerneldiff.diffs.causes import arithmetic
from kerneldiff.diffs.cpu_sentences import (
    allocation,
    cpu_side,
    data_loader,
    graph_breaks,
    guards,
    host_reads,
    operators,
    recompilation,
    step,
)
from kerneldiff.diffs.facts import Facts, moved, span, unsettled
from kerneldiff.diffs.gpu_sentences import epilogue_change
from kerneldiff.diffs.verdict import MIN_COVERAGE, coverage_share
from kerneldiff.diffs.wording import count

Topic = Literal["coverage", "gpu", "arithmetic", "step", "guards", "more"]
MOST_SENTENCES = 3
_MOST_CAUSES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One row of the table.

    Attributes:
        say: gives the sentence, or None where its condition does not hold or its evidence is missing.
        topic: a headline has one sentence of each topic, the first that speaks; ``more`` goes to the details.
    """

    say: Callable[[Facts], str | None]
    topic: Topic


def summarise(facts: Facts) -> tuple[str, tuple[str, ...]]:
    """Give the headline of two or three sentences, and further sentences in order of weight."""
    headline: list[str] = []
    details: list[str] = []
    taken: set[Topic] = set()
    for sentence in SENTENCES:
        text = sentence.say(facts)
        if not text:
            continue
        if sentence.topic != "more" and sentence.topic not in taken and len(headline) < MOST_SENTENCES:
            taken.add(sentence.topic)
            headline.append(text)
        elif sentence.topic == "more" or sentence.say not in _INSTEAD:
            details.append(text)
    return " ".join(headline), (*details, *_other_causes(facts))


def other_device(facts: Facts) -> str | None:
    """The runs come from different devices."""
    ours, theirs = facts.baseline.device, facts.candidate.device
    if ours is None or theirs is None or ours == theirs:
        return None
    return f"The runs come from different devices ({ours}, {theirs}): kernels are chosen for the device, and times compare the devices too."


def coverage(facts: Facts) -> str | None:
    """Little of the file lies in its steps: said first."""
    low = [
        (who, share)
        for who, run in (("baseline", facts.baseline), ("candidate", facts.candidate))
        if run.coverage.gpu_events and (share := coverage_share(run)) < MIN_COVERAGE
    ]
    if not low:
        return None
    said = " and ".join(f"{share:.0%} of the {who}'s" for who, share in low)
    return f"This speaks of {said} GPU time only; the rest lies outside the steps."


def not_known(facts: Facts) -> str | None:
    """A side has no GPU events."""
    if facts.work != "unknown":
        return None
    return f"GPU work cannot be compared: {facts.reasons[0]}."


def same(facts: Facts) -> str | None:
    """All GPU work is proved equal."""
    if facts.work != "same":
        return None
    kernels = facts.candidate.kernels
    if kernels == 1:
        what = "the one kernel of a step is proved equal"
    elif kernels == 2:
        what = "both kernels of a step are proved equal"
    elif kernels:
        what = f"all {kernels} kernels of a step are proved equal"
    else:
        what = "all GPU events of a step are proved equal"
    return f"GPU work is the same: {what}{_replayed(facts)}."


def _replayed(facts: Facts) -> str:
    if "captured" not in facts.changes:
        return ""
    who = "candidate" if facts.candidate.captured else "baseline"
    return f"; only the {who} launches by replaying a CUDA graph"


def unproven(facts: Facts) -> str | None:
    """Nothing differs, and equality is not proved."""
    if facts.work != "unproven":
        return None
    number = len(facts.of("unproven"))
    what = (
        f"{number} of {count(len(facts.matches), 'match', 'matches')} cannot be proved equal"
        if number
        else "one question is open"
    )
    return f"No difference in GPU work is seen, but {what}: {facts.reasons[0]}{_replayed(facts)}."


def changed(facts: Facts) -> str | None:
    """GPU work changed: kernels before and after, GPU time, and the change that explains most of it."""
    if facts.work != "changed":
        return None
    before, after = facts.baseline.kernels, facts.candidate.kernels
    counts = (
        f"{count(before, 'kernel')} a step became {after}"
        if before != after
        else f"{count(before, 'kernel')} a step as before"
    )
    leading = facts.leading
    time = moved(facts.times.gpu, "GPU time")
    open_time = f"whether GPU time differs is open ({span(facts.times.gpu)} a step)" if facts.times.gpu.ratio else None
    if leading is None:
        tail = f" {time[0].upper()}{time[1:]}." if time else ""
        return f"GPU work changed: {counts}{_replayed(facts)}.{tail}"
    if time and facts.times.gpu.call in ("faster", "slower"):
        others = len(facts.causes) > 1
        return f"GPU work changed, {counts}{_replayed(facts)}: {time}, {'mostly ' if others else ''}because {leading.text}."
    rest = f"; {time or open_time}" if time or open_time else ""
    return f"GPU work changed, {counts}{_replayed(facts)}: {leading.text}{rest}."


def precision(facts: Facts) -> str | None:
    """The arithmetic changed: a difference in time is then no like-for-like gain."""
    if "precision" not in facts.changes:
        return None
    said = arithmetic(facts.matches)
    return f"The arithmetic changed{f' ({said})' if said else ''}: the two runs do not compute the same numbers."


def gpu_time(facts: Facts) -> str | None:
    """GPU time of unchanged work."""
    if facts.work == "changed" or facts.times.gpu.ratio is None:
        return None
    text = moved(facts.times.gpu, "GPU time")
    if text:
        return f"{text[0].upper()}{text[1:]}."
    return (
        f"Whether GPU time differs is not settled ({span(facts.times.gpu)} a step); {unsettled(facts.times.gpu, 'it')}."
    )


def gpu_time_moved(facts: Facts) -> str | None:
    """GPU time of unchanged work that took another time all the same."""
    return gpu_time(facts) if facts.times.gpu.call in ("faster", "slower") else None


def gpu_time_as_it_was(facts: Facts) -> str | None:
    """GPU time of unchanged work that did not change, or is not settled."""
    return None if facts.times.gpu.call in ("faster", "slower") else gpu_time(facts)


def cpu_side_of_same_work(facts: Facts) -> str | None:
    """Where GPU work is as it was, the CPU side is what changed."""
    return cpu_side(facts) if facts.work != "changed" and facts.candidate.bound == "cpu" else None


def cpu_operators(facts: Facts) -> str | None:
    """Operators that left and came, where the headline does not say so."""
    if cpu_side_of_same_work(facts) and not (data_loader(facts) or allocation(facts)):
        return None
    clause = operators(facts)
    return f"{clause}." if clause else None


def _other_causes(facts: Facts) -> tuple[str, ...]:
    """Give the changes that the headline does not name, each with its difference in GPU time."""
    if facts.work != "changed":
        return ()
    rest = [cause for cause in facts.causes if cause is not facts.leading]
    lines = [f"{cause.text} ({cause.signed})." for cause in rest[:_MOST_CAUSES]]
    if len(rest) > _MOST_CAUSES:
        lines.append(f"And {count(len(rest) - _MOST_CAUSES, 'more kind')} of change.")
    return tuple(lines)


# In order of weight. Of each topic but ``more`` the first that speaks is in the headline.
SENTENCES: tuple[Sentence, ...] = (
    Sentence(say=coverage, topic="coverage"),
    Sentence(say=other_device, topic="coverage"),
    Sentence(say=not_known, topic="gpu"),
    Sentence(say=same, topic="gpu"),
    Sentence(say=unproven, topic="gpu"),
    Sentence(say=changed, topic="gpu"),
    Sentence(say=precision, topic="arithmetic"),
    Sentence(say=data_loader, topic="step"),
    Sentence(say=allocation, topic="step"),
    Sentence(say=cpu_side_of_same_work, topic="step"),
    Sentence(say=step, topic="step"),
    Sentence(say=gpu_time_moved, topic="more"),
    Sentence(say=guards, topic="guards"),
    Sentence(say=cpu_operators, topic="more"),
    Sentence(say=recompilation, topic="more"),
    Sentence(say=epilogue_change, topic="more"),
    Sentence(say=graph_breaks, topic="more"),
    Sentence(say=host_reads, topic="more"),
    Sentence(say=gpu_time_as_it_was, topic="more"),
)
# These say the same thing as the sentence of their topic that was taken.
_INSTEAD = (cpu_side_of_same_work, step)
