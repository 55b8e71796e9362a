"""The tree of dispatch chains, and view operators, as rows for the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from kerneldiff.profiles.explained import Node
from kerneldiff.profiles.model import Profile
from kerneldiff.units import time_text

MOST_NODES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One place in the tree: all calls of one name below one path."""

    name: str
    kind: str
    calls: int
    own: str
    gpu: str
    inside: tuple[Call, ...]
    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The tree of one side, and how many of its places are left out."""

    calls: tuple[Call, ...]
    left_out: int


def tree(run: Profile) -> Tree | None:
    """Lay out the dispatch chains of a run; None where the recording has no CPU side."""
    nodes = run.explained.nodes if run.explained else ()
    if not nodes:
        return None
    kept = _kept(nodes)
    inside: dict[int, list[int]] = defaultdict(list)
    for index in sorted(kept):
        inside[nodes[index].parent].append(index)
    return Tree(calls=tuple(_call(nodes, inside, index) for index in inside[-1]), left_out=len(nodes) - len(kept))


def _kept(nodes: Sequence[Node]) -> set[int]:
    """Choose the places with most time, and those around them."""
    ranked = sorted(range(len(nodes)), key=lambda index: -max(nodes[index].total_ns, nodes[index].gpu_ns))
    kept: set[int] = set()
    for index in ranked:
        path = []
        at = index
        while at >= 0 and at not in kept:
            path.append(at)
            at = nodes[at].parent
        if len(kept) + len(path) > MOST_NODES:
            break
        kept.update(path)
    return kept


def _call(nodes: Sequence[Node], inside: dict[int, list[int]], index: int) -> Call:
    node = nodes[index]
    children = tuple(_call(nodes, inside, child) for child in inside[index])
    return Call(
        name=node.name,
        kind=node.kind,
        calls=node.calls,
        own=time_text(node.own_ns) if node.kind != "gpu" else "",
        gpu=time_text(node.gpu_ns) if node.launches else "",
        inside=children,
        open=node.depth < 1 or len(children) == 1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An operator that only rewrote metadata; counts and own times a side, empty where a side has none."""

    operator: str
    calls: tuple[str, ...]
    own: tuple[str, ...]
    copied: int
    proof: str


def views(runs: Sequence[Profile]) -> list[View]:
    """List the view operators of some runs, by first call."""
    stats = [{stat.operator: stat for stat in run.explained.views} if run.explained else {} for run in runs]
    listed = []
    for name in dict.fromkeys(name for side in stats for name in side):
        sides = [side.get(name) for side in stats]
        told = [stat for stat in sides if stat is not None]
        listed.append(
            View(
                operator=name,
                calls=tuple(str(stat.calls) if stat else "" for stat in sides),
                own=tuple(time_text(stat.own_ns) if stat else "" for stat in sides),
                copied=sum(stat.copied for stat in told),
                proof=told[0].proof,
            )
        )
    return listed
