"""The part of a run that an expectation speaks of: its GPU events, and the calls of its operators."""

from __future__ import annotations

from dataclasses import dataclass

from kerneldiff.profiles.explained import Node
from kerneldiff.profiles.model import GpuEvent, Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Calls of an operator in a scope, and how many GPU events were launched below them."""

    calls: int
    launches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A whole step, or one region of it.

    Attributes:
        run: the run.
        region: name of the region, None for the step.
        indices: its GPU events, as indices into the run's.
        nodes: its part of the tree of dispatch chains; None where the CPU side was not recorded.
        seen: the region occurs in the step.
    """

    run: Profile
    region: str | None
    indices: tuple[int, ...]
    nodes: tuple[Node, ...] | None
    seen: bool = True

    @property
    def events(self) -> list[GpuEvent]:
        """Its GPU events."""
        return [self.run.events[index] for index in self.indices]

    def calls(self, operator: str) -> Calls | None:
        """Count the calls of an operator; None where the CPU side was not recorded."""
        if self.nodes is None:
            return None
        names = {operator, operator if "::" in operator else f"aten::{operator}"}
        found = [node for node in self.nodes if node.kind == "operator" and node.name in names]
        return Calls(calls=sum(node.calls for node in found), launches=sum(node.launches for node in found))


def part_of(run: Profile, region: str | None) -> Part:
    """Cut out a region of a run, or take the whole step."""
    nodes = run.explained.nodes if run.explained is not None and run.explained.nodes else None
    if region is None:
        return Part(run=run, region=None, indices=tuple(range(len(run.events))), nodes=nodes)
    indices = tuple(index for index, event in enumerate(run.events) if region in event.regions)
    inside = None if nodes is None else _below(nodes, region)
    return Part(run=run, region=region, indices=indices, nodes=inside, seen=bool(indices or inside))


def _below(nodes: tuple[Node, ...], region: str) -> tuple[Node, ...]:
    """List the nodes of a region and everything below them; parents stand before their children."""
    inside: set[int] = set()
    for index, node in enumerate(nodes):
        if node.parent in inside or (node.name == region and node.kind == "annotation"):
            inside.add(index)
    return tuple(nodes[index] for index in sorted(inside))


def regions_of(run: Profile) -> tuple[str, ...]:
    """List the user's annotations that launch GPU work, in order of their first event; compiled regions are none."""
    own = dict.fromkeys(name for event in run.events for name in event.regions)
    return tuple(
        name for name in own if not name.startswith(("Torch-Compiled Region", "## Call CompiledFxGraph", "CUDAGraph"))
    )
