"""Dispatch chains of a step as one tree: annotation, operator, runtime call, GPU event."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kerneldiff.links.model import Trace
from kerneldiff.profiles.cpu_step import common_name
from kerneldiff.profiles.explained import Node, NodeKind
from kerneldiff.profiles.model import GpuEvent
from kerneldiff.profiles.own_time import OwnTimes
from kerneldiff.traces.model import Int64s, Kind

_KINDS: dict[int, NodeKind] = {Kind.ANNOTATION: "annotation", Kind.OPERATOR: "operator", Kind.RUNTIME: "runtime"}
BEFORE_WINDOW = "launched before the recording"


@dataclass(slots=True)
class _Tree:
    """Nodes while they are being counted; a parent's number is below its children's."""

    places: dict[tuple[int, str, NodeKind], int] = field(default_factory=dict)
    parents: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    kinds: list[NodeKind] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    launches: list[int] = field(default_factory=list)
    gpu: list[int] = field(default_factory=list)

    def place(self, parent: int, name: str, kind: NodeKind) -> int:
        """Give the node of a name below another, made when it is new."""
        key = (parent, name, kind)
        at = self.places.get(key)
        if at is None:
            at = self.places[key] = len(self.names)
            self.parents.append(parent)
            self.names.append(name)
            self.kinds.append(kind)
            for column in (self.calls, self.own, self.launches, self.gpu):
                column.append(0)
        return at


def dispatch_tree(trace: Trace, times: OwnTimes, rows: Int64s, events: tuple[GpuEvent, ...]) -> tuple[Node, ...]:
    """Count the calls of a step by path, over all threads, with the GPU events below the call that launched them.

    Args:
        trace: a linked trace.
        times: own times of the step's slices.
        rows: its GPU events, as indices into ``trace.gpu``.
        events: the same as values.
    """
    tree = _Tree()
    node_of = _count_slices(trace, times, tree)
    for row, event in zip(rows.tolist(), events, strict=True):
        launch = int(trace.gpu.launch[row])
        parent = node_of.get(launch)
        if parent is None:
            parent = tree.place(-1, BEFORE_WINDOW, "annotation")
        at = tree.place(parent, event.decoded.label or event.name, "gpu")
        tree.calls[at] += 1
        tree.launches[at] += 1
        tree.gpu[at] += event.gpu_ns
    return _nodes(tree)


def _count_slices(trace: Trace, times: OwnTimes, tree: _Tree) -> dict[int, int]:
    """Count the slices by path, and give the node of each."""
    cpu, strings = trace.cpu, trace.raw.strings
    names = {index: common_name(strings[index]) for index in np.unique(cpu.name[times.slices]).tolist()}
    columns = (times.slices, cpu.parent[times.slices], cpu.name[times.slices], cpu.kind[times.slices], times.own_ns)
    node_of: dict[int, int] = {}
    # A parent stands before its children.
    for index, parent, name, kind, own in zip(*(column.tolist() for column in columns), strict=True):
        at = node_of[index] = tree.place(node_of.get(parent, -1), names[name], _KINDS[kind])
        tree.calls[at] += 1
        tree.own[at] += own
    return node_of


def _nodes(tree: _Tree) -> tuple[Node, ...]:
    total = list(tree.own)
    for at in range(len(tree.names) - 1, -1, -1):
        parent = tree.parents[at]
        if parent >= 0:
            total[parent] += total[at]
            tree.launches[parent] += tree.launches[at]
            tree.gpu[parent] += tree.gpu[at]
    order = _preorder(tree.parents)
    place = {at: new for new, at in enumerate(order)}
    depths: list[int] = []
    nodes = []
    for at in order:
        parent = place[tree.parents[at]] if tree.parents[at] >= 0 else -1
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        nodes.append(
            Node(
                name=tree.names[at],
                kind=tree.kinds[at],
                parent=parent,
                depth=depths[-1],
                calls=tree.calls[at],
                own_ns=tree.own[at],
                total_ns=total[at],
                launches=tree.launches[at],
                gpu_ns=tree.gpu[at],
            )
        )
    return tuple(nodes)


def _preorder(parents: list[int]) -> list[int]:
    children: dict[int, list[int]] = {}
    for at, parent in enumerate(parents):
        children.setdefault(parent, []).append(at)
    order: list[int] = []
    stack = children.get(-1, [])[::-1]
    while stack:
        at = stack.pop()
        order.append(at)
        stack += children.get(at, [])[::-1]
    return order
