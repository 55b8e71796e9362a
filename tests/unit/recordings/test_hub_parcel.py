import msgspec
import pytest

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.hub.model import Order
from kerneldiff.recordings.hub.parcel import INSTRUCTIONS, Instructions, pack
from kerneldiff.recordings.model import Options, Schedule

INLINE = '# /// script\n# dependencies = ["einops>=0.8", "kerneldiff[torch]"]\n# ///\n'


def order(target, **settings):
    defaults = {"variants": (), "arguments": {}, "options": Options()}
    return Order(target=target, **(defaults | settings))


def instructions(files):
    return msgspec.json.decode(files[INSTRUCTIONS], type=Instructions)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(INLINE + "import os\nimport layers\n\ndef step():\n    pass\n\nmade = step\n")
    (tmp_path / "layers.py").write_text("from sizes import SIZE\n")
    (tmp_path / "sizes.py").write_text("SIZE = 4\n")
    (tmp_path / "unrelated.py").write_text("")
    return path


def test_built_in_workload_needs_wheel_and_instructions_alone():
    files = pack(order("mlp", variants=("eager", "compile:mode=max-autotune"), arguments={"dim": "64"}))

    told = instructions(files)
    assert set(files) == {INSTRUCTIONS, told.wheel}
    assert told.target == "mlp"
    assert told.variants == ("eager", "compile:mode=max-autotune")
    assert told.arguments == {"dim": "64"}


def test_options_arrive_as_they_were_given():
    options = Options(schedule=Schedule(active=7), recordings=2, builds=3, shapes=False, device="cuda")

    assert instructions(pack(order("linear", options=options))).options == options


def test_file_travels_with_the_neighbours_that_it_imports(program):
    files = pack(order(f"{program}:step"))

    assert {name for name in files if name.startswith("program/")} == {
        "program/model.py",
        "program/layers.py",
        "program/sizes.py",
    }
    assert instructions(files).target == "model.py:step"


def test_inline_metadata_names_packages_and_kerneldiff_comes_as_its_wheel(program):
    files = pack(order(f"{program}:step", requirements=("torch==2.11.0",)))

    assert instructions(files).requirements == ("einops>=0.8", "torch==2.11.0")


def test_workload_with_foreign_kernels_names_their_packages():
    assert instructions(pack(order("kernels-mlp"))).requirements == ("kernels", "liger-kernel")


def test_further_files_travel_beside_the_program(program, tmp_path):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(b"w")

    assert "program/weights.bin" in pack(order(f"{program}:step", files=(str(weights),)))


def test_module_of_a_package_that_is_installed_there_keeps_its_name():
    assert instructions(pack(order("timm.models:step", requirements=("timm",)))).target == "timm.models:step"


@pytest.mark.parametrize("name", ["step", "made", "layers"])
def test_names_that_a_file_defines_or_imports_are_targets(program, name):
    assert instructions(pack(order(f"{program}:{name}"))).target == f"model.py:{name}"


@pytest.mark.parametrize(
    ("target", "settings", "said"),
    [
        ("nothing", {}, "not a target; give file.py:name, or a built-in workload"),
        ("absent.py:step", {}, "absent.py: no such file"),
        ("package.module:step", {}, "does not have the module package.module; give file.py:name.*--with"),
        ("mlp", {"variants": ("compile:mod=x",)}, "'mod=x' is no setting of torch.compile"),
        ("mlp", {"files": ("absent.bin",)}, "absent.bin: no such file"),
    ],
)
def test_wrong_orders_are_refused_before_anything_is_sent(target, settings, said):
    with pytest.raises(RecordingError, match=said):
        pack(order(target, **settings))


def test_name_that_is_not_in_the_file_is_refused(program):
    with pytest.raises(RecordingError, match=r"model.py defines no steps"):
        pack(order(f"{program}:steps"))


def test_file_that_is_not_python_is_refused(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("def step(:\n")

    with pytest.raises(RecordingError, match=r"broken.py: not Python"):
        pack(order(f"{path}:step"))


def test_two_files_of_one_name_are_refused(program, tmp_path):
    other = tmp_path / "elsewhere" / "sizes.py"
    other.parent.mkdir()
    other.write_text("")

    with pytest.raises(RecordingError, match=r"sizes.py: several files of this name"):
        pack(order(f"{program}:step", files=(str(other),)))
