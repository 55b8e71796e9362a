"""cuBLAS matrix products for Hopper and newer: ``nvjet_<arch>_<types>_<tile>_<k>x<stages>_...``.

NVIDIA does not document these names. The readings rest on launches of known problems
(docs/kernel-names.md says which, field by field).
"""

from __future__ import annotations

import re

from kerneldiff.names.model import Family, KernelName
from kerneldiff.names.parts import Note, from_groups, from_words, ordered
from kerneldiff.names.patterns import Pattern

_NAME = Pattern(
    r"nvjet(?:_(?P<arch>sm\d+[af]?))?"
    r"_(?P<types>[a-z]{3,5})(?:_(?P<math>tf32))?"
    r"(?:_(?P<mma>mma)_(?P<mma_m>\d+)x(?P<mma_n>\d+)x(?P<mma_k>\d+)_(?P<mma_stages>\d+)_(?P<warp>\d+x\d+x\d+)"
    r"|_(?P<m>\d+)x(?P<n>\d+)_(?P<k>\d+)x(?P<stages>\d+)_(?P<cluster>\d+x\d+(?:x\d+)?[a-z]?))"
    r"(?P<options>(?:_[A-Za-z0-9]+){0,12}?)"
    r"_(?P<layout>[NT]{2})(?P<side>[NT])(?P<fourth>[NT])?"
)
_LETTERS = {"t": "bf16", "h": "f16", "s": "f32", "q": "e4m3", "r": "e5m2", "o": "fp4"}
_EPILOGUES = {
    "badd": "beta",
    "bias": "bias",
    "relubias": "bias+relu",
    "gelubias": "bias+gelu",
    "relu": "relu",
    "gelu": "gelu",
}
_SCALES = {
    "Avec32UE8M0": "mxfp8_scale",
    "Avec16UE4M3": "nvfp4_scale",
    "Avec32UE4M3": "nvfp4_scale",
    "ovscale": "outer_vector_scale",
}
_NOTES: dict[str, Note] = {
    "arch": ("architecture the binary was built for", "inferred"),
    "math": ("f32 operands multiplied as TF32", "inferred"),
    "mma": ("form with warp-level MMA (sm_120)", "inferred"),
    "mma_m": ("rows of the tile (m, column-major frame)", "inferred"),
    "mma_n": ("columns of the tile (n)", "inferred"),
    "mma_k": ("k per stage", "inferred"),
    "mma_stages": ("pipeline stages", "inferred"),
    "warp": ("tile of one warp", "inferred"),
    "m": ("rows of the tile of one CTA (m, column-major frame)", "measured"),
    "n": ("columns of the tile of one CTA (n)", "measured"),
    "k": ("k per stage, always 128 bytes", "measured"),
    "stages": ("pipeline stages", "measured"),
    "cluster": ("CTAs of a cluster along m and n", "measured"),
    "side": ("side of the tile on the MMA's M: T the first number, N the second; no layout", "measured"),
    "fourth": ("meaning not known", "unknown"),
}
_OPTIONS: tuple[tuple[Pattern, Note], ...] = (
    (Pattern(r"2cta"), ("two CTAs share one MMA", "inferred")),
    (
        Pattern(r"[hv]"),
        ("schedule: v goes with clusters along m, h with those along n; which of them is not work", "inferred"),
    ),
    (Pattern(r"bz"), ("beta is zero: C is not read", "measured")),
    (Pattern(r"badd"), ("beta is not zero: C is added (this is no bias)", "measured")),
    (Pattern(r"bx"), ("C is not added here: the split-k reduction or the run time decides", "inferred")),
    (Pattern(r"splitK"), ("K is split; a split-k reduction follows", "measured")),
    (Pattern(r"coopA"), ("two consumer warpgroups share the tile along the MMA's M", "inferred")),
    (Pattern(r"coopB"), ("two consumer warpgroups share the tile along the MMA's N", "inferred")),
    (Pattern(r"bias"), ("a bias vector is added in the epilogue", "measured")),
    (Pattern(r"relubias"), ("bias, then relu, in the epilogue", "measured")),
    (Pattern(r"gelubias"), ("bias, then gelu, in the epilogue", "measured")),
    (Pattern(r"relu|gelu"), ("activation in the epilogue", "inferred")),
    (Pattern(r"ovscale"), ("fp8 with one scale for each row of A and column of B", "measured")),
    (Pattern(r"algo2"), ("fp8 without fast accumulation", "measured")),
    (Pattern(r"[AB]vec32UE8M0"), ("one E8M0 scale for 32 elements (MXFP8)", "inferred")),
    (Pattern(r"[AB]vec16UE4M3"), ("one E4M3 scale for 16 elements (NVFP4)", "inferred")),
    (Pattern(r"tma[AB]+"), ("operands loaded by the tensor memory accelerator", "inferred")),
    (Pattern(r"alignCD\d+"), ("alignment of C and D", "inferred")),
)


def _notes(found: re.Match[str]) -> dict[str, Note]:
    """The notes, with the letters of this name spelled out."""
    roles = ("A and B", "accumulator", "D") if len(found["types"]) == 3 else ("A", "B", "C", "accumulator", "D")
    types = ", ".join(
        f"{role} {_LETTERS.get(letter, '?')}" for role, letter in zip(roles, found["types"], strict=False)
    )
    words = {"N": "as stored", "T": "transposed"}
    layout = f"A {words[found['layout'][0]]}, B {words[found['layout'][1]]} (column-major)"
    return _NOTES | {"types": (types, "measured"), "layout": (layout, "measured")}


def _types(letters: str) -> tuple[str | None, str | None, str | None]:
    """Input, accumulator and output: three letters are (A and B, acc, D), five are (A, B, C, acc, D)."""
    words = [_LETTERS.get(letter) for letter in letters]
    if len(words) == 3:
        return words[0], words[1], words[2]
    if len(words) == 5 and words[0] and words[1]:
        inputs = words[0] if words[0] == words[1] else f"{words[0]},{words[1]}"
        return inputs, words[3], words[4]
    return None, None, None


def _epilogue(options: list[str]) -> str | None:
    said = [_EPILOGUES[option] for option in options if option in _EPILOGUES]
    said += [_SCALES[option] for option in options if option in _SCALES]
    return "+".join(said) or None


def _parse(text: str) -> KernelName | None:
    if not text.startswith("nvjet_"):
        return None
    found = _NAME.fullmatch(text)
    if found is None:
        return KernelName(
            name=text, family="nvjet", library="cublas", op="gemm", unparsed=text[len("nvjet_") :] or None
        )
    options = [option for option in found["options"].split("_") if option]
    dtype_in, dtype_acc, dtype_out = _types(found["types"])
    sizes = (found["mma_m"], found["mma_n"], found["mma_k"]) if found["mma"] else (found["m"], found["n"], found["k"])
    return KernelName(
        name=text,
        family="nvjet",
        library="cublas",
        op="gemm",
        layout=found["layout"].lower(),
        dtype_in="tf32" if found["math"] else dtype_in,
        dtype_acc=dtype_acc,
        dtype_out=dtype_out,
        tile=(int(sizes[0]), int(sizes[1]), int(sizes[2])),
        stages=int(found["mma_stages"] or found["stages"]),
        split_k=True if "splitK" in options else None,
        epilogue=_epilogue(options),
        arch=found["arch"],
        parts=ordered([*from_groups(found, _notes(found)), *from_words(text, *found.span("options"), _OPTIONS)]),
    )


FAMILY = Family(name="nvjet", parse=_parse)
