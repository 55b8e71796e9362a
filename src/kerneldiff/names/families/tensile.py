"""AMD's generated products (rocBLAS, hipBLASLt): ``Cijk_Alik_Bljk_BBS_BH_..._MT128x256x32_...``.

Format: ``ProblemType.__str__`` in Tensile/SolutionStructs.py and ``getNameAbbreviation`` in Tensile/Common.py
of ROCm/Tensile; tensilelite in hipBLASLt adds flags. i is m, j is n, l the summed k, k the batch.
"""

from __future__ import annotations

import re

from kerneldiff.names.model import Family, KernelName
from kerneldiff.names.parts import Note, from_groups
from kerneldiff.names.patterns import Pattern

_NAME = Pattern(
    r"(?P<custom>Custom_)?C(?P<c>[ijkl]+)_A(?P<a>[ijkl]+)_B(?P<b>[ijkl]+)_(?P<types>\w+?)"
    r"_MT(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)(?P<parameters>\w*)"
)
_CUSTOM = Pattern(r"Custom_C[ijkl]+_A(?P<a>[ijkl]+)_B(?P<b>[ijkl]+)_(?P<types>\w+)")
_HELPER = Pattern(r"C[ijkl]+_(?P<types>[A-Za-z0-9_]+)")
_LETTERS = {
    "S": "f32", "D": "f64", "C": "c64", "Z": "c128", "H": "f16", "B": "bf16", "I8": "i8", "I": "i32",
    "F8": "e4m3", "B8": "e5m2", "F8N": "e4m3", "B8N": "e5m2", "F8B8": "e4m3,e5m2", "B8F8": "e5m2,e4m3",
    "F8B8N": "e4m3,e5m2", "B8F8N": "e5m2,e4m3", "X": "tf32", "F4": "e2m1", "4xi8": "i8",
}  # fmt: skip
_LETTER = Pattern("|".join(sorted(_LETTERS, key=len, reverse=True)))
_SPLIT = Pattern(r"_GSU(\d+)(?=_|$)")
_ARCH = Pattern(r"_ISA([0-9a-f]+)(?=_|$)")
_EPILOGUES = (
    (Pattern(r"_Bias(?:[A-Z]*)(?=_)"), "bias"),
    (Pattern(r"_(?:A|HA)_?[SDHBI]?(?=_)"), "activation"),
    (Pattern(r"_SABV(?=_)"), "scale_ab_vec"),
    (Pattern(r"_SAB(?=_)"), "scale_ab"),
    (Pattern(r"_SCD(?=_)"), "scale_cd"),
    (Pattern(r"_SAV(?=_)"), "scale_alpha_vec"),
)
_NOTES: dict[str, Note] = {
    "custom": ("written by hand", "source"),
    "a": ("operand A: il as stored, li transposed", "source"),
    "b": ("operand B: lj as stored, jl transposed", "source"),
    "types": ("types, then flags: B uses beta, H high-precision accumulation, the rest is what it can apply", "source"),
    "m": ("rows of the tile (m)", "source"),
    "n": ("columns of the tile (n)", "source"),
    "k": ("k per loop", "source"),
    "parameters": (
        "schedule in abbreviations: MI instruction, GSU split-k, ISA architecture, SK stream-k ...",
        "source",
    ),
}
Types = tuple[str | None, str | None, str | None]


def _parse(text: str) -> KernelName | None:
    if "Cijk_" not in text and "Cij_" not in text:
        return None
    found = _NAME.fullmatch(text.rstrip("."))
    if found is None:
        return _helper(text)
    dtype_in, acc, dtype_out = types(found["types"])
    runtime = "UserArgs" in found["types"]
    arch = _ARCH.search(found["parameters"])
    return KernelName(
        name=text,
        family="tensile_cijk",
        library="hipblaslt" if runtime or "Bias" in found["types"] else "rocblas",
        op="grouped_gemm" if "_GG" in found["types"] else "gemm",
        layout=_layout(found),
        dtype_in=dtype_in,
        dtype_acc=acc,
        dtype_out=dtype_out,
        tile=(int(found["m"]), int(found["n"]), int(found["k"])),
        split_k=None if runtime else _split_k(found["parameters"]),
        epilogue=_epilogue(found["types"]),
        arch=f"gfx{arch[1]}" if arch and arch[1] != "000" else None,
        parts=from_groups(found, _NOTES),
    )


def _layout(found: re.Match[str]) -> str:
    """``Ailk`` is A as stored, ``Alik`` transposed; ``Bljk`` is B as stored, ``Bjlk`` transposed."""
    a = "n" if found["a"].index("i") < found["a"].index("l") else "t"
    b = "n" if found["b"].index("l") < found["b"].index("j") else "t"
    return a + b


def types(text: str) -> Types:
    """Types of A and B, of the accumulator and of D from ``BBS_BH``, ``B_BS_BH``, ``SB`` or ``S_B``."""
    words = text.split("_")
    first = _LETTER.findall(words[0])
    if len(first) >= 3 and "".join(first[:3]) == words[0][: len("".join(first[:3]))] and words[0] == "".join(first):
        return _LETTERS[first[0]], _LETTERS[first[2]], _LETTERS[first[1]]
    second = _LETTER.findall(words[1]) if len(words) > 1 else []
    if len(first) == 1 and words[0] == first[0] and len(second) == 2 and len(words) > 2 and words[2][:1] == "B":
        return _LETTERS[first[0]], _LETTERS[second[1]], _LETTERS[second[0]]
    if not first:
        return None, None, None
    element = _LETTERS[first[0]]
    flags = words[0].removeprefix(first[0]) or (words[1] if len(words) > 1 else "")
    acc = "f32" if "H" in flags and element in ("f16", "bf16") else "i32" if element == "i8" else element
    return element, acc, element


def _split_k(parameters: str) -> bool | None:
    found = _SPLIT.search(parameters)
    return None if found is None or found[1] == "0" else int(found[1]) > 1


def _epilogue(text: str) -> str | None:
    able = [word for pattern, word in _EPILOGUES if pattern.search(f"_{text}_")]
    return "+".join(able) + "_capable" if able else None


def _helper(text: str) -> KernelName | None:
    """``Cijk_..._PostGSU16``: sums the parts of a split k; without it, the kernel that only applies beta."""
    custom = _CUSTOM.fullmatch(text)
    if custom is not None:
        dtype_in, acc, dtype_out = types(custom["types"])
        return KernelName(
            name=text, family="tensile_cijk", library="hipblaslt", op="gemm", layout=_layout(custom),
            dtype_in=dtype_in, dtype_acc=acc, dtype_out=dtype_out, parts=from_groups(custom, _NOTES),
        )  # fmt: skip
    found = _HELPER.fullmatch(text)
    if found is None:
        return None
    reduces = "PostGSU" in text
    return KernelName(
        name=text,
        family="tensile_cijk",
        library="hipblaslt" if "Bias" in text or reduces else "rocblas",
        op="splitk_reduce" if reduces else "scal",
        dtype_in=types(found["types"])[0],
        split_k=True if reduces else None,
        auxiliary=True,
        parts=from_groups(found, {"types": ("sums the parts of a split k" if reduces else "applies beta", "source")}),
    )


FAMILY = Family(name="tensile_cijk", parse=_parse)
