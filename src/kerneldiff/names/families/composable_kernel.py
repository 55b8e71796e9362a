"""AMD's composable kernel (``ck::``) and CK Tile (``ck_tile::kentry<...>``): C++ templates, mostly mangled in traces.

In old builds of CK bf16 is ``unsigned short`` (ck::bhalf_t), in new ones ``std::bfloat16_t``.
"""

from __future__ import annotations

import re

from kerneldiff.names.cxx import Argument, Signature, integer, signature, template
from kerneldiff.names.model import Family, KernelName, Part
from kerneldiff.names.parts import ordered
from kerneldiff.names.types import cpp_type

_OPS: tuple[tuple[str, str], ...] = (
    ("conv_fwd", "conv_fprop"),
    ("conv_bwd_data", "conv_dgrad"),
    ("conv_bwd_weight", "conv_wgrad"),
    ("bwd_weight", "conv_wgrad"),
    ("moe_gemm", "moe_gemm"),
    ("MoeGemm", "moe_gemm"),
    ("grouped_gemm", "grouped_gemm"),
    ("FmhaBwd", "attention_bwd"),
    ("Fmha", "attention_fwd"),
    ("Rmsnorm", "rms_norm"),
    ("rmsnorm", "rms_norm"),
    ("Layernorm", "layer_norm"),
    ("layernorm", "layer_norm"),
    ("softmax", "softmax"),
    ("Moe", "moe_gemm"),
    ("contraction", "gemm"),
    ("gemm", "gemm"),
    ("Gemm", "gemm"),
    ("elementwise", "elementwise"),
    ("Reduce", "reduce"),
)
Types = tuple[str | None, str | None, str | None]


def _parse(text: str) -> KernelName | None:
    if "ck::" not in text and "ck_tile::" not in text:
        return None
    read = signature(text)
    if read is None or not read.scope.startswith(("ck::", "ck_tile")):
        return None
    tiled = read.scope.startswith("ck_tile")
    subject = read.arguments[-1].text if tiled and read.arguments else read.function
    op = next((op for word, op in _OPS if word in subject), None)
    dtype_in, acc, dtype_out = _tile_types(text) if tiled else _types(text)
    return KernelName(
        name=text,
        family="ck",
        library="ck_tile" if tiled else "ck",
        op=op,
        dtype_in=dtype_in,
        dtype_acc=acc,
        dtype_out=dtype_out,
        parts=_parts(read, op),
    )


def _parts(read: Signature, op: str | None) -> tuple[Part, ...]:
    meaning = (op or "kernel of composable kernel").replace("_", " ")
    return ordered([Part(start=read.start, end=read.end, meaning=meaning, certainty="inferred")])


def _element(text: str) -> str | None:
    """A type; ``unsigned short`` is how old builds spell bf16."""
    return "bf16" if text == "unsigned short" else cpp_type(text)


def _types(text: str) -> Types:
    """The first run of types among the arguments of the gridwise product: A, B, accumulator, shuffle, ..., D."""
    found = re.search(r"Gridwise\w+", text)
    arguments = template(text, found[0]) if found else ()
    run = _run(arguments)
    if len(run) < 3:
        return (run[0] if run else None), None, None
    inputs = ",".join(dict.fromkeys(run[:2]))
    acc = next((word for word in run if word in ("f32", "f64", "i32")), None)
    after = run[run.index(acc) + 1 :] if acc else []
    return inputs, acc, after[-1] if after else None


def _run(arguments: tuple[Argument, ...]) -> list[str]:
    run: list[str] = []
    for argument in arguments:
        word = _element(argument.text)
        if word and integer(argument.text) is None:
            run.append(word)
        elif run and not argument.text.startswith("ck::Tuple"):
            break
    return run


def _tile_types(text: str) -> Types:
    """``...PipelineProblem<X, gamma, compute, Y, ...>``: the input first, f32 is what is computed in."""
    found = re.search(r"\w+PipelineProblem", text)
    run = _run(template(text, found[0])) if found else []
    if not run:
        return None, None, None
    acc = next((word for word in run if word in ("f32", "f64", "i32")), None)
    output = next((word for word in run[run.index(acc) :] if word != acc), None) if acc else None
    return run[0], acc, output


FAMILY = Family(name="ck", parse=_parse)
