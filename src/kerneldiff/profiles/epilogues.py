"""Where the bias and the activation of each product were done."""

from __future__ import annotations

from collections.abc import Sequence

from kerneldiff.names.operations import CONVOLUTION, GEMM
from kerneldiff.profiles.explained import BiasPlace, Epilogue, Traffic
from kerneldiff.profiles.model import GpuEvent

_BIASED = frozenset({"aten::addmm", "aten::_addmm_activation", "aten::baddbmm", "aten::addmv"})
ACTIVATIONS = (
    "relu", "gelu", "silu", "sigmoid", "tanh", "leaky_relu", "elu", "softplus", "mish", "hardswish", "hardtanh",
    "hardsigmoid", "selu", "relu6", "clamp_min", "clamp",
)  # fmt: skip
_NAMES = {"clamp_min": "relu", "clamp": "relu", "gelu_tanh": "gelu", "gelu_erf": "gelu"}


def epilogues(events: tuple[GpuEvent, ...], traffic: Sequence[Traffic | None]) -> tuple[Epilogue, ...]:
    """Say for each product with a bias, an addend or an activation behind it where that was done.

    Args:
        events: GPU events of a step, in launch order.
        traffic: of each event, None where shapes do not tell.
    """
    calls: dict[int, list[int]] = {}
    for index, event in enumerate(events):
        if event.call >= 0:
            calls.setdefault(event.call, []).append(index)
    found: list[Epilogue] = []
    for index, event in enumerate(events):
        if event.kind != "kernel" or event.decoded.auxiliary or event.decoded.op not in GEMM | CONVOLUTION:
            continue
        siblings = [other for other in calls.get(event.call, []) if other != index]
        bias = _bias(events, index, siblings, traffic)
        if bias is not None:
            found.append(bias)
        after = _activation(events, index, siblings, traffic)
        if after is not None:
            found.append(after)
    return tuple(found)


def _bias(
    events: Sequence[GpuEvent], index: int, siblings: Sequence[int], traffic: Sequence[Traffic | None]
) -> Epilogue | None:
    event = events[index]
    operator = event.operator
    if operator is None:
        return None
    if operator in _BIASED:
        what = _addend(event)
    elif operator == "aten::_scaled_mm" and _has_scaled_bias(event):
        what = "bias"
    elif event.decoded.op in CONVOLUTION:
        return _convolution_bias(events, index, traffic)
    else:
        return None
    place, by, proof = _place_of_bias(events, index, siblings)
    saved = 0 if place in ("gemm-epilogue", "one-kernel", "split-k-reduction") else _round_trip(traffic[index], place)
    return Epilogue(operator=operator, event=index, what=what, place=place, by=by, proof=proof, bytes_to_save=saved)


def _addend(event: GpuEvent) -> str:
    """Tell a bias (a vector) from a matrix that is added; a vector unless the shapes say otherwise."""
    first = event.input_shapes[0] if event.input_shapes else None
    return "addend" if first is not None and len(first) >= 2 and min(first) > 1 else "bias"


def _has_scaled_bias(event: GpuEvent) -> bool:
    """``_scaled_mm(self, mat2, scale_a, scale_b, bias, ...)``: an absent bias has no type."""
    types = event.input_types
    return bool(types) and len(types) > 4 and types[4] not in ("", "Scalar") if types else False


def _place_of_bias(
    events: Sequence[GpuEvent], index: int, siblings: Sequence[int]
) -> tuple[BiasPlace, int | None, str]:
    decoded = events[index].decoded
    copies = [other for other in siblings if other < index and _copies(events[other])]
    if copies:
        how = "a copy" if events[copies[0]].kind == "memcpy" else "a copy kernel"
        return "copied-and-accumulated", copies[0], f"{how} runs before the GEMM in the same call"
    if _names(decoded.epilogue, "bias"):
        return "gemm-epilogue", None, "the kernel's name says bias"
    for other in siblings:
        theirs = events[other].decoded
        if theirs.op == "splitk_reduce" and _names(theirs.epilogue, "bias"):
            return "split-k-reduction", other, "the reduction's name says bias"
    for other in siblings:
        theirs = events[other].decoded
        if theirs.op == "gemm_epilogue":
            return "separate-kernel", other, "cuBLASLt runs its epilogue as a kernel of its own"
    others = [other for other in siblings if events[other].kind == "kernel"]
    if not others:
        return "one-kernel", None, "no other kernel ran in the call; the name does not tell"
    reductions = [other for other in others if events[other].decoded.op == "splitk_reduce"]
    if reductions:
        return "split-k-reduction", reductions[0], "only the GEMM and its split-k reduction ran; the names do not tell"
    return "unknown", None, "other kernels ran in the same call, and no name tells"


def _names(epilogue: str | None, word: str) -> bool:
    """Tell whether a decoded epilogue says what ran, not only what the kernel could do."""
    return bool(epilogue) and not str(epilogue).endswith("_capable") and word in str(epilogue).lower()


def _copies(event: GpuEvent) -> bool:
    return event.kind == "memcpy" or (event.decoded.op == "copy" and event.decoded.library == "aten")


def _round_trip(moved: Traffic | None, place: BiasPlace) -> int | None:
    """Give the bytes that the epilogue would save: the result is not written once more and not read back."""
    if place == "unknown" or moved is None or not moved.writes:
        return None
    return 2 * moved.writes[0].size_bytes


def _convolution_bias(events: Sequence[GpuEvent], index: int, traffic: Sequence[Traffic | None]) -> Epilogue | None:
    """PyTorch adds the bias of a cuDNN convolution by an ``add_`` below ``aten::_convolution``."""
    event = events[index]
    after = _next_kernel(events, index)
    if after is None or event.operator is None:
        return None
    other = events[after]
    outer = "aten::_convolution"
    if outer not in event.chain or outer not in other.chain or other.operator not in ("aten::add_", "aten::add"):
        return None
    return Epilogue(
        operator=event.operator,
        event=index,
        what="bias",
        place="separate-kernel",
        by=after,
        proof="an add below aten::_convolution follows the convolution",
        bytes_to_save=_round_trip(traffic[index], "separate-kernel"),
    )


def _activation(
    events: Sequence[GpuEvent], index: int, siblings: Sequence[int], traffic: Sequence[Traffic | None]
) -> Epilogue | None:
    event = events[index]
    if event.operator is None:
        return None
    for word in ACTIVATIONS:
        if _names(event.decoded.epilogue, word):
            return _in_epilogue(event, index, word)
    for other in siblings:
        theirs = events[other].decoded
        named = _activation_in(theirs.epilogue or "")
        if named and theirs.op in ("splitk_reduce", "gemm_epilogue") and _names(theirs.epilogue, named):
            return Epilogue(
                operator=event.operator,
                event=index,
                what=_NAMES.get(named, named),
                place="split-k-reduction" if theirs.op == "splitk_reduce" else "separate-kernel",
                by=other,
                proof=f"the helper's name says {named}",
                bytes_to_save=0 if theirs.op == "splitk_reduce" else _round_trip(traffic[index], "separate-kernel"),
            )
    return _separate_activation(events, index, traffic)


def _in_epilogue(event: GpuEvent, index: int, word: str) -> Epilogue:
    return Epilogue(
        operator=event.operator or "",
        event=index,
        what=_NAMES.get(word, word),
        place="gemm-epilogue",
        by=None,
        proof=f"the kernel's name says {word}",
        bytes_to_save=0,
    )


def _activation_in(text: str) -> str | None:
    return next((word for word in ACTIVATIONS if word in text.lower()), None)


def _separate_activation(events: Sequence[GpuEvent], index: int, traffic: Sequence[Traffic | None]) -> Epilogue | None:
    """Look at the next kernel: an activation that reads something as large as the product's result."""
    after = _next_kernel(events, index)
    if after is None:
        return None
    other = events[after]
    word = _activates(other)
    if word is None or other.stream != events[index].stream:
        return None
    mine, theirs = traffic[index], traffic[after]
    proof = "the next kernel on the stream is the activation; shapes were not recorded"
    if mine is not None and theirs is not None:
        result = mine.writes[0]
        if all((one.elements, one.dtype) != (result.elements, result.dtype) for one in theirs.reads):
            return None
        proof = "the next kernel is the activation, and reads as much as the product wrote"
    return Epilogue(
        operator=events[index].operator or "",
        event=index,
        what=word,
        place="separate-kernel",
        by=after,
        proof=proof,
        bytes_to_save=_round_trip(mine, "separate-kernel"),
    )


def _activates(event: GpuEvent) -> str | None:
    """Name the activation that an elementwise kernel does; backward kernels do none."""
    if event.decoded.op not in ("elementwise", "pointwise") or any("backward" in op for op in event.decoded.fused_ops):
        return None
    operator = (event.operator or "").removeprefix("aten::").strip("_")
    for op in (*event.decoded.fused_ops, operator):
        name = _NAMES.get(op, op)
        if op in ACTIVATIONS or name in ACTIVATIONS:
            return name
    return None


def _next_kernel(events: Sequence[GpuEvent], index: int) -> int | None:
    """Find the next kernel that does work of its own."""
    for other in range(index + 1, len(events)):
        if events[other].kind == "kernel" and not events[other].decoded.auxiliary:
            return other
    return None
