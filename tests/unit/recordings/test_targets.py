"""From the words of a command line to programs."""

from __future__ import annotations

import functools

import pytest

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.targets import compile_settings, convert, find_factory, make_variants, reached

torch = pytest.importorskip("torch", reason="recording needs PyTorch")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("compile", {}),
        ("compile:mode=max-autotune", {"mode": "max-autotune"}),
        ("compile:dynamic=true", {"dynamic": True}),
        ("compile:dynamic=False,backend=eager", {"dynamic": False, "backend": "eager"}),
    ],
)
def test_settings_of_the_compiler_are_read_from_the_name(name, settings):
    assert compile_settings(name) == settings


@pytest.mark.parametrize(
    "name", ["compiled", "eagre", "compile:mode", "compile:mode=", "compile:speed=high", "compile:,"]
)
def test_a_name_that_is_no_variant_is_an_error_that_lists_what_there_is(name):
    with pytest.raises(RecordingError, match=r"compile|mode=\.\.\."):
        compile_settings(name)


def sized(device, count: int | None = None, width=4, scale=0.5, wide=True, label="x"):  # noqa: FBT002, PLR0917
    return (device, count, width, scale, wide, label)


def test_texts_become_the_types_of_the_parameters():
    values = convert(sized, {"count": "7", "width": "8", "scale": "2", "wide": "false", "label": "9"})

    assert values == {"count": 7, "width": 8, "scale": 2.0, "wide": False, "label": "9"}


@pytest.mark.parametrize(
    "arguments", [{"depth": "3"}, {"width": "many"}, {"count": "z"}, {"wide": "1"}, {"device": "cpu"}]
)
def test_an_argument_that_does_not_fit_is_an_error_that_names_it(arguments):
    with pytest.raises(RecordingError, match=next(iter(arguments))):
        convert(sized, arguments)


def identity():
    return torch.nn.Identity(), (torch.ones(2),)


def doubled():
    return lambda: torch.ones(2) * 2


def test_without_names_a_target_gives_eager_compiled_and_all_that_it_offers():
    factory = functools.partial(identity)
    factory.variants = {"by-hand": doubled}

    assert [one.name for one in make_variants(factory, (), {})] == ["eager", "compile", "by-hand"]


def test_a_variant_given_twice_is_an_error():
    with pytest.raises(RecordingError, match="twice"):
        make_variants(identity, ("eager", "eager"), {})


def test_a_module_with_inputs_becomes_a_step_without_gradients():
    program = make_variants(identity, ("eager",), {})[0].make("cpu")

    assert program.step().tolist() == [1.0, 1.0]
    assert len(program.modules) == 1


def test_a_factory_is_given_the_device_and_the_compiler_that_it_asks_for():
    seen = {}

    def factory(device, compile):  # noqa: A002
        seen.update(device=device, compiled=compile(seen))
        return lambda: None

    make_variants(factory, ("eager",), {})[0].make("cpu")

    assert seen["device"] == "cpu"
    assert seen["compiled"] is seen


@pytest.mark.parametrize("made", [3, None, (), torch.nn.Identity])
def test_a_factory_that_returns_something_else_is_an_error(made):
    variant = make_variants(lambda: made, ("eager",), {})[0]

    with pytest.raises(RecordingError, match="should return a step"):
        variant.make("cpu")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("nothing", "built-in workload"),
        ("missing.py:make", "no such file"),
        ("kerneldiff_no_module:make", "importing kerneldiff_no_module failed"),
        ("kerneldiff.units:absent", "absent does not exist"),
        ("kerneldiff.recordings.workloads:WORKLOADS", "is not a function"),
    ],
)
def test_a_target_that_cannot_be_found_says_what_was_looked_for(target, said):
    with pytest.raises(RecordingError, match=said):
        find_factory(target)


def test_a_file_that_raises_when_it_is_imported_is_named(tmp_path):
    path = tmp_path / "broken_target.py"
    path.write_text("raise RuntimeError('bad day')")

    with pytest.raises(RecordingError, match=r"broken_target\.py failed: RuntimeError: bad day"):
        find_factory(f"{path}:make")


def test_modules_that_a_step_closes_over_are_found():
    model = torch.nn.Linear(2, 2)

    def step():
        return model(torch.ones(1, 2))

    assert model in reached(step)
    assert model in reached(functools.partial(print, model))
    assert model in reached(model)
