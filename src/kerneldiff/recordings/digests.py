"""Digests of what Triton compiled: equal for equal code, whatever the kernel is called.

A name proves nothing for a kernel that was compiled at run time, and neither Inductor's ``kernel_hash`` (it covers
the number in the name) nor a replayed graph (no hash at all) tells code apart. The assembly that Triton made, with
the name and the places in source files taken out, does.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

# Assembly by back-end: NVIDIA, AMD.
_ASSEMBLY: Final = ("ptx", "amdgcn")
_DEBUG: Final = re.compile(
    r"^\s*(?:\.loc|\.file|//|;|\.section\s+\.debug).*$|\s*//.*$|^\s*\.(?:target|version)\b.*debug.*$", re.MULTILINE
)
_DEBUG_SECTION: Final = re.compile(r"^\s*\.section\s+\.debug\w*\s*\{.*?^\s*\}", re.MULTILINE | re.DOTALL)
_LABEL: Final = re.compile(r"\$L__(?:tmp|func_begin|func_end)\d+:?")
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFacts:
    """One compiled kernel.

    Attributes:
        name: as in the trace.
        registers, shared_memory, warps: where Triton says; they tell kernels of one name apart.
        source: digest of the Triton source without the name. code: digest of the assembly without the name.
    """

    name: str
    registers: int | None
    shared_memory: int | None
    warps: int | None
    source: str | None
    code: str | None

    def as_json(self) -> dict[str, Any]:
        """Give it as it stands in the trace."""
        facts = {
            "name": self.name,
            "registers": self.registers,
            "shared_memory": self.shared_memory,
            "warps": self.warps,
            "source": self.source,
            "code": self.code,
        }
        return {key: value for key, value in facts.items() if value is not None}


@dataclass(slots=True)
class Launches:
    """The kernels that ran while they were watched, each once."""

    kernels: dict[int, tuple[object, KernelFacts]] = field(default_factory=dict)

    def add(self, kernel: object, read: Callable[[], KernelFacts | None]) -> None:
        """Note a compiled kernel, whose facts are read at its first launch."""
        if kernel is not None and id(kernel) not in self.kernels and (facts := read()) is not None:
            self.kernels[id(kernel)] = (kernel, facts)  # the kernel is kept, so that its id is not given again

    def facts(self) -> tuple[KernelFacts, ...]:
        """Give the facts of all of them."""
        return tuple(dict.fromkeys(facts for _, facts in self.kernels.values()))


@contextmanager
def watch() -> Iterator[Launches]:
    """Note every kernel that Triton launches, by itself or for Inductor, until the block ends."""
    seen = Launches()
    patched: list[tuple[Any, Callable[..., Any]]] = []
    for owner, note in _launchers(seen):
        original = owner.run
        patched.append((owner, original))
        owner.run = _noting(original, note)
    try:
        yield seen
    finally:
        for owner, original in patched:
            owner.run = original


def _noting(original: Callable[..., Any], note: Callable[[Any, Any], None]) -> Callable[..., Any]:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passes all through
        result = original(self, *args, **kwargs)
        note(self, result)
        return result

    return run


def _launchers(seen: Launches) -> list[tuple[Any, Callable[[Any, Any], None]]]:
    """List the classes whose ``run`` launches, and how each tells what it launched."""
    found: list[tuple[Any, Callable[[Any, Any], None]]] = []
    try:
        from triton.runtime.jit import JITFunction  # noqa: PLC0415

        found.append((JITFunction, lambda function, kernel: seen.add(kernel, lambda: facts_of(kernel, function))))
    except Exception:  # noqa: BLE001 - no Triton, or one that is laid out otherwise: no digests then
        return []
    try:
        from torch._inductor.runtime.triton_heuristics import CachingAutotuner  # noqa: PLC0415
    except Exception:  # noqa: BLE001 - an Inductor that is laid out otherwise
        return found

    def note(tuner: Any, _: Any) -> None:  # noqa: ANN401 - a CachingAutotuner
        launchers = getattr(tuner, "launchers", [])
        if len(launchers) == 1:
            seen.add(launchers[0], lambda: tuned_facts(tuner, launchers[0]))

    found.append((CachingAutotuner, note))
    return found


def facts_of(kernel: Any, function: Any) -> KernelFacts | None:  # noqa: ANN401 - Triton's objects
    """Read a kernel that Triton launched itself; None when it has no name."""
    metadata = getattr(kernel, "metadata", None)
    name = getattr(metadata, "name", None) or getattr(kernel, "name", None)
    if not isinstance(name, str):
        return None
    held = getattr(kernel, "asm", {})
    found = [str(held[kind]) for kind in _ASSEMBLY if kind in held]
    return _facts(
        name,
        found[0] if found else None,
        getattr(function, "src", None),
        {
            "registers": getattr(kernel, "n_regs", None),
            "shared_memory": getattr(metadata, "shared", None),
            "warps": getattr(metadata, "num_warps", None),
        },
    )


def tuned_facts(tuner: Any, launcher: Any) -> KernelFacts | None:  # noqa: ANN401 - Inductor's objects
    """Read a kernel that Inductor launched, by the configuration that its autotuner chose; None without a name.

    Inductor's launcher keeps no assembly, only the key of Triton's cache where it lies.
    """
    function = getattr(tuner, "fn", None)
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        return None
    return _facts(
        name,
        _cached_assembly(tuner, launcher, name),
        getattr(function, "src", None),
        {
            "registers": getattr(launcher, "n_regs", None),
            "shared_memory": getattr(launcher, "shared", None),
            "warps": getattr(getattr(launcher, "config", None), "num_warps", None),
        },
    )


def _facts(name: str, assembly: str | None, source: object, counts: dict[str, object]) -> KernelFacts:
    numbers = {
        key: value if isinstance(value, int) and not isinstance(value, bool) else None for key, value in counts.items()
    }
    return KernelFacts(
        name=name,
        registers=numbers["registers"],
        shared_memory=numbers["shared_memory"],
        warps=numbers["warps"],
        source=digest(source.replace(name, "KERNEL")) if isinstance(source, str) else None,
        code=None if assembly is None else digest(bare_code(assembly, name)),
    )


def _cached_assembly(tuner: Any, launcher: Any, name: str) -> str | None:  # noqa: ANN401 - Inductor's objects
    key = getattr(launcher, "cache_hash", None)
    if not isinstance(key, str):
        return None
    try:
        from torch._inductor.runtime.cache_dir_utils import triton_cache_dir  # noqa: PLC0415
    except ImportError:  # an Inductor that is laid out otherwise: the digest is missing then
        return None
    device = getattr(tuner, "triton_meta", {}).get("device", 0)
    folder = Path(triton_cache_dir(getattr(device, "index", device) or 0)) / key
    paths = [folder / f"{name}.{kind}" for kind in _ASSEMBLY]
    found = [path for path in paths if path.is_file()]
    return found[0].read_text(encoding="utf-8", errors="replace") if found else None


def bare_code(assembly: str, name: str) -> str:
    r"""Take out of assembly what does not run: the kernel's name, comments, debug sections, places in source files.

    >>> bare_code(".visible .entry add_0(\n.loc 1 2 3\nret; // done", "add_0")
    '.visible .entry KERNEL( ret;'
    """
    text = _DEBUG_SECTION.sub("", assembly)
    text = _DEBUG.sub("", text)
    text = _LABEL.sub("", text)
    return _SPACE.sub(" ", text.replace(name, "KERNEL")).strip()


def digest(text: str) -> str:
    """Hash a text to 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
