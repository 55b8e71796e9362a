"""What travels to a Job: kerneldiff itself, the program, and how to record it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.hub.model import Order
from kerneldiff.recordings.hub.wheel import make_wheel
from kerneldiff.recordings.model import Options
from kerneldiff.recordings.targets import EAGER, compile_settings
from kerneldiff.recordings.workloads import WORKLOADS

# Beside the wheel and the folder "program", in the folder "inputs" of the recording.
INSTRUCTIONS: Final = "job.json"
PROGRAM: Final = "program"
# What built-in workloads use besides torch, where it is to be had.
_NEEDS: Final = {"kernels-mlp": ("kernels", "liger-kernel")}
# Inline metadata of a script: https://packaging.python.org/en/latest/specifications/inline-script-metadata/
_INLINE: Final = re.compile(r"(?m)^# /// script$\s(?P<body>(^#(| .*)$\s)+)^# ///$")


class Instructions(msgspec.Struct, frozen=True, kw_only=True):
    """What the Job reads; ``requirements`` are for the installer, the rest is for the recording."""

    target: str
    variants: tuple[str, ...]
    arguments: dict[str, str]
    options: Options
    wheel: str
    requirements: tuple[str, ...]


def pack(order: Order) -> dict[str, Path | bytes]:
    """Give the files that a Job needs, by their path in its inputs.

    Raises:
        RecordingError: when a part of the order is wrong as far as can be told here, without running anything.
    """
    _check_variants(order)
    target, program = _program(order)
    wheel = make_wheel()
    requirements = (*_own_requirements(order, program), *order.requirements)
    instructions = Instructions(
        target=target,
        variants=order.variants,
        arguments=dict(order.arguments),
        options=order.options,
        wheel=wheel.name,
        requirements=tuple(dict.fromkeys(requirements)),
    )
    files: dict[str, Path | bytes] = {
        INSTRUCTIONS: msgspec.json.format(msgspec.json.encode(instructions)),
        wheel.name: wheel.content,
    }
    return files | {f"{PROGRAM}/{path.name}": path for path in program}


def _check_variants(order: Order) -> None:
    for name in order.variants:
        if name == EAGER or not name.startswith("compile"):
            continue  # others are offered by the program, which only the Job imports
        compile_settings(name)


def _program(order: Order) -> tuple[str, list[Path]]:
    """Give the target as the Job finds it, and the files that it needs."""
    extra = [_existing(name) for name in order.files]
    place, colon, name = order.target.rpartition(":")
    if order.target in WORKLOADS:
        return order.target, extra
    if not colon or not place or not name:
        known = ", ".join(WORKLOADS)
        msg = f"{order.target}: not a target; give file.py:name, or a built-in workload ({known})"
        raise RecordingError(msg)
    if not place.endswith(".py"):
        if not order.requirements:
            msg = (
                f"{order.target}: the Job does not have the module {place}; give file.py:name, which travels, "
                "or name the package that holds it with --with"
            )
            raise RecordingError(msg)
        return order.target, extra
    path = _existing(place)
    if name not in _names(path):
        msg = f"{order.target}: {path.name} defines no {name}; it should be a function that returns a step"
        raise RecordingError(msg)
    files = [*_with_neighbours(path), *extra]
    doubled = {one.name for one in files if sum(other.name == one.name for other in files) > 1}
    if doubled:
        msg = f"{', '.join(sorted(doubled))}: several files of this name; they travel into one folder"
        raise RecordingError(msg)
    return f"{path.name}:{name}", files


def _existing(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        msg = f"{name}: no such file"
        raise RecordingError(msg)
    return path.resolve()


def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError) as error:
        msg = f"{path.name}: not Python that could run: {error}"
        raise RecordingError(msg) from error


def _names(path: Path) -> set[str]:
    """List what a file defines, or may: a starred import can bring any name, so it counts as all of them."""
    found: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
    return found


def _with_neighbours(path: Path) -> list[Path]:
    """Give a file and those of its folder that it imports, and that they import."""
    found = [path]
    for one in found:
        near = (path.parent / f"{name}.py" for name in _imports(one))
        found += [other for other in dict.fromkeys(near) if other.is_file() and other not in found]
    return found


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def _own_requirements(order: Order, program: list[Path]) -> list[str]:
    """List what the program itself says that it needs, kerneldiff aside."""
    needed = list(_NEEDS.get(order.target, ()))
    for path in program:
        found = _INLINE.search(path.read_text(encoding="utf-8", errors="replace")) if path.suffix == ".py" else None
        if found is None:
            continue
        body = "".join(
            line[2:] if line.startswith("# ") else line[1:] for line in found["body"].splitlines(keepends=True)
        )
        try:
            listed = tomllib.loads(body).get("dependencies", [])
        except tomllib.TOMLDecodeError as error:
            msg = f"{path.name}: its inline metadata is no TOML: {error}"
            raise RecordingError(msg) from error
        needed += [str(one) for one in listed if not re.match(r"kerneldiff\b", str(one))]
    return needed
