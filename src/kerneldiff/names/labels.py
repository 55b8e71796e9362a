"""The short text of a decoded name, for tables of 80 columns.

Two names whose decoded facts differ never share a label: what is left out is implied by the rest, and a
label that would be too long ends in a digest of the whole.
"""

from __future__ import annotations

import re
from zlib import crc32

from kerneldiff.names.model import KernelName
from kerneldiff.names.operations import WORDS, heavy

LONGEST = 56
_SHORT = {
    "inductor_triton": "inductor",
    "inductor_cpp": "inductor",
    "flash_attention2": "flash2",
    "flash_attention3": "flash3",
}
_SHORT_EPILOGUE = {
    "activation": "act", "scale_alpha_vec": "alphavec", "outer_vector_scale": "ovscale", "mxfp8_scale": "mxfp8",
    "nvfp4_scale": "nvfp4", "residual_add": "residual",
}  # fmt: skip
_GRAMMARS = {
    "cutlass2x": "cutlass2",
    "cutlass3x": "cutlass3",
    "xmma_gemm": "xmma",
    "xmma_conv": "xmma",
    "cublas_gemv_splitk_dot": None,
    "cudnn_sdpa": None,
    "cudnn_sass_conv": "sass",
    "flash_attention2": None,
    "mem_efficient_attention": "efficient",
    "inductor_cpp": "cpp",
    "operator": None,
    "other": None,
    "memcpy": None,
    "memset": None,
}
_HOMES = {
    "cublas": "cublas_legacy_gemm",
    "cutlass": "cutlass3x",
    "hipblaslt": "tensile_cijk",
    "rocblas": "tensile_cijk",
    "pytorch": "flash_attention2",
    "triton": "user_triton",
    "triton_kernels": "triton_kernels_ogs",
    "transformer_engine": "transformer_engine_ln",
    "deepseek": "deepseek_inhouse",
    "cub": "rocprim_hipcub",
    "rocprim": "rocprim_hipcub",
    "hipcub": "rocprim_hipcub",
    "thrust": "rocprim_hipcub",
    "ck_tile": "ck",
}
_SUMS = frozenset({"sum", "mean", "norm", "var"})
_WITH_SUMS = frozenset(
    {
        "splitk_reduce", "softmax", "softmax_bwd", "layer_norm", "layer_norm_bwd", "batch_norm_fwd", "batch_norm_bwd",
        "dot", "dot_reduce", "rms_norm", "rms_norm_bwd",
    }
)  # fmt: skip
_ALWAYS_HELPERS = frozenset({"splitk_reduce", "gemm_epilogue", "dot_reduce", "memset", "scal"})
_EXPECTED_ARCH = {"nvjet": "sm90"}


def label(decoded: KernelName) -> str:
    """A label such as ``nvjet gemm bf16 tn 256x128x64 s4 +bias`` or ``aten gelu_tanh bf16``."""
    words = (
        [_head(decoded), _work(decoded), *_facts(decoded)] if decoded.library != "triton" else _function_only(decoded)
    )
    text = " ".join(word for word in words if word)
    text = "".join(character if character.isprintable() else "\ufffd" for character in text)
    if len(text) <= LONGEST:
        return text
    digest = crc32(text.encode("utf-8", "surrogatepass"))
    return f"{text[: LONGEST - 9]}~{digest:08x}"


def _function_only(decoded: KernelName) -> list[str]:
    """A hand-written kernel is known by its function: all that is decoded was read from that name."""
    return ["triton", decoded.name, *(["..."] if decoded.cut else [])]


def _head(decoded: KernelName) -> str:
    """The library, with the grammar where the library has several."""
    if decoded.family == "nvjet":
        return "nvjet"
    library = decoded.library
    if library is None:
        return decoded.family
    shown = _SHORT.get(library, library)
    if decoded.family in (library, _HOMES.get(library)) and decoded.family != "inductor_cpp":
        return shown
    grammar = _GRAMMARS.get(decoded.family, decoded.family)
    if decoded.family == "cublas_gemv_splitk_dot" and decoded.op == "gemm":
        grammar = "small"
    return f"{shown}/{grammar}" if grammar else shown


def _work(decoded: KernelName) -> str:
    """The operation with its operators; what one implies of the other is not said twice."""
    operators = ",".join(decoded.fused_ops)
    if decoded.family == "inductor_cpp":
        return operators
    if decoded.op is None:
        return f"{_function(decoded)} {operators}" if operators else _function(decoded)
    if decoded.library == "aten":
        if operators == decoded.op or (decoded.op == "elementwise" and operators and operators not in WORDS):
            return operators
        return f"{decoded.op} {operators or '?'}"
    return f"{decoded.op} {operators}" if operators else decoded.op


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
        _split(decoded),
        _epilogue(decoded),
        _arch(decoded),
        "helper" if decoded.auxiliary and decoded.op not in _ALWAYS_HELPERS else None,
        "..." if decoded.cut else None,
    ]


def _split(decoded: KernelName) -> str | None:
    expected: bool | None = None
    if decoded.op == "splitk_reduce":
        expected = True
    elif decoded.family == "triton_kernels_ogs" or (decoded.family.startswith("xmma") and decoded.arch == "sm90"):
        expected = False
    if decoded.split_k == expected:
        return None
    return {True: "splitk", False: "nosplitk", None: "splitk?"}[decoded.split_k]


def _epilogue(decoded: KernelName) -> str | None:
    """``+bias`` for what ran, ``(bias)`` for what the kernel only can do."""
    if decoded.epilogue is None:
        return None
    able = decoded.epilogue.removesuffix("_capable")
    words = "+".join(_SHORT_EPILOGUE.get(word, word) for word in able.split("+"))
    return f"+{words}" if able == decoded.epilogue else f"({words})"


def _arch(decoded: KernelName) -> str | None:
    usual = _EXPECTED_ARCH.get(decoded.family)
    if decoded.arch == usual:
        return None
    return decoded.arch or "sm?"


def _types(decoded: KernelName) -> str | None:
    """``bf16`` where input and output agree and the accumulator is the usual one; else ``in(acc)->out``."""
    given, acc, out = decoded.dtype_in, decoded.dtype_acc, decoded.dtype_out
    if given is None and acc is None and out is None:
        return None
    middle = "" if acc == _usual_accumulator(decoded) else f"({acc or '?'})"
    return f"{given or '?'}{middle}" + ("" if out == given else f"->{out or '?'}")


def _usual_accumulator(decoded: KernelName) -> str | None:
    """The accumulator that need not be said: f32 (f64 for f64) where sums are kept, none where there are no sums."""
    sums = decoded.op == "reduce" and not _SUMS.isdisjoint(decoded.fused_ops)
    if decoded.dtype_in is None or not (sums or heavy(decoded.op) or decoded.op in _WITH_SUMS):
        return None
    return decoded.dtype_in if decoded.dtype_in in ("f64", "c64", "c128") else "f32"
