"""A lock file's text back into a lock; what is not understood is refused with its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kerneldiff.checks.locks.fields import ARROW, BAR, dims_of, shapes_of, unescape
from kerneldiff.checks.locks.model import FORMAT, STEPS, Lock, Steps, decoded_as
from kerneldiff.errors import PolicyError
from kerneldiff.names import normalise
from kerneldiff.profiles.model import GpuEvent

_KINDS: Final = ("kernel", "memcpy", "memset", "cpu_kernel")


def _one_of_kinds(text: str) -> str:
    if text not in _KINDS:
        raise ValueError(text)
    return text


def _yes(text: str) -> bool:
    if text != "yes":
        raise ValueError(text)
    return True


# Key on the line, field of the event, and how its value is read.
_FACTS: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "kind": ("kind", _one_of_kinds),
    "mnkb": ("problem_size", dims_of),
    "bytes": ("size_bytes", int),
    "in": ("input_shapes", shapes_of),
    "type": ("input_types", lambda text: (unescape(text),)),
    "grid": ("grid", dims_of),
    "block": ("block", dims_of),
    "regs": ("registers", int),
    "smem": ("shared_memory", int),
    "hash": ("code_hash", unescape),
    "config": ("configuration", unescape),
    "content": ("content_digest", unescape),
    "collective": ("collective", unescape),
    "about_ns": ("gpu_ns", int),
    "same_call": ("same_call", int),
    "replayed": ("replayed", _yes),
    "cut": ("cut", _yes),
}


def read(text: str, *, where: str) -> Lock:
    """Read a lock file.

    Args:
        text: the whole file.
        where: its name, for messages.

    Raises:
        PolicyError: when it is none, or of another version; the message names the line.
    """
    return _Reader(text, where).lock()


class _Reader:
    """Goes through the lines once for the sections, then makes the events."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self.sections: dict[str, list[tuple[int, str]]] = {"": []}
        section = ""
        for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), start=1):
            if line.startswith(("<<<<<<< ", "=======", ">>>>>>> ")):
                self.fail(
                    number, "an unresolved merge conflict", "resolve it, or write the lock anew with kerneldiff lock"
                )
            if line in ("[events]", "[names]"):
                section = line
                if section in self.sections:
                    self.fail(number, f"a second {line}", "keep one")
                self.sections[section] = []
            elif line.strip() and not (line.startswith("#") and not section):
                self.sections[section].append((number, line))

    def fail(self, number: int, what: str, remedy: str) -> None:
        """Refuse the file.

        Raises:
            PolicyError: always.
        """
        msg = f"{self.where}, line {number}: {what}; {remedy}"
        raise PolicyError(msg)

    def lock(self) -> Lock:
        header = self.header()
        names = self.names()
        if "[events]" not in self.sections:
            msg = f"{self.where}: no [events] in this lock file; write it anew with kerneldiff lock"
            raise PolicyError(msg)
        return Lock(events=self.events(names), **header)

    def header(self) -> dict[str, Any]:
        lines = self.sections[""]
        first = lines[0] if lines else (1, "")
        key, _, value = first[1].partition(":")
        if key != "kerneldiff-lock":
            self.fail(first[0], "this is no lock file", "it should begin with 'kerneldiff-lock: 1'")
        if value.strip() != str(FORMAT):
            remedy = "write the lock anew with this release: kerneldiff lock TRACE -o FILE"
            self.fail(first[0], f"lock format {value.strip()[:20]!r}, and this release reads format {FORMAT}", remedy)
        found: dict[str, Any] = {"device": None, "steps": None, "cut_off": False, "missing": ()}
        versions = []
        for number, line in lines[1:]:
            key, colon, value = line.partition(": ")
            if not colon:
                self.fail(number, f"not understood: {line[:40]!r}", "a header line is 'key: value'")
            if key.startswith("environment "):
                versions.append((unescape(key.removeprefix("environment ")), unescape(value)))
            else:
                self._header_line(found, number, key, value)
        if found["steps"] is None:
            self.fail(first[0], "the header lacks 'steps'", f"it is one of {', '.join(STEPS)}")
        return found | {"environment": tuple(versions)}

    def _header_line(self, found: dict[str, Any], number: int, key: str, value: str) -> None:
        if key == "device":
            found["device"] = unescape(value)
        elif key == "steps" and value in STEPS:
            steps: Steps = next(step for step in STEPS if step == value)
            found["steps"] = steps
        elif key == "recording" and value == "cut off":
            found["cut_off"] = True
        elif key == "missing":
            found["missing"] = tuple(value.split(", "))
        else:
            self.fail(
                number, f"not understood: {key[:40]!r}: {value[:40]!r}", "write the lock anew with kerneldiff lock"
            )

    def names(self) -> dict[str, str]:
        found = {}
        for number, line in self.sections.get("[names]", ()):
            key, _, name = line.partition(" ")
            if not key.startswith("~"):
                self.fail(number, f"not understood: {line[:40]!r}", "a line of [names] is '~digest name'")
            found[key] = unescape(name)
        return found

    def events(self, names: dict[str, str]) -> tuple[GpuEvent, ...]:
        found: list[GpuEvent] = []
        for number, line in self.sections["[events]"]:
            parts = line.split(BAR)
            if len(parts) != 4:
                self.fail(
                    number, f"{len(parts)} fields between bars", "an event has four: label | operators | facts | kernel"
                )
            _, operators, facts, key = parts
            if key.startswith("~") and key not in names:
                self.fail(number, f"{key} is not in [names]", "restore its line there, or write the lock anew")
            chain = () if operators == "-" else tuple(unescape(name) for name in operators.split(ARROW))
            values = self.facts(number, facts)
            back = values.pop("same_call", None)
            if back is not None and not 1 <= back <= len(found):
                self.fail(number, f"same_call={back} points before the first event", "write the lock anew")
            call = found[len(found) - back].call if back else (len(found) if chain else -1)
            found.append(_event(names.get(key, key), chain, call, values))
        return tuple(found)

    def facts(self, number: int, text: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for part in text.split(" ") if text != "-" else ():
            key, _, value = part.partition("=")
            if key not in _FACTS:
                self.fail(number, f"unknown fact {key[:40]!r}", f"known are {', '.join(_FACTS)}")
            field, of = _FACTS[key]
            try:
                found[field] = of(value)
            except ValueError:
                self.fail(number, f"{key}={value[:40]!r} cannot be read", "restore it, or write the lock anew")
        return found


def _event(name: str, chain: tuple[str, ...], call: int, values: dict[str, Any]) -> GpuEvent:
    normalised = normalise(name)
    decoded = decoded_as(normalised, chain, cut=values.pop("cut", False))
    return GpuEvent(
        name=normalised, normalised=normalised, decoded=decoded, chain=chain, call=call, **({"kind": "kernel"} | values)
    )
