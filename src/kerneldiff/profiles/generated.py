"""Traffic of kernels that Inductor generated: their tensor arguments are in the trace, what they write is not."""

from __future__ import annotations

from collections import Counter
from math import prod

from kerneldiff.names.model import KernelName
from kerneldiff.profiles.arguments import Argument, Call, made
from kerneldiff.profiles.explained import Tensor, Traffic

# Kernels that list nothing else read nothing.
_MAKERS = frozenset(
    {"fill", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "arange", "empty", "zero"}
)
# These read an argument in part: at most as many elements as the kernel works on.
_GATHERS = frozenset(
    """embedding gather index index_select _unsafe_index slice select narrow split split_with_sizes unbind chunk
    nll_loss_forward nll_loss2d_forward""".split()
)
LAST_WRITTEN = "which argument a generated kernel writes is not in the trace: the last one is taken"
PERHAPS_IN_PLACE = (
    "whether a generated kernel writes in place is not known, since the shapes before it are not: taken as not"
)
IN_PLACE = "a generated kernel is taken to write in place where all its arguments are results that wait to be read"


def of_inductor(
    call: Call, decoded: KernelName, unread: Counter[tuple[int, str]], *, all_known: bool = True
) -> Traffic | None:
    """Work out the traffic of a generated kernel from its arguments.

    Inductor passes tensors in the order in place, read, written (torch/_inductor/codegen/common.py, KernelArgs), so
    the last is written unless the first is written in place. It is in place when it is the only one, when the last is
    smaller than the largest (a weight), or when as many results of products as there are arguments wait to be read.

    Args:
        call: the launching call, with the kernel's arguments.
        decoded: the kernel's name.
        unread: sizes and types of the products' results that no kernel has read so far.
        all_known: no earlier product's result is missing there.
    """
    tensors = [one for one in call.tensors if one.shape]
    if not tensors:
        return None
    template = decoded.op == "template"
    fused = set(decoded.fused_ops)
    # The only thing that a kernel of one argument can do for an embedding's gradient is to set it to zero.
    if fused and (fused <= _MAKERS or (len(tensors) == 1 and fused == {"embedding_dense_backward"})):
        return Traffic(reads=(), writes=tuple(one.tensor() for one in tensors), lower_bound=False)
    largest = max(one.tensor().elements for one in tensors)
    reduces = decoded.op in ("reduction", "persistent_reduction", "split_scan")
    in_place = len(tensors) == 1 or _all_wait(tensors, unread)
    if not in_place and tensors[-1].tensor().elements < largest and not reduces:
        in_place = tensors[0].tensor().elements == largest
    elif not in_place and reduces and tensors[-1].tensor().elements * 64 < largest:
        # A norm's weights stand last when its result is written in place; a plain reduction's small result does too.
        in_place = _norm(decoded) and tensors[0].tensor().elements == largest
    reads = tensors if in_place else tensors[:-1]
    written = tensors[0] if in_place else tensors[-1]
    most = _work_items(call) if fused & _GATHERS else None
    return Traffic(
        reads=tuple(_in_part(one.tensor(), most) for one in reads),
        writes=(written.tensor(),),
        lower_bound=template or reduces,
        assumptions=() if len(tensors) == 1 else (_assumption(tensors, in_place=in_place, all_known=all_known),),
    )


def _assumption(tensors: list[Argument], *, in_place: bool, all_known: bool) -> str:
    if in_place:
        return IN_PLACE
    alike = tensors[0].dtype == tensors[-1].dtype and tensors[0].tensor().elements == tensors[-1].tensor().elements
    return LAST_WRITTEN if all_known or not alike else PERHAPS_IN_PLACE


def _work_items(call: Call) -> int | None:
    """Give the elements that a kernel works on: the product of its sizes, which stand behind its tensors."""
    sizes = [one.value for one in call.arguments if one.shape is None]
    return prod(int(size) for size in sizes) if sizes and all(size.isdigit() for size in sizes) else None


def _in_part(tensor: Tensor, most: int | None) -> Tensor:
    if most is None or tensor.elements <= most:
        return tensor
    return made((most,), tensor.dtype)


def _all_wait(tensors: list[Argument], unread: Counter[tuple[int, str]]) -> bool:
    needed = Counter((one.tensor().elements, one.dtype) for one in tensors)
    return all(unread[key] >= number for key, number in needed.items())


def _norm(decoded: KernelName) -> bool:
    return any("norm" in op or "softmax" in op for op in decoded.fused_ops)
