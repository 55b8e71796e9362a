"""From the words of a command line to programs: TARGET, its arguments, and variants."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.devices import import_torch
from kerneldiff.recordings.model import Program, Step, Variant
from kerneldiff.recordings.workloads import WORKLOADS

Factory = Callable[..., Any]
EAGER: Final = "eager"
_OPTIONS: Final = ("mode", "dynamic", "backend", "fullgraph")


def find_factory(target: str) -> Factory:
    """Find the factory that TARGET names: a built-in workload, ``module:name`` or ``file.py:name``.

    Raises:
        RecordingError: when there is none, with what was looked for.
    """
    if target in WORKLOADS:
        import_torch()
        place, _, name = WORKLOADS[target].partition(":")
        return _member(importlib.import_module(place), name, target)
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        known = ", ".join(WORKLOADS)
        msg = f"{target}: not a target; give module:name, file.py:name, or a built-in workload ({known})"
        raise RecordingError(msg)
    import_torch()
    return _member(_load(place, target), name, target)


def _load(place: str, target: str) -> object:
    try:
        return _load_file(Path(place)) if place.endswith(".py") else _load_module(place)
    except RecordingError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        msg = f"{target}: importing {place} failed: {type(error).__name__}: {first_line(error)}"
        raise RecordingError(msg) from error


def _load_module(place: str) -> object:
    if "" not in sys.path:
        sys.path.insert(0, "")  # as python -m has it: modules of the folder one stands in
    return importlib.import_module(place)


def _load_file(path: Path) -> object:
    if not path.is_file():
        msg = f"{path}: no such file"
        raise RecordingError(msg)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        msg = f"{path}: not a Python file"
        raise RecordingError(msg)
    module = importlib.util.module_from_spec(spec)
    # Dynamo and pickle look a function's module up by its name.
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.resolve().parent))
    spec.loader.exec_module(module)
    return module


def _member(module: object, name: str, target: str) -> Factory:
    found = getattr(module, name, None)
    if not callable(found):
        state = "is not a function" if found is not None else "does not exist"
        msg = f"{target}: {name} {state}; it should be a function that returns a step, or a module and its inputs"
        raise RecordingError(msg)
    return found  # type: ignore[no-any-return]


def make_variants(factory: Factory, names: tuple[str, ...], arguments: Mapping[str, str]) -> tuple[Variant, ...]:
    """Make the variants of a factory.

    Args:
        factory: what TARGET names; its attribute ``variants``, a mapping of names to factories, offers more.
        names: as given; empty for ``eager``, ``compile`` and all that the factory offers.
        arguments: for the factory's parameters, as text.

    Raises:
        RecordingError: for a name that is no variant, or an argument that the factory does not take.
    """
    offered = dict(getattr(factory, "variants", {}))
    wanted = names or (EAGER, "compile", *offered)
    doubled = {name for name in wanted if wanted.count(name) > 1}
    if doubled:
        msg = f"variant {', '.join(sorted(doubled))} is given twice"
        raise RecordingError(msg)
    return tuple(_variant(name, factory, offered, arguments) for name in wanted)


def _variant(name: str, factory: Factory, offered: Mapping[str, Factory], arguments: Mapping[str, str]) -> Variant:
    source = offered.get(name, factory)
    values = convert(source, arguments)
    if name in offered or name == EAGER:
        return Variant(name=name, make=lambda device: build(source, device, values, None))
    settings = compile_settings(name, offered)
    return Variant(name=name, make=lambda device: build(source, device, values, settings), settings=settings)


def compile_settings(name: str, offered: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Read ``compile`` or ``compile:mode=max-autotune,dynamic=true`` into arguments of ``torch.compile``.

    >>> compile_settings("compile:mode=reduce-overhead,dynamic=true")
    {'mode': 'reduce-overhead', 'dynamic': True}

    Raises:
        RecordingError: when it is something else.
    """
    head, _, tail = name.partition(":")
    if head != "compile":
        known = ", ".join(("eager", "compile[:mode=...,dynamic=...,backend=...,fullgraph=...]", *(offered or ())))
        msg = f"{name}: no such variant; there are {known}"
        raise RecordingError(msg)
    settings: dict[str, Any] = {}
    for part in tail.split(",") if tail else ():
        key, equals, text = part.partition("=")
        if not equals or key not in _OPTIONS or not text:
            msg = (
                f"{name}: {part!r} is no setting of torch.compile; there are {', '.join(f'{o}=...' for o in _OPTIONS)}"
            )
            raise RecordingError(msg)
        settings[key] = {"true": True, "false": False}.get(text.lower(), text)
    return settings


def convert(factory: Factory, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Turn the texts of ``--set NAME=VALUE`` into the types of the factory's defaults.

    Raises:
        RecordingError: when the factory has no such parameter, or the text does not fit.
    """
    parameters = inspect.signature(factory).parameters
    values = {}
    for name, text in arguments.items():
        if name not in parameters or name in ("device", "compile"):
            takes = ", ".join(n for n in parameters if n not in ("device", "compile")) or "none"
            msg = f"{name}={text}: {_name(factory)} has no such parameter; it takes {takes}"
            raise RecordingError(msg)
        kind = _type_of(parameters[name])
        try:
            values[name] = _BOOLEANS[text.lower()] if kind is bool else kind(text)
        except (ValueError, KeyError) as error:
            msg = f"{name}={text}: {_name(factory)} takes {'true or false' if kind is bool else f'a value of type {kind.__name__}'} there"
            raise RecordingError(msg) from error
    return values


_BOOLEANS: Final = {"true": True, "false": False}


def _type_of(parameter: inspect.Parameter) -> type:
    """Give the type of a parameter, by its default or else by its annotation; text where neither says."""
    if isinstance(parameter.default, bool | int | float):
        return type(parameter.default)
    named = str(getattr(parameter.annotation, "__name__", parameter.annotation)).partition(" ")[0]
    return {"int": int, "float": float, "bool": bool}.get(named, str)


def build(factory: Factory, device: str, values: Mapping[str, Any], settings: Mapping[str, Any] | None) -> Program:
    """Call a factory, and make a program of what it returns.

    A factory that has a parameter ``device`` gets ``cuda`` or ``cpu``; one that has a parameter ``compile``
    gets a function to apply to what shall be compiled, and decides itself what that is.
    """
    torch = import_torch()
    compiler = _same if settings is None else lambda what: torch.compile(what, **settings)
    parameters = inspect.signature(factory).parameters
    offers = {name: value for name, value in (("device", device), ("compile", compiler)) if name in parameters}
    made = factory(**values, **offers)
    return as_program(made, compiler=_same if "compile" in offers else compiler, name=_name(factory))


def as_program(made: object, *, compiler: Callable[[Any], Any], name: str) -> Program:
    """Make a program of a no-argument step, or of a module and its inputs.

    Raises:
        RecordingError: for anything else.
    """
    torch = import_torch()
    note = getattr(made, "note", None)
    if isinstance(made, tuple) and len(made) == 2 and callable(made[0]):
        module, inputs = made
        note = getattr(module, "note", None)
        return Program(step=_forward(compiler(module), inputs), modules=(module,), note=note)
    if callable(made) and not isinstance(made, type):
        modules = tuple(one for one in reached(made) if isinstance(one, torch.nn.Module))
        return Program(step=compiler(made), modules=modules, note=note)
    msg = f"{name} returned {type(made).__name__}; it should return a step that takes no argument, or (module, inputs)"
    raise RecordingError(msg)


def _forward(module: Callable[..., object], inputs: object) -> Step:
    torch = import_torch()
    keywords = inputs if isinstance(inputs, dict) else {}
    positional = () if isinstance(inputs, dict) else inputs if isinstance(inputs, tuple | list) else (inputs,)

    def step() -> object:
        with torch.no_grad():
            return module(*positional, **keywords)

    return step


def reached(step: object) -> list[object]:
    """List what a step holds: itself, its object, its closure and its bound arguments, one level deep."""
    found = [step, getattr(step, "__self__", None)]
    found += [cell.cell_contents for cell in getattr(step, "__closure__", None) or () if _is_filled(cell)]
    found += [*getattr(step, "args", ()), *getattr(step, "keywords", {}).values()]
    # torch.compile wraps a module into another one that has the same parameters.
    inner = [getattr(one, "_orig_mod", one) for one in found if one is not None]
    return list({id(one): one for one in inner}.values())


def _is_filled(cell: Any) -> bool:  # noqa: ANN401 - types.CellType has no public contents type
    try:
        cell.cell_contents  # noqa: B018 - an empty cell raises
    except ValueError:
        return False
    return True


def _same(what: Any) -> Any:  # noqa: ANN401 - identity
    return what


def _name(factory: Factory) -> str:
    return getattr(factory, "__name__", type(factory).__name__)


def first_line(error: BaseException, limit: int = 300) -> str:
    """Give the first line of an error's message that says something, cut at a length."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else "no message"
    return text if len(text) <= limit else f"{text[:limit]} ..."
