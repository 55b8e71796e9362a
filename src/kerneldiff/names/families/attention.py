"""Attention: FlashAttention 2 and 3, and PyTorch's memory-efficient kernels.

Sources: csrc/flash_attn/src/flash_fwd_launch_template.h and hopper/mainloop_fwd_sm90_tma_gmma_ws.hpp of
Dao-AILab/flash-attention; aten/src/ATen/native/transformers/cuda/mem_eff_attention of pytorch/pytorch.
"""

from __future__ import annotations

import re

from kerneldiff.names.cxx import Argument, Signature, boolean, integer, signature, template
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import Note, from_groups, ordered
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type, short_type

_EFFICIENT = Pattern(
    r"fmha_cutlass(?P<direction>[FB])_(?P<type>bf16|f16|f32)_(?P<aligned>aligned|notaligned)_(?P<query>\d+)x(?P<key>\d+)"
    r"_(?P<kept>rf|gmem|k(?P<head>\d+))(?P<options>(?:_[a-z]+)*)_(?P<arch>sm\d+)(?:\(.*)?"
)
_EFFICIENT_NOTES: dict[str, Note] = {
    "direction": ("forward or backward", "source"),
    "type": ("element type", "source"),
    "aligned": ("whether the operands must be aligned", "source"),
    "query": ("queries per block", "source"),
    "key": ("keys per block", "source"),
    "kept": ("rf: output kept in registers; gmem: in memory; k: largest head dimension", "source"),
    "options": ("dropout; seqaligned: lengths are multiples of the block", "source"),
    "arch": ("architecture the code was written for", "source"),
}
_HELPERS = (
    "combine",
    "dot_do_o",
    "convert_dq",
    "convert_dkv",
    "Preprocess",
    "Postprocess",
    "postprocess",
    "preprocess",
    "clear_dkvaccum",
)


def _parse(text: str) -> KernelName | None:
    if text.startswith("fmha_cutlass"):
        return _efficient(text)
    if "flash" not in text.lower():
        return None
    read = signature(text)
    if read is None:
        return None
    if read.function == "device_kernel" and "flash::" in text:
        return _version_3(text, read)
    if "flash" in read.scope and not read.scope.startswith("flashinfer"):
        return _version_2(text, read)
    return None


def _efficient(text: str) -> KernelName | None:
    found = _EFFICIENT.fullmatch(text)
    if found is None:
        return None
    element = short_type(found["type"])
    forward = found["direction"] == "F"
    return KernelName(
        name=text,
        family="mem_efficient_attention",
        library="pytorch",
        op="attention_fwd" if forward else "attention_bwd",
        dtype_in=element,
        dtype_acc="f32",
        dtype_out=element if forward else None,
        tile=(int(found["query"]), int(found["key"])),
        epilogue="dropout" if "dropout" in found["options"].split("_") else None,
        arch=found["arch"],
        parts=from_groups(found, _EFFICIENT_NOTES),
    )


def _flags(*named: tuple[str, bool | None]) -> str | None:
    return "+".join(name for name, value in named if value) or None


def _version_2(text: str, read: Signature) -> KernelName:
    library = "pytorch" if read.scope.startswith("pytorch_flash") else "flash_attention2"
    op, helper = _operation(read.function)
    if op == "schedule":
        library = "flash_attention3"  # only version 3 plans its varlen blocks on the device
    traits = template(text, "Flash_fwd_kernel_traits") or template(text, "Flash_bwd_kernel_traits")
    element = _first_type(traits)
    sizes = [integer(argument.text) for argument in traits[:3]]
    is_forward = op == "attention_fwd" and not helper
    flags = [boolean(argument.text) for argument in read.arguments[1:]]
    return KernelName(
        name=text,
        family="flash_attention2",
        library=library,
        op=op,
        dtype_in=element,
        dtype_acc="f32" if element else None,
        dtype_out=element if is_forward else None,
        tile=(sizes[1], sizes[2]) if len(sizes) == 3 and sizes[1] and sizes[2] else None,
        split_k=None,
        epilogue=_epilogue_2(read.function, flags),
        auxiliary=helper,
        parts=_parts(read, traits, op),
    )


def _operation(function: str) -> tuple[str | None, bool]:
    """Operation, and whether the kernel is a helper of another one."""
    if "prepare_varlen" in function:
        return "schedule", True
    helper = any(word in function for word in _HELPERS)
    lowered = function.lower()
    if "bwd" in lowered or "dot_do_o" in function or "convert_d" in function or "backward" in lowered:
        return "attention_bwd", helper
    return ("attention_fwd" if "fwd" in lowered or function == "compute_attn_ws" else None), helper


def _epilogue_2(function: str, flags: list[bool | None]) -> str | None:
    """Flags behind the traits: dropout, causal, local, alibi, ...; split-kv kernels have no dropout."""
    if function.startswith(("flash_fwd_splitkv_combine", "compute_attn")) or len(flags) < 4:
        return None
    if function.startswith("flash_fwd_splitkv"):
        return _flags(("causal", flags[0]), ("local", flags[1]))
    return _flags(("dropout", flags[0]), ("causal", flags[1]), ("local", flags[2]))


def _first_type(arguments: tuple[Argument, ...]) -> str | None:
    words = (cpp_type(argument.text) for argument in arguments)
    return next((word for word in words if word and word != "bool"), None)


def _parts(read: Signature, traits: tuple[Argument, ...], op: str | None) -> tuple[Part, ...]:
    notes = ("head dimension", "queries per block", "keys per block", "warps")
    known = [
        Part(start=argument.start, end=argument.end, meaning=note, certainty="source")
        for argument, note in zip(traits, notes, strict=False)
        if integer(argument.text) is not None
    ]
    meaning = (op or "part of attention").replace("_", " ")
    return ordered([Part(start=read.start, end=read.end, meaning=meaning, certainty="source"), *known])


def _tuple(argument: Argument | None) -> tuple[int, ...]:
    values = re.findall(r"C<\s*(?:\([^()]*\))?(\d+)", argument.text) if argument else []
    return tuple(int(value[:9]) for value in values)


def _version_3(text: str, read: Signature) -> KernelName:
    op, helper = _operation(text[:400])
    main = template(text, "CollectiveMainloopFwdSm90") or template(text, "CollectiveMainloopFwdSm80")
    forward = bool(main)
    main = main or template(text, "CollectiveMainloopBwd") or template(text, "CollectiveMainloopBwdSm90")
    sizes = _tuple(main[2]) if len(main) > 2 else ()
    element = _first_type(main[3:]) or _first_type(template(text, _wrapped(read)))
    arch = re.search(r"cutlass::arch::Sm(\d+)", text)
    causal = _flag_after_arch(main)
    return KernelName(
        name=text,
        # the backward pass that version 3 took over from the package's hopper folder is listed under version 2
        family="flash_attention3" if "FlashAttnFwd" in text else "flash_attention2",
        library="flash_attention3",
        op=op,
        dtype_in=element,
        dtype_acc="f32" if element else None,
        dtype_out=element if forward else None,
        tile=sizes[:2] if len(sizes) >= 2 else None,
        stages=integer(main[0].text) if main else None,
        epilogue=_flags(("causal", causal[0]), ("local", causal[1])) if forward and len(causal) > 1 else None,
        arch=f"sm{arch[1]}" if arch else None,
        auxiliary=helper,
        parts=ordered(
            [
                Part(start=read.start, end=read.end, meaning="entry point of CUTLASS", certainty="source"),
                *_main_parts(main),
            ]
        ),
    )


def _wrapped(read: Signature) -> str:
    found = re.match(r"(?:[\w:]*::)?(\w+)", read.arguments[0].text) if read.arguments else None
    return found[1] if found else "\0"


def _flag_after_arch(main: tuple[Argument, ...]) -> list[bool | None]:
    place = next((index for index, argument in enumerate(main) if "cutlass::arch::Sm" in argument.text), None)
    return [] if place is None else [boolean(argument.text) for argument in main[place + 1 :]]


def _main_parts(main: tuple[Argument, ...]) -> list[Part]:
    notes = ("pipeline stages", "CTAs of a cluster", "queries per block, keys per block, head dimension")
    return [
        Part(start=argument.start, end=argument.end, meaning=note, certainty="source")
        for argument, note in zip(main, notes, strict=False)
    ]


FAMILY = Family(name="attention", parse=_parse)
