"""A first file of expectations from a run, for a person to prune."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kerneldiff.checks import facts
from kerneldiff.checks.expectations.gemms import is_kind
from kerneldiff.checks.expectations.judging import step_count
from kerneldiff.checks.expectations.model import OF_STEP, Gemm, count_of
from kerneldiff.checks.expectations.scopes import regions_of
from kerneldiff.diffs.classes import heavy_class
from kerneldiff.diffs.operators import VIEWS, bare
from kerneldiff.profiles.model import GpuEvent, Profile

_HEAD = """\
# What a step should contain. Written from a trace: strike out what does not matter, tighten what does.
# Check a trace: kerneldiff check TRACE --expect FILE. Counts: 5, "<= 5", ">= 1", "2..4".
"""
_MOST_REGIONS = 12


def first_file(run: Profile) -> str:
    """Write expectations that this run meets."""
    step = _counts(run.events) if facts.work_recorded(run) else ()
    lines = [_HEAD, "[step]", *step, *_of_step(run), *_operators(run), *_fused(run)]
    lines += _gemms(run)
    for region in regions_of(run)[:_MOST_REGIONS]:
        inside = [event for event in run.events if region in event.regions]
        lines += ["", f"[region.{toml_text(region)}]", *_counts(inside)]
    return "\n".join(lines) + "\n"


def _counts(events: Sequence[GpuEvent]) -> Iterator[str]:
    kernels = sum(event.kind in ("kernel", "cpu_kernel") for event in events)
    yield f"kernels = {kernels}"
    yield f"copies = {sum(event.kind == 'memcpy' for event in events)}"
    gemms = [event for event in events if heavy_class(event.decoded) == "gemm"]
    if gemms:
        yield f"gemms = {len(gemms)}"
        types = [facts.operand(event) for event in gemms]
        if None not in types:
            yield f"fp32-gemms = {types.count('f32')}"
    attention = sum(heavy_class(event.decoded) == "attention" for event in events)
    if attention:
        yield f"attention = {attention}"


def _of_step(run: Profile) -> Iterator[str]:
    for key in OF_STEP:
        found = step_count(run, key)
        if found is not None:
            yield f"{key} = {found[0]}"


def _operators(run: Profile) -> Iterator[str]:
    """List the view operators none of whose calls launched anything."""
    views = run.explained.views if run.explained is not None else ()
    names = [view.operator for view in views if not view.copied]
    if names:
        yield f"views = {_listed(names)}"


def _fused(run: Profile) -> Iterator[str]:
    """List what each generated kernel fuses, each group once, without views and casts."""
    groups: dict[tuple[str, ...], None] = {}
    for event in run.events:
        if event.decoded.family != "inductor_triton":
            continue
        names = [name for name in event.decoded.fused_ops if bare(f"::{name}") not in VIEWS and name != "_to_copy"]
        if len(names) > 1 and facts.fused(run, names):
            groups[tuple(names)] = None
    if groups:
        yield "fused = ["
        yield from (f"    {_listed(group)}," for group in groups)
        yield "]"


def _gemms(run: Profile) -> Iterator[str]:
    """Describe the products by type, layout, tile and proved epilogue, in order of the first of each kind."""
    kinds: Counter[tuple[tuple[str, str], ...]] = Counter()
    for index in facts.gemms(run):
        kinds[tuple(_kind(run, index))] += 1
    for kind in kinds:
        fields = dict(kind)
        wanted = Gemm(count=count_of(0), **fields)
        answers = [is_kind(run, index, wanted) for index in facts.gemms(run)]
        if not fields or None in answers:
            continue  # where a name is silent, a count would not be decided
        yield from ("", "[[step.gemm]]", *(f"{key} = {toml_text(value)}" for key, value in fields.items()))
        yield f"count = {answers.count(True)}"


def toml_text(text: str) -> str:
    r"""Write a text for TOML, with everything that cannot be seen escaped.

    >>> toml_text('a "b"'), toml_text("tab\there")
    ('"a \\"b\\""', '"tab\\u0009here"')
    """
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    code = ord(char) if not 0xD800 <= ord(char) <= 0xDFFF else 0xFFFD  # TOML knows no lone surrogates
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _listed(texts: Sequence[str]) -> str:
    return f"[{', '.join(toml_text(text) for text in texts)}]"


def _kind(run: Profile, index: int) -> Iterator[tuple[str, str]]:
    event = run.events[index]
    operand = facts.operand(event)
    if operand is not None:
        yield "type", operand
    if event.decoded.layout is not None:
        yield "layout", event.decoded.layout
    if event.decoded.tile is not None:
        yield "tile", "x".join(str(size) for size in event.decoded.tile)
    epilogue = event.decoded.epilogue
    if epilogue is not None and not epilogue.endswith("_capable"):
        yield "epilogue", epilogue.split("+")[0]
