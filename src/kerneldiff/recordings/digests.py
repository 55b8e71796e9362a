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

    kernels: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def add(self, kernel: Any, source: Any) -> None:  # noqa: ANN401 - Triton's and Inductor's objects
        """Note a compiled kernel and the function it came from."""
        if kernel is not None:
            self.kernels[id(kernel)] = (kernel, source)

    def facts(self) -> tuple[KernelFacts, ...]:
        """Give the facts of all of them."""
        found = [facts for kernel, source in self.kernels.values() if (facts := facts_of(kernel, source)) is not None]
        return tuple(dict.fromkeys(found))


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

        found.append((JITFunction, lambda function, kernel: seen.add(kernel, function)))
    except Exception:  # noqa: BLE001 - no Triton, or one that is laid out otherwise: no digests then
        return []
    try:
        from torch._inductor.runtime.triton_heuristics import CachingAutotuner  # noqa: PLC0415
    except Exception:  # noqa: BLE001 - an Inductor that is laid out otherwise
        return found

    def note(tuner: Any, _: Any) -> None:  # noqa: ANN401 - a CachingAutotuner
        launchers = getattr(tuner, "launchers", [])
        if len(launchers) == 1:
            seen.add(getattr(launchers[0], "bin", None), getattr(tuner, "fn", None))

    found.append((CachingAutotuner, note))
    return found


def facts_of(kernel: Any, source: Any) -> KernelFacts | None:  # noqa: ANN401 - Triton's objects
    """Read one compiled kernel; None when it has no name."""
    metadata = getattr(kernel, "metadata", None)
    name = getattr(kernel, "name", None) or getattr(metadata, "name", None)
    if not isinstance(name, str):
        return None
    text = getattr(source, "src", None)
    assembly = assembly_of(kernel, name)
    return KernelFacts(
        name=name,
        registers=_integer(getattr(kernel, "n_regs", None)),
        shared_memory=_integer(getattr(kernel, "shared", getattr(metadata, "shared", None))),
        warps=_integer(getattr(kernel, "num_warps", getattr(metadata, "num_warps", None))),
        source=None if not isinstance(text, str) else digest(text.replace(name, "KERNEL")),
        code=None if assembly is None else digest(bare_code(assembly, name)),
    )


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def assembly_of(kernel: Any, name: str) -> str | None:  # noqa: ANN401 - Triton's objects
    """Give the assembly, from the kernel itself or from Triton's cache, where Inductor's launcher keeps only a hash."""
    held = getattr(kernel, "asm", None)
    for kind in _ASSEMBLY:
        if held is not None and kind in held and isinstance(held[kind], str):
            return str(held[kind])
    for folder in _cache_folders(kernel):
        for kind in _ASSEMBLY:
            path = folder / f"{name}.{kind}"
            if path.is_file():
                return path.read_text(encoding="utf-8", errors="replace")
    return None


def _cache_folders(kernel: Any) -> list[Path]:  # noqa: ANN401 - Inductor's object
    folders = []
    cubin = getattr(kernel, "cubin_path", None)
    if isinstance(cubin, str):
        folders.append(Path(cubin).parent)
    key = getattr(kernel, "hash", None)
    if isinstance(key, str):
        try:
            from torch._inductor.runtime.cache_dir_utils import triton_cache_dir  # noqa: PLC0415
            from torch._inductor.runtime.runtime_utils import triton_hash_to_path_key  # noqa: PLC0415

            folders.append(Path(triton_cache_dir(0)) / triton_hash_to_path_key(key))
        except Exception:  # noqa: BLE001 - laid out otherwise: the digest is missing then
            return folders
    return folders


def bare_code(assembly: str, name: str) -> str:
    """Take out of assembly what does not run: the kernel's name, comments, debug sections, places in source files.

    >>> bare_code(".visible .entry add_0(\\n.loc 1 2 3\\nret; // done", "add_0")
    '.visible .entry KERNEL( ret;'
    """
    text = _DEBUG_SECTION.sub("", assembly)
    text = _DEBUG.sub("", text)
    text = _LABEL.sub("", text)
    return _SPACE.sub(" ", text.replace(name, "KERNEL")).strip()


def digest(text: str) -> str:
    """Hash a text to 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
