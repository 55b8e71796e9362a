"""The short text of a decoded name, for tables of 80 columns.

Two names whose decoded facts differ never share a label: what is left out is a default of its family, and a
label that would be too long ends in a digest of the facts.
"""

from __future__ import annotations

import re
from hashlib import blake2s

from kerneldiff.names.model import KernelName

LONGEST = 64
_HEADS = {"inductor_triton": "inductor", "triton": "triton", "nccl": "nccl"}
_NATIVE_ARCH = {"nvjet": "sm90"}


def label(decoded: KernelName) -> str:
    """A label such as ``nvjet gemm bf16 tn 256x128x64 s4 +bias``."""
    words = [_head(decoded), decoded.op or _function(decoded), *_facts(decoded)]
    text = " ".join(word for word in words if word)
    text = "".join(character if character.isprintable() else "\ufffd" for character in text)
    if len(text) <= LONGEST:
        return text
    digest = blake2s(text.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()
    return f"{text[: LONGEST - 7]}~{digest}"


def _head(decoded: KernelName) -> str:
    if decoded.family == "nvjet":
        return "nvjet"
    library = decoded.library or decoded.family
    head = _HEADS.get(library, library)
    detail = {"cutlass2x": "cutlass2", "cutlass3x": "cutlass3", "xmma_gemm": "xmma", "xmma_conv": "xmma"}.get(
        decoded.family
    )
    return f"{head}/{detail}" if detail else head


def _function(decoded: KernelName) -> str:
    """The bare function name of a kernel whose operation is not known."""
    text = decoded.demangled or decoded.name
    head = re.match(r"(?:void |static )*((?:\(anonymous namespace\)|<unnamed>|[^<(\s])*)", text)
    return (head[1].rpartition("::")[2] if head else "") or text


def _facts(decoded: KernelName) -> list[str | None]:
    tile = "x".join(str(size) for size in decoded.tile) if decoded.tile else None
    return [
        _types(decoded),
        decoded.layout,
        tile,
        f"s{decoded.stages}" if decoded.stages is not None else None,
        {True: "splitk", False: "nosplitk", None: None}[decoded.split_k],
        f"+{decoded.epilogue}" if decoded.epilogue else None,
        _arch(decoded),
        ",".join(decoded.fused_ops) or None,
        "..." if decoded.cut else None,
    ]


def _arch(decoded: KernelName) -> str | None:
    usual = _NATIVE_ARCH.get(decoded.family)
    if decoded.arch == usual:
        return None
    return decoded.arch or "sm?"


def _types(decoded: KernelName) -> str | None:
    """``bf16`` for bf16 in and out with an f32 (or no) accumulator; else ``in(acc)->out``."""
    given, acc, out = decoded.dtype_in, decoded.dtype_acc, decoded.dtype_out
    if given is None and acc is None and out is None:
        return None
    middle = "" if acc == _usual_accumulator(decoded) else f"({acc or '?'})"
    return f"{given or '?'}{middle}" + ("" if out == given else f"->{out or '?'}")


def _usual_accumulator(decoded: KernelName) -> str | None:
    if decoded.op in ("gemm", "gemv", "splitk_reduce") or decoded.family in ("xmma_conv", "cudnn_sass_conv"):
        return "f64" if decoded.dtype_in == "f64" else "f32"
    return None
