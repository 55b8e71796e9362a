"""Spelling of kernel names: the text by which identity is judged, and what was cut or mangled.

One kernel is spelled differently by Kineto and by Nsight Systems, and by different releases of PyTorch.
"""

from __future__ import annotations

from functools import lru_cache

from kerneldiff.names.demangling import LONGEST, demangled
from kerneldiff.names.patterns import Pattern

_SPELLINGS = (
    (Pattern(r"<unnamed>"), "(anonymous namespace)"),
    (Pattern(r"\[lambda\(([^()\[\]]*)\) \(instance (\d+)\)\]"), r"{lambda(\1)#\2}"),
    (Pattern(r"\bat::detail::Array<"), "std::array<"),
    (Pattern(r"\bat::TensorIterator(?= ?&)"), "at::TensorIteratorBase"),
    (Pattern(r"\(anonymous namespace\)::(?=direct_copy_kernel_cuda\b)"), ""),
    (Pattern(r"\bROCPRIM_\d+_NS::"), ""),
    (Pattern(r"\(bool\)1\b"), "true"),
    (Pattern(r"\(bool\)0\b"), "false"),
    (Pattern(r"(?:\((?:unsigned |signed )?(?:int|long long|long|short|char)\))+(?=-?\d)"), ""),
    (Pattern(r"(?<=[<,( -])(\d+)(?:u|l|ul|ll|ull)(?=[>,) ])"), r"\1"),
    (Pattern(r">\s+(?=>)"), ">"),
    (Pattern(r"(?<=\w)\s+(?=[*&])"), ""),
    (Pattern(r"(?<!\s)\s*,\s*"), ", "),
)
_MEMSET = Pattern(r"Memset \((?:Device|Unknown)\)")
_INDUCTOR_NUMBER = Pattern(r"(triton_(?:poi|red|per|tem|for|spl|unk)_fused(?:_\w*?)?)_\d+(?:\.kd)?")


@lru_cache(maxsize=65_536)
def normalise(name: str) -> str:
    """The text by which two names are judged equal: differences of spelling are gone, nothing else.

    A lambda's number and every template argument stay: they tell kernels apart.

    >>> normalise("void f<(int)4, (bool)0>(<unnamed>::T)") == normalise("void f<4, false>((anonymous namespace)::T)")
    True
    """
    if _MEMSET.fullmatch(name):
        return "Memset (Device)"
    text = demangled(name) or name
    before = ""
    while text != before:  # a replacement can bring the pieces of another spelling together
        before = text
        text = _respelled(text)
    return text


def _respelled(text: str) -> str:
    text = text.removesuffix(".kd")
    if "<" in text or "(" in text:
        for pattern, replacement in _SPELLINGS:
            text = pattern.sub(replacement, text)
    return text


def without_number(name: str) -> str:
    """An Inductor kernel's name without its number in the graph, which moves when anything before it changes.

    >>> without_number("triton_poi_fused_relu_0"), without_number("my_kernel_0")
    ('triton_poi_fused_relu', 'my_kernel_0')
    """
    found = _INDUCTOR_NUMBER.fullmatch(name)
    return found[1] if found else name


def is_cut(name: str) -> bool:
    """Whether the end (or the middle) of the name is missing, so that it is equal to nothing."""
    return name.rstrip().endswith(("...", "\u2026")) or len(name) > LONGEST
