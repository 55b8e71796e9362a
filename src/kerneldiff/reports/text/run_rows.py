"""The lists of one run in the terminal: GPU events, dispatch chains, view operators, epilogues."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from kerneldiff.profiles.explained import Epilogue, Node
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.reports.text.folding import repeats
from kerneldiff.reports.text.layout import Column, paragraph, row
from kerneldiff.reports.text.rows import label
from kerneldiff.units import bytes_text, time_text

_EVENT_COLUMNS = (Column(width=4, right=True), Column(width=None), Column(width=9, right=True))
_NODE_COLUMNS = (
    Column(width=None),
    Column(width=5, right=True),
    Column(width=9, right=True),
    Column(width=8, right=True),
    Column(width=9, right=True),
)
_VIEW_COLUMNS = (
    Column(width=None),
    Column(width=6, right=True),
    Column(width=9, right=True),
    Column(width=7, right=True),
)
_MOST_NODES = 60
_MOST_EVENTS = 80
_MOST_KINDS = 40


def title(text: str, total: int) -> list[Text]:
    """Lay out a heading that may be longer than a line."""
    return paragraph(text, total, style="bold")


def gpu_events(profile: Profile, total: int, *, everything: bool) -> list[Text]:
    """List the GPU events in launch order, repeated stretches folded; where that stays long, alike ones by time."""
    if not profile.events:
        return []
    step = "whole file" if profile.step_number is None else f"step {profile.step_number}"
    events = profile.events
    head = row(("", "kernel, operator", "GPU time"), _EVENT_COLUMNS, total, ("dim",) * 3)
    in_order = [*title(f"GPU events in launch order ({step})", total), *head]
    if everything:
        return in_order + [line for index in range(len(events)) for line in _event_row(events, (index,), total)]
    blocks = repeats([(event.decoded.label, event.operator) for event in events])
    if sum(block.length for block in blocks) > _MOST_EVENTS:
        return [*title(f"GPU events by time, alike ones together ({step})", total), *head, *_by_time(events, total)]
    for block in blocks:
        if block.times > 1 and block.length > 1:
            text = f"{block.times} times the next {block.length} rows (times added up):"
            in_order += paragraph(text, total, indent=5, style="dim italic")
        for at in range(block.start, block.start + block.length):
            in_order += _event_row(events, tuple(range(at, at + block.length * block.times, block.length)), total)
    return in_order


def _by_time(events: Sequence[GpuEvent], total: int) -> list[Text]:
    """List alike events together, those that take most time first."""
    groups: dict[tuple[str, str | None], list[int]] = {}
    for index, event in enumerate(events):
        groups.setdefault((event.decoded.label, event.operator), []).append(index)
    ranked = sorted(groups.values(), key=lambda members: -sum(events[index].gpu_ns for index in members))
    lines = [line for members in ranked[:_MOST_KINDS] for line in _event_row(events, members, total)]
    rest = ranked[_MOST_KINDS:]
    spent = time_text(sum(events[index].gpu_ns for members in rest for index in members))
    more = f"and {len(rest)} more kinds ({spent}); " if rest else ""
    return lines + paragraph(f"{more}--all lists every event in launch order", total, indent=5, style="dim")


def _event_row(events: Sequence[GpuEvent], members: Sequence[int], total: int) -> list[Text]:
    """Lay out one event, or the same event of several turns with its times added up."""
    spent = sum(events[index].gpu_ns for index in members)
    first = f"x{len(members)}" if len(members) > 1 else str(members[0])
    return row((first, label(events[members[0]]), time_text(spent)), _EVENT_COLUMNS, total, ("dim",))


def chains(profile: Profile, total: int, *, everything: bool) -> list[Text]:
    """Draw the dispatch chains as a tree; a chain without forks is one row."""
    if profile.explained is None or not any(node.kind != "gpu" for node in profile.explained.nodes):
        return []
    lines = title("Dispatch chains (CPU time is each level's own)", total)
    lines += row(
        ("annotation > operator > call > GPU event", "calls", "CPU", "launches", "GPU"),
        _NODE_COLUMNS,
        total,
        ("dim",) * 5,
    )
    rows = _unfolded(profile.explained.nodes) if everything else _folded(profile.explained.nodes)
    shown, left = (rows, []) if everything else _largest(rows)
    for depth, names, node, own in shown:
        cells = (
            "  " * min(depth, 12) + " > ".join(names),
            str(node.calls),
            time_text(own) if node.kind != "gpu" or own else "",
            str(node.launches) if node.launches else "",
            time_text(node.gpu_ns) if node.gpu_ns else "",
        )
        lines += _indented(cells, depth, total, "" if node.launches else "dim")
    if left:
        spent = time_text(sum(own for _, _, _, own in left))
        text = f"and {len(left)} smaller rows ({spent} of CPU time); --all shows them"
        lines += paragraph(text, total, indent=2, style="dim")
    return lines


_Row = tuple[int, tuple[str, ...], Node, int]


def _indented(cells: tuple[str, ...], depth: int, total: int, style: str) -> list[Text]:
    """Lay out a row of the tree; what is wrapped keeps the indent."""
    indent = "  " * min(depth, 12)
    lines = row((cells[0].strip(), *cells[1:]), (Column(width=None), *_NODE_COLUMNS[1:]), total - len(indent), (style,))
    return [Text.assemble(indent, line) for line in lines]


def _unfolded(nodes: Sequence[Node]) -> list[_Row]:
    return [(node.depth, (node.name,), node, node.own_ns) for node in nodes]


def _folded(nodes: Sequence[Node]) -> list[_Row]:
    """Join each node with its only child when both are called equally often; own times are added up."""
    children: dict[int, list[int]] = {}
    for index, node in enumerate(nodes):
        children.setdefault(node.parent, []).append(index)
    rows: list[_Row] = []
    stack = [(index, 0) for index in reversed(children.get(-1, []))]
    while stack:
        at, depth = stack.pop()
        names, own = [nodes[at].name], nodes[at].own_ns
        below = children.get(at, [])
        while len(below) == 1 and nodes[below[0]].calls == nodes[at].calls:
            at = below[0]
            names.append(nodes[at].name)
            own += nodes[at].own_ns
            below = children.get(at, [])
        rows.append((depth, tuple(names), nodes[at], own))
        stack += [(index, depth + 1) for index in reversed(below)]
    return rows


def _largest(rows: list[_Row]) -> tuple[list[_Row], list[_Row]]:
    """Keep the rows of a long tree that hold most time, with those around them."""
    if len(rows) <= _MOST_NODES:
        return rows, []
    weights = [node.gpu_ns + node.total_ns for _, _, node, _ in rows]
    least = sorted(weights, reverse=True)[_MOST_NODES - 1]
    kept = [weight >= least for weight in weights]
    return (
        [one for one, keep in zip(rows, kept, strict=True) if keep],
        [one for one, keep in zip(rows, kept, strict=True) if not keep],
    )


def views(profile: Profile, total: int, *, everything: bool) -> list[Text]:
    """List the operators that only rewrote metadata."""
    found = profile.explained.views if profile.explained else ()
    if not found:
        return []
    spent = sum(view.own_ns for view in found)
    calls = sum(view.calls for view in found)
    lines = title(f"View operators: {calls} calls, {time_text(spent)} of CPU time, no GPU work", total)
    lines += row(("operator", "calls", "CPU", "copied"), _VIEW_COLUMNS, total, ("dim",) * 4)
    for view in found:
        cells = (
            view.operator,
            str(view.calls),
            time_text(view.own_ns),
            str(view.copied) if view.copied else "",
        )
        lines += row(cells, _VIEW_COLUMNS, total)
        for change in view.changes if everything else view.changes[:1]:
            times = f" (x{change.calls})" if change.calls > 1 else ""
            lines += paragraph(f"{change.before} -> {change.after}{times}", total, indent=4, style="dim")
        if len(view.changes) > 1 and not everything:
            others = len(view.changes) - 1
            text = f"and {others} other change{'s' if others > 1 else ''} of shape"
            lines += paragraph(text, total, indent=4, style="dim")
    lines += paragraph(
        "Proof: no GPU event was launched at or below these calls, and PyTorch lists the operators as views "
        "(reshape, contiguous, to and the like copy where they must; such calls are counted as copied).",
        total,
        indent=2,
        style="dim",
    )
    return lines


_PLACES = {
    "gemm-epilogue": "in the GEMM's epilogue",
    "one-kernel": "inside the one kernel",
    "copied-and-accumulated": "copied first, then accumulated on",
    "split-k-reduction": "in the split-k reduction",
    "separate-kernel": "in a kernel of its own",
    "unknown": "not known",
}


def epilogues(profile: Profile, total: int, *, everything: bool) -> list[Text]:
    """Say where each product's bias and activation were done; equal answers are put together."""
    found = profile.explained.epilogues if profile.explained else ()
    if not found:
        return []
    groups: dict[tuple[object, ...], list[Epilogue]] = {}
    for one in found:
        key = (one.event, one.what) if everything else (one.operator, one.what, one.place, one.proof, one.bytes_to_save)
        groups.setdefault(key, []).append(one)
    lines = title("Bias and activation of products", total)
    for group in groups.values():
        one = group[0]
        times = f" (x{len(group)})" if len(group) > 1 else ""
        saving = (
            f"; in the epilogue it would save {bytes_text(one.bytes_to_save * len(group))}" if one.bytes_to_save else ""
        )
        text = f"{one.operator}{times}, {one.what}: {_PLACES[one.place]} ({one.proof}){saving}."
        lines += paragraph(text, total, indent=2)
    return lines
