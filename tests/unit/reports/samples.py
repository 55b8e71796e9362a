"""One set of comparisons that goes through every renderer."""

from __future__ import annotations

from functools import cache

from builders import ADD, GELU, GELU_MUL, GEMM, MUL, compare, kernel, memset, triton
from kerneldiff.diffs import Diff

HOSTILE = {
    "script": "</script><script>alert(1)</script>",
    "comment": "<!--<script>",
    "attribute": "\" onmouseover='alert(1)' x=\"",
    "pipe": "a|b||c",
    "command": "::error file=x::owned",
    "ansi": "gemm\x1b[31m\x1b]8;;http://evil.example\x07",
    "bidi": "kernel\u202egnp.exe\u2066\u200f",
    "markdown": "`code` **bold** [link](http://evil.example) @user #1 https://evil.example <b>",
    "template": "{{ 7 * 7 }}{% raw %}",
    "long": "x" * 4000,
    "lines": "one\ntwo\r\nthree\u2028four",
}


@cache
def empty() -> Diff:
    """Neither side launched anything on a GPU."""
    return compare([], [])


@cache
def identical() -> Diff:
    """The same kernels on both sides, with the same times."""
    return compare([GEMM, GELU], [GEMM, GELU])


@cache
def fusion() -> Diff:
    """A product, then gelu and mul, which are one kernel in the candidate; and a copy that came."""
    return compare([memset(), GEMM, GELU, MUL, GEMM], [memset(), GEMM, GELU_MUL, GEMM, ADD])


@cache
def hostile() -> Diff:
    """Kernels and operators whose names are aimed at a page, a terminal, Markdown, a template."""
    kernels = [kernel(name, 5.0 + i, operators=(f"op {name}",)) for i, name in enumerate(HOSTILE.values())]
    return compare([GEMM, *kernels], [*kernels[:-1], GELU_MUL])


@cache
def large() -> Diff:
    """4,000 kernels a step: 400 layers of ten, of which two are fused on the candidate's side."""
    head = [GEMM, GELU, MUL]
    rest = [kernel(f"part_{i}", 2.0 + i, operators=(f"aten::part_{i}",)) for i in range(7)]
    return compare([*head, *rest] * 400, [GEMM, GELU_MUL, *rest] * 400, steps=1)


@cache
def irregular() -> Diff:
    """600 kernels of 600 names: nothing repeats."""
    ours = [kernel(f"kernel_{i}", 2.0 + i % 7, operators=(f"aten::op_{i % 50}",)) for i in range(600)]
    theirs = [triton(f"triton_poi_fused_op_{i}", 2.0) if i % 9 == 0 else one for i, one in enumerate(ours)]
    return compare(ours, theirs, steps=1)


SAMPLES = {one.__name__: one for one in (empty, identical, fusion, hostile, large, irregular)}
