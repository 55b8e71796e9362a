"""How two groups of events stand to each other: same, unproven, resized, recompiled, reselected ..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.model import Difference, Relation
from kerneldiff.diffs.operators import of_event
from kerneldiff.names import without_number
from kerneldiff.profiles.model import GpuEvent

# A kernel whose grid does not follow its work can hide another size; times this far apart betray it.
_TIMES_APART = 1.25

_REASONS = {
    "no-hash": "no code hash in {who}: an equal name does not prove equal code; record with record_shapes=True",
    "no-configuration": "equal code hash, but the launch configuration was not recorded; record with a newer PyTorch, or with kerneldiff record",
    "renumbered": (
        "Inductor numbered the kernel differently, and its hash covers the number in the name, so nothing shows a difference and "
        "nothing proves equality; kerneldiff record hashes the source without its name"
    ),
    "template": "a Triton template: its hash does not prove which configuration was generated; record with kerneldiff record",
    "hand-written": "hand-written Triton: every specialisation shares the function's name; record with kerneldiff record",
    "replay": "launched by graph replay in {who}, where neither shapes nor code hashes are recorded; record without the graph, or with kerneldiff record",
    "size": "the name and launch are equal, but this kernel's grid does not follow its problem size, the size is not known, and the times are far apart; record with record_shapes=True",
    "untimed": "the name and launch are equal, but this kernel's grid does not follow its problem size, which only one side knows, and a lock file holds no time that could tell; record with record_shapes=True",
    "cut": "the name was cut off when it was written, so equality cannot be seen; use the trace itself instead of a table",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A relation with its grounds."""

    relation: Relation
    evidence: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Typical:
    """Usual durations of both events, ns, and whether both sides are one and the same recording."""

    baseline_ns: float
    candidate_ns: float
    same_recording: bool = False


def relate_one(one: GpuEvent, other: GpuEvent, typical: Typical) -> Related:
    """Relate one main event of the baseline to one of the candidate."""
    facts = _facts(one, other)
    differing = tuple(facts.differences)
    if one.kind != other.kind:
        return Related(relation="reimplemented", differences=(_difference("kind", one.kind, other.kind), *differing))
    if one.normalised == other.normalised:
        if one.decoded.cut or other.decoded.cut:
            return Related(relation="unproven", reason=_REASONS["cut"], evidence=facts.equal)
        return _same_name(one, other, facts, typical)
    if _renumbered(one, other):
        return _jit(one, other, facts, typical, renumbered=True)
    if one.decoded.jit and other.decoded.jit and one.decoded.library == other.decoded.library:
        return _jit_other_name(one, other, facts)
    name = _decoded_differences(one, other)
    relation: Relation = "reselected" if _one_provider(one, other) else "reimplemented"
    return Related(relation=relation, evidence=("operators", *facts.equal), differences=(*name, *differing))


def relate_many(baseline: Sequence[GpuEvent], candidate: Sequence[GpuEvent]) -> Related:
    """Relate several main events: fewer on the candidate's side is a fusion, more is a split."""
    if not candidate:
        return Related(relation="removed")
    if not baseline:
        return Related(relation="added")
    counts = (_difference("kernels", str(len(baseline)), str(len(candidate))),)
    if len(baseline) > len(candidate):
        return Related(relation="fused", evidence=("operators",), differences=counts)
    if len(baseline) < len(candidate):
        return Related(relation="split", evidence=("operators",), differences=counts)
    return Related(relation="reimplemented", evidence=("operators",))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    equal: tuple[str, ...]
    differences: list[Difference]

    def differs(self, *fields: str) -> bool:
        return any(difference.field in fields for difference in self.differences)


# Fields of an event that are compared where both sides know them.
_FIELDS = ("grid", "block", "registers", "shared_memory", "problem_size", "size_bytes", "collective", "configuration")


def _facts(one: GpuEvent, other: GpuEvent) -> _Facts:
    equal, differences = [], []
    pairs = [(field, getattr(one, field), getattr(other, field)) for field in _FIELDS]
    if one.problem_size is None and other.problem_size is None and one.kind == "kernel":
        pairs.append(("input_shapes", *_comparable_shapes(one, other)))
    if one.normalised == other.normalised:
        pairs.append(("code_hash", one.code_hash, other.code_hash))
    for field, ours, theirs in pairs:
        if ours is None or theirs is None:
            continue
        if ours == theirs:
            equal.append(field)
        else:
            differences.append(_difference(field, text(ours), text(theirs)))
    return _Facts(equal=tuple(equal), differences=differences)


def _comparable_shapes(one: GpuEvent, other: GpuEvent) -> tuple[object, object]:
    """Give the input shapes of both, where the same operator launched them; an ``out`` argument is left out.

    An ``out`` overload has one argument more than the other overload, at the end.
    """
    if one.operator != other.operator or one.input_shapes is None or other.input_shapes is None:
        return None, None
    shorter = min(len(one.input_shapes), len(other.input_shapes))
    return _tensors(one.input_shapes[:shorter]), _tensors(other.input_shapes[:shorter])


def _tensors(shapes: tuple[tuple[int, ...] | None, ...]) -> tuple[tuple[int, ...], ...] | None:
    known = tuple(dims for dims in shapes if dims)
    return known or None


def _difference(field: str, baseline: str | None, candidate: str | None) -> Difference:
    return Difference(field=field, baseline=baseline, candidate=candidate)


def text(value: object) -> str:
    """Write a fact as text: numbers of a tuple joined by x.

    >>> text((2, 66, 1)), text(168)
    ('2x66x1', '168')
    """
    if isinstance(value, tuple):
        separator = "x" if all(isinstance(part, int) for part in value) else ", "
        return separator.join(text(part) for part in value)
    return str(value)


_SIZE = ("grid", "problem_size", "size_bytes", "input_shapes", "collective")


def _same_name(one: GpuEvent, other: GpuEvent, facts: _Facts, typical: Typical) -> Related:
    if one.decoded.jit:
        return _jit(one, other, facts, typical, renumbered=False)
    evidence = ("name", *facts.equal)
    differences = tuple(facts.differences)
    if facts.differs("registers"):
        return Related(relation="reselected", evidence=evidence, differences=differences)
    if facts.differs("block", "shared_memory", *_SIZE):
        return Related(relation="resized", evidence=evidence, differences=differences)
    if _may_hide_size(one, other, typical):
        untimed = not (typical.baseline_ns and typical.candidate_ns)
        return Related(relation="unproven", evidence=evidence, reason=_REASONS["untimed" if untimed else "size"])
    return Related(relation="same", evidence=evidence)


def _may_hide_size(one: GpuEvent, other: GpuEvent, typical: Typical) -> bool:
    """Say whether a kernel could have done another amount of work under the same launch.

    The grid of products, convolutions and attention need not follow their size (persistent kernels).
    """
    if heavy_class(one.decoded) is None or typical.same_recording:
        return False
    if one.problem_size is not None and other.problem_size is not None:
        return False
    shorter, longer = sorted((typical.baseline_ns, typical.candidate_ns))
    return longer > _TIMES_APART * shorter


def _renumbered(one: GpuEvent, other: GpuEvent) -> bool:
    return one.decoded.family == "inductor_triton" and without_number(one.normalised) == without_number(
        other.normalised
    )


def _jit(one: GpuEvent, other: GpuEvent, facts: _Facts, typical: Typical, *, renumbered: bool) -> Related:
    """Relate two kernels that were compiled at run time, of one name but for a graph number."""
    evidence = (*(() if renumbered else ("name",)), *facts.equal)
    differences = tuple(facts.differences)
    if typical.same_recording and not differences:
        return Related(relation="same", evidence=(*evidence, "recording"))
    if one.content_digest is not None and other.content_digest is not None:
        return _by_content(one, other, facts, evidence)
    if facts.differs("code_hash", "registers", "block", "shared_memory", "configuration"):
        return Related(relation="recompiled", evidence=evidence, differences=differences)
    if facts.differs(*_SIZE):
        return Related(relation="resized", evidence=evidence, differences=differences)
    reason = _unproven(one, other, facts, renumbered=renumbered)
    if reason is None:
        return Related(relation="same", evidence=evidence)
    return Related(relation="unproven", evidence=evidence, reason=reason)


def _by_content(one: GpuEvent, other: GpuEvent, facts: _Facts, evidence: tuple[str, ...]) -> Related:
    """Relate by the digest of source and binary, which proves what a name and a hash cannot."""
    differences = tuple(d for d in facts.differences if d.field != "code_hash")
    if one.content_digest != other.content_digest:
        digest = _difference("content", str(one.content_digest)[:12], str(other.content_digest)[:12])
        return Related(relation="recompiled", evidence=evidence, differences=(digest, *differences))
    if any(difference.field in (*_SIZE, "block", "shared_memory") for difference in differences):
        return Related(relation="resized", evidence=(*evidence, "content"), differences=differences)
    return Related(relation="same", evidence=(*evidence, "content"))


def _unproven(one: GpuEvent, other: GpuEvent, facts: _Facts, *, renumbered: bool) -> str | None:
    """Say why nothing proves that two run-time compiled kernels are equal, None when something does."""
    lacking = [who for who, event in (("the baseline", one), ("the candidate", other)) if event.code_hash is None]
    who = " and ".join(lacking)
    if any(event.replayed and event.code_hash is None for event in (one, other)):
        replayed = [w for w, event in (("the baseline", one), ("the candidate", other)) if event.replayed]
        return _REASONS["replay"].format(who=" and ".join(replayed))
    if one.decoded.library not in ("inductor_triton", "inductor_cpp"):
        return _REASONS["hand-written"]
    if one.decoded.op == "template":
        return _REASONS["template"]
    if renumbered:
        return _REASONS["renumbered"]
    if lacking:
        return _REASONS["no-hash"].format(who=who)
    if "configuration" not in facts.equal:
        return _REASONS["no-configuration"]
    return None


def _jit_other_name(one: GpuEvent, other: GpuEvent, facts: _Facts) -> Related:
    """Relate two run-time compiled kernels of one provider under different names."""
    names = (_difference("name", one.name, other.name),)
    if of_event(one) != of_event(other):
        operators = _difference("operators", ", ".join(one.decoded.fused_ops), ", ".join(other.decoded.fused_ops))
        return Related(
            relation="reimplemented", evidence=("operators",), differences=(operators, *names, *facts.differences)
        )
    differs = (
        facts.differs("registers", "block", "shared_memory", "configuration") or one.decoded.op != other.decoded.op
    )
    if differs or facts.differs(*_SIZE):
        relation: Relation = "recompiled" if differs else "resized"
        return Related(
            relation=relation, evidence=("operators", *facts.equal), differences=(*names, *facts.differences)
        )
    return Related(relation="unproven", evidence=("operators", *facts.equal), reason=_REASONS["renumbered"])


def _one_provider(one: GpuEvent, other: GpuEvent) -> bool:
    return provider(one) is not None and provider(one) == provider(other) and not one.decoded.jit


def provider(event: GpuEvent) -> str | None:
    """Give who wrote a kernel: its library, but FlashAttention's kernels are its own inside PyTorch too."""
    return "flash_attention" if event.decoded.family.startswith("flash_attention") else event.decoded.library


# Decoded fields in the order in which a person asks for them.
_DECODED = (
    "library",
    "op",
    "dtype_in",
    "dtype_acc",
    "dtype_out",
    "layout",
    "tile",
    "stages",
    "split_k",
    "epilogue",
    "arch",
)


def _decoded_differences(one: GpuEvent, other: GpuEvent) -> tuple[Difference, ...]:
    found = []
    for field in _DECODED:
        ours, theirs = getattr(one.decoded, field), getattr(other.decoded, field)
        if ours != theirs:
            found.append(
                _difference(field, None if ours is None else text(ours), None if theirs is None else text(theirs))
            )
    return tuple(found) or (_difference("name", one.name, other.name),)
