"""Whether a matrix product is of an expected kind: yes, no, or not known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kerneldiff.checks.expectations.model import Gemm
from kerneldiff.checks.facts import operand
from kerneldiff.diffs.operators import bare
from kerneldiff.profiles.explained import Epilogue
from kerneldiff.profiles.model import GpuEvent, Profile


def is_kind(run: Profile, index: int, wanted: Gemm) -> bool | None:
    """Hold a product against what is expected; None where the trace does not say."""
    event = run.events[index]
    answers = [
        matches(event, value) for name, matches in _FACTS.items() if (value := getattr(wanted, name)) is not None
    ]
    if wanted.epilogue is not None:
        answers.append(_epilogue(run, index, wanted.epilogue))
    if False in answers:
        return False
    return None if None in answers else True


def _type(event: GpuEvent, wanted: str) -> bool | None:
    found = operand(event)
    return None if found is None else found == wanted


def _layout(event: GpuEvent, wanted: str) -> bool | None:
    found = event.decoded.layout
    return None if found is None else found == wanted.lower()


def _tile(event: GpuEvent, wanted: str) -> bool | None:
    found = event.decoded.tile
    return None if found is None else "x".join(str(size) for size in found) == wanted.replace(" ", "")


def _library(event: GpuEvent, wanted: str) -> bool | None:
    found = event.decoded.library
    return None if found is None else found == wanted


def _operator(event: GpuEvent, wanted: str) -> bool | None:
    if not event.chain:
        return None
    return wanted in event.chain or any(bare(name) == bare(f"::{wanted}") for name in event.chain)


_FACTS: Final[dict[str, Callable[[GpuEvent, str], bool | None]]] = {
    "type": _type,
    "layout": _layout,
    "tile": _tile,
    "library": _library,
    "operator": _operator,
}


def _epilogue(run: Profile, index: int, wanted: str) -> bool | None:
    """Say whether something is done inside a product: as its name proves, or since no other kernel did it."""
    named = run.events[index].decoded.epilogue
    if wanted == "none":
        return None if named is None else False
    if named is not None and not named.endswith("_capable") and wanted in named.split("+"):
        return True
    placed = run.explained.epilogues if run.explained is not None else ()
    found = [one for one in placed if one.event == index and one.what == wanted]
    if found:
        return _placed(found[0])
    able = named is not None and named.endswith("_capable") and wanted in named.removesuffix("_capable").split("+")
    return None if able else False


def _placed(epilogue: Epilogue) -> bool | None:
    if epilogue.place == "unknown":
        return None
    return epilogue.place in ("gemm-epilogue", "one-kernel")


def epilogue_text(run: Profile, index: int) -> str:
    """Say what is known of a product's epilogue."""
    named = run.events[index].decoded.epilogue
    placed = run.explained.epilogues if run.explained is not None else ()
    said = [f"{one.what}: {one.place} ({one.proof})" for one in placed if one.event == index]
    return "; ".join([f"the name says {named}" if named else "the name says nothing", *said])
