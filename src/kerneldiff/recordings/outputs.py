"""Whether a variant computes the same: outputs and gradients, with tolerances by type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from kerneldiff.recordings.devices import import_torch
from kerneldiff.recordings.model import OutputCheck, Program

# How far results may lie apart, as ||a - b|| / ||a||: a few roundings of the type (2**-8 for bfloat16, 2**-11 for
# float16), which add up over sums, and which a fused kernel leaves out between its operators. float32 allows for
# TF32 products, which round to 2**-11 as well.
TOLERANCES: Final = {"float64": 1e-9, "float32": 2e-3, "float16": 5e-3, "bfloat16": 3e-2}
_OTHER_FLOATS: Final = 2e-1  # float8 and the like


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What the first step after making a program yielded, on the CPU: (name, tensor)."""

    outputs: tuple[tuple[str, Any], ...]
    gradients: tuple[tuple[str, Any], ...]


def first_step(program: Program) -> Results:
    """Run one step, and keep what it returns and the gradients that it leaves."""
    made = program.step()
    gradients = [
        (name, parameter.grad.detach().to("cpu", copy=True))
        for module in program.modules
        if hasattr(module, "named_parameters")
        for name, parameter in module.named_parameters()
        if parameter.grad is not None
    ]
    return Results(outputs=tuple(_tensors(made, "output")), gradients=tuple(gradients))


def _tensors(value: object, place: str) -> list[tuple[str, Any]]:
    """List the tensors in nested results, with where they stand."""
    torch = import_torch()
    if isinstance(value, torch.Tensor):
        return [(place, value.detach().to("cpu", copy=True))]
    if isinstance(value, dict):
        return [one for key, part in value.items() for one in _tensors(part, f"{place}[{key!r}]")]
    if isinstance(value, list | tuple):
        return [one for index, part in enumerate(value) for one in _tensors(part, f"{place}[{index}]")]
    return []


def compare(variant: str, build: int, results: Results, reference: Results, first: str) -> OutputCheck:
    """Compare the results of a variant with those of the first."""
    if not reference.outputs and not reference.gradients:
        text = f"{variant}: the step returns no tensors, so whether it computes what {first} computes was not checked"
        return OutputCheck(variant=variant, build=build, equal=None, text=text)
    for what, ours, theirs in (
        ("outputs", reference.outputs, results.outputs),
        ("gradients", reference.gradients, results.gradients),
    ):
        wrong = _first_difference(ours, theirs, what)
        if wrong:
            text = f"{variant} does not compute what {first} computes: {wrong}"
            return OutputCheck(variant=variant, build=build, equal=False, text=text)
    furthest = max((_distance(a, b) for (_, a), (_, b) in _pairs(reference, results)), default=0.0)
    counted = _count(len(reference.outputs), "output")
    counted += f" and {_count(len(reference.gradients), 'gradient')}" if reference.gradients else ""
    text = f"{variant} computes what {first} computes: {counted} compared, {furthest:.1e} apart at most"
    return OutputCheck(variant=variant, build=build, equal=True, text=text)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _pairs(reference: Results, results: Results) -> list[tuple[tuple[str, Any], tuple[str, Any]]]:
    return [
        *zip(reference.outputs, results.outputs, strict=True),
        *zip(reference.gradients, results.gradients, strict=True),
    ]


def _first_difference(ours: Sequence[tuple[str, Any]], theirs: Sequence[tuple[str, Any]], what: str) -> str | None:
    if len(ours) != len(theirs):
        return f"{len(ours)} {what} against {len(theirs)}"
    for (place, one), (_, other) in zip(ours, theirs, strict=True):
        wrong = _difference(one, other)
        if wrong:
            return f"{what}, {place}: {wrong}"
    return None


def _difference(one: Any, other: Any) -> str | None:  # noqa: ANN401 - tensors
    torch = import_torch()
    if one.shape != other.shape:
        return f"shape {tuple(one.shape)} against {tuple(other.shape)}"
    if one.dtype != other.dtype:
        return f"type {_type(one)} against {_type(other)}"
    if not one.is_floating_point() and not one.is_complex():
        wrong = int((one != other).sum())
        return f"{wrong} of {one.numel()} values differ" if wrong else None
    a, b = _doubles(one), _doubles(other)
    odd = ~torch.isfinite(a)
    if not torch.equal(odd, ~torch.isfinite(b)):
        return "not-a-number or infinity in other places"
    apart, allowed = _distance(one, other), tolerance(one)
    if apart > allowed:
        return f"{apart:.1e} apart (of the norm), {allowed:.0e} allowed for {_type(one)}"
    return None


def tolerance(tensor: Any) -> float:  # noqa: ANN401 - a tensor
    """Give the distance that is allowed for a tensor's type."""
    return TOLERANCES.get(_type(tensor), _OTHER_FLOATS)


def _distance(one: Any, other: Any) -> float:  # noqa: ANN401 - tensors
    torch = import_torch()
    if not one.is_floating_point() and not one.is_complex():
        return 0.0
    a, b = _doubles(one), _doubles(other)
    finite = torch.isfinite(a)
    norm = float(torch.linalg.vector_norm(a[finite]))
    apart = float(torch.linalg.vector_norm((a - b)[finite]))
    return apart / norm if norm else apart


def _doubles(tensor: Any) -> Any:  # noqa: ANN401 - tensors
    torch = import_torch()
    return (torch.view_as_real(tensor) if tensor.is_complex() else tensor).to(torch.float64)


def _type(tensor: Any) -> str:  # noqa: ANN401 - a tensor
    return str(tensor.dtype).removeprefix("torch.")
