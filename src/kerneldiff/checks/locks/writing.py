"""A lock as text: a header, one event a line in launch order, and a table of the names that are too long for a line.

Nothing is folded: where one of twelve layers changes, the difference in version control is that layer's lines.
"""

from __future__ import annotations

from hashlib import blake2s
from typing import Final

from kerneldiff.checks.locks.fields import ARROW, BAR, dims_text, edges, escape, shapes_text
from kerneldiff.checks.locks.model import FORMAT, Lock
from kerneldiff.profiles.model import GpuEvent

LONGEST_NAME: Final = 72
_HEAD = (
    "# GPU work of one step, one event a line: label | operators | facts | kernel.\n"
    "# Hold a trace against it: kerneldiff check TRACE --lock FILE. Write it anew: kerneldiff lock TRACE -o FILE.\n"
)


def write(lock: Lock) -> str:
    """Write a lock file."""
    lines = [f"kerneldiff-lock: {FORMAT}"]
    lines += [f"device: {edges(escape(lock.device))}"] if lock.device is not None else []
    lines += [f"environment {escape(key, ' :')}: {edges(escape(value))}" for key, value in lock.environment]
    lines.append(f"steps: {lock.steps}")
    lines += ["recording: cut off"] if lock.cut_off else []
    lines += [f"missing: {', '.join(lock.missing)}"] if lock.missing else []
    lines += ["", "[events]"]
    lines += [_line(event, back) for event, back in zip(lock.events, _same_calls(lock.events), strict=True)]
    names = {key: event.name for event in lock.events if (key := name_key(event.name)) != event.name}
    if names:
        lines += ["", "[names]"]
        lines += [f"{key} {edges(escape(name))}" for key, name in sorted(names.items(), key=lambda item: item[1])]
    return _HEAD + "\n".join(lines) + "\n"


def name_key(name: str) -> str:
    """Give what stands for a name on an event's line: itself, or a digest that the table of names resolves.

    >>> name_key("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT")
    'nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT'
    """
    plain = name.isprintable() and "|" not in name and "\\" not in name and name.strip() == name
    if name and plain and len(name) <= LONGEST_NAME and not name.startswith("~"):
        return name
    return f"~{blake2s(name.encode('utf-8', 'surrogatepass'), digest_size=5).hexdigest()}"


def _line(event: GpuEvent, same_call: int | None) -> str:
    chain = ARROW.join(edges(escape(name, ">")) for name in event.chain) or "-"
    label = edges(escape(event.decoded.label)) or "-"
    facts = " ".join(event_facts(event, same_call)) or "-"
    return BAR.join((label, chain, facts, name_key(event.name)))


def _same_calls(events: tuple[GpuEvent, ...]) -> list[int | None]:
    """Say for each event how many lines up its operator call launched another, None for a new call or none."""
    last: dict[int, int] = {}
    found: list[int | None] = []
    for index, event in enumerate(events):
        found.append(index - last[event.call] if event.call in last else None)
        if event.call >= 0:
            last[event.call] = index
    return found


def event_facts(event: GpuEvent, same_call: int | None) -> list[str]:
    """List the facts of an event as ``key=value``, in the order in which a person asks for them."""
    written: list[tuple[str, str | None]] = [
        ("kind", None if event.kind == "kernel" else event.kind),
        ("mnkb", None if event.problem_size is None else dims_text(event.problem_size)),
        ("bytes", _number(event.size_bytes)),
        ("in", None if event.input_shapes is None else shapes_text(event.input_shapes)),
        ("type", None if not event.input_types else escape(event.input_types[0], " ")),
        ("grid", None if event.grid is None else dims_text(event.grid)),
        ("block", None if event.block is None else dims_text(event.block)),
        ("regs", _number(event.registers)),
        ("smem", _number(event.shared_memory)),
        ("hash", _text(event.code_hash)),
        ("config", _text(event.configuration)),
        ("content", _text(event.content_digest)),
        ("collective", _text(event.collective)),
        ("about_ns", _number(event.gpu_ns or None)),
        ("same_call", _number(same_call)),
        ("replayed", "yes" if event.replayed else None),
        ("cut", "yes" if event.decoded.cut else None),
    ]
    return [f"{key}={value}" for key, value in written if value is not None]


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)


def _text(value: str | None) -> str | None:
    return None if value is None else escape(value, " ")
