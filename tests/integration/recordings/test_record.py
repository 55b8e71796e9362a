"""Recording for real, on the CPU: one program compiled by Inductor, and what goes wrong."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="recording needs PyTorch")

ROOT = Path(__file__).parents[3]
TARGETS = """
import torch

def double(count: int = 8):
    print("hello from the program")
    x = torch.ones(count)
    return lambda: torch.mul(x, 2)

def triple():
    x = torch.ones(8)
    return lambda: torch.mul(x, 3)

def absent():
    raise FileNotFoundError("weights.bin\\nsecond line")

def leaving():
    raise SystemExit(0)

def idle():
    return lambda: None

def sinking():
    state = {"calls": 0}
    def step():
        state["calls"] += 1
        if state["calls"] > 60:
            raise RuntimeError("out of memory: 1 GiB")
        return torch.ones(4) + 1
    return step

def twice():
    x = torch.ones(8)
    return lambda: torch.add(x, x)

double.variants = {"twice": twice, "wrong": triple, "absent": absent}
"""


def run(*words, cwd, timeout=300):
    environment = os.environ | {"OMP_NUM_THREADS": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1", "COLUMNS": "100"}
    environment["TORCHINDUCTOR_CACHE_DIR"] = str(cwd / "cache")
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def record(*words, cwd):
    return run("-m", "kerneldiff", "record", *words, "--device", "cpu", cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("record")
    (path / "targets.py").write_text(TARGETS)
    return path


@pytest.fixture(scope="module")
def mlp(folder):
    return record("mlp", "-o", "mlp", "--recordings", "2", "--html", "mlp.html", cwd=folder)


def test_the_mlp_is_recorded_and_compared_in_one_command(mlp):
    assert mlp.returncode == 0, mlp.stderr
    assert "fused: gelu, mul" in mlp.stdout
    assert "what stayed the same" in mlp.stdout
    assert "compile computes what eager computes: 1 output compared" in mlp.stdout


def test_each_variant_has_its_folder_of_traces_and_tables(mlp, folder):
    names = ["00.pt.trace.json.gz", "00.table.txt", "01.pt.trace.json.gz", "01.table.txt"]

    assert mlp.returncode == 0
    for variant in ("eager", "compile"):
        assert sorted(path.name for path in (folder / "mlp" / variant).iterdir()) == names
        assert "aten::mm" in (folder / "mlp" / variant / "00.table.txt").read_text()


def test_a_trace_stays_a_trace_with_our_facts_at_its_top(mlp, folder):
    assert mlp.returncode == 0
    document = json.loads(gzip.decompress((folder / "mlp/compile/01.pt.trace.json.gz").read_bytes()))

    own = document["kerneldiff"]
    assert {event["name"] for event in document["traceEvents"] if event["name"].startswith("ProfilerStep")} == {
        "ProfilerStep#2",
        "ProfilerStep#3",
        "ProfilerStep#4",
    }
    assert (own["schema"], own["variant"], own["recording"]) == ("kerneldiff.recording/1", "compile", 1)
    assert own["environment"]["device"] == "cpu"
    assert len(own["unprofiled"]["step_ns"]) >= 5
    assert min(own["unprofiled"]["cpu_ns"]) > 0


def test_the_page_is_written_too(mlp, folder):
    assert mlp.returncode == 0
    assert (folder / "mlp.html").read_text(encoding="utf-8").startswith("<!")


def test_the_recordings_can_be_compared_again_as_folders(mlp, folder):
    assert mlp.returncode == 0
    result = run("-m", "kerneldiff", "compare", "mlp/eager", "mlp/compile", "--json", "-", cwd=folder)

    document = json.loads(result.stdout)
    assert document["verdict"]["changes"] == ["fused"]
    assert {event["kind"] for event in document["events"]["candidate"]} == {"cpu_kernel"}
    assert any("cpp_fused" in event["name"] for event in document["events"]["candidate"])
    assert document["time"]["step"]["basis"] == "unprofiled"


def test_a_folder_that_holds_something_is_not_mixed_with(mlp, folder):
    assert mlp.returncode == 0
    result = record("linear", "--variant", "eager", "-o", "mlp", cwd=folder)

    assert result.returncode == 2
    assert "not empty" in result.stderr


def test_what_fails_is_named_and_the_others_are_kept_and_compared(folder):
    result = record(
        "targets.py:double", "--variant", "eager", "--variant", "absent", "--variant", "wrong", "--variant", "twice",
        "--recordings", "1", "-o", "mixed", cwd=folder,
    )  # fmt: skip

    assert result.returncode == 2
    assert (
        "variant absent: building and running the first steps failed: FileNotFoundError: weights.bin" in result.stderr
    )
    assert "second line" not in result.stderr
    assert result.stdout.startswith("MISMATCH  wrong does not compute what eager computes")
    assert "eager > twice" in result.stdout
    assert "twice computes what eager computes" in result.stdout
    assert sorted(path.name for path in (folder / "mixed").iterdir()) == ["eager", "twice", "wrong"]


def test_what_the_program_prints_stays_out_of_the_answer_and_a_cycle_is_a_file(folder):
    result = record(
        "targets.py:double", "--variant", "eager", "--variant", "twice", "--recordings", "2", "--repeat", "2",
        "--wait", "0", "--active", "2", "--no-shapes", "--stacks", "--memory", "--json", "-", "-o", "cycles", cwd=folder,
    )  # fmt: skip

    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["baseline"]["recordings"] == 4
    assert json.loads(result.stdout)["baseline"]["steps"] == 8
    assert "shapes" in json.loads(result.stdout)["baseline"]["missing"]
    assert "hello from the program" in result.stderr


def test_a_step_that_fails_later_says_when(folder):
    result = record("targets.py:sinking", "--variant", "eager", "--recordings", "1", "-o", "sinking", cwd=folder)

    assert result.returncode == 2
    assert "variant eager: out of memory while timing" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["targets.py:idle", "--variant", "eager"], "variant eager: the step launched nothing on the CPU"),
        (["targets.py:leaving", "--variant", "eager"], "SystemExit"),
        (["kernels-mlp", "--variant", "eager"], "Triton needs a GPU"),
        (["targets.py:double", "--set", "count=many"], "count=many: double takes a value of type int"),
        (["targets.py:double", "--set", "depth=3"], "it takes count"),
        (["targets.py:double", "--variant", "fast"], "fast: no such variant; there are eager, compile"),
        (["targets.py:double", "--variant", "compile:backend=none"], "compiling failed"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line_and_status_2(folder, words, said):
    result = record(*words, "--recordings", "1", "-o", f"bad-{abs(hash(said))}", cwd=folder)

    assert result.returncode == 2
    assert said in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_builds_are_compiled_afresh_and_held_against_each_other(folder):
    result = record(
        "targets.py:double", "--variant", "eager", "--variant", "compile:backend=aot_eager",
        "--builds", "2", "--recordings", "1", "-o", "builds", cwd=folder,
    )  # fmt: skip

    assert result.returncode == 0, result.stderr
    assert "2 builds of compile:backend=aot_eager" in result.stdout
    assert (folder / "builds/build-2/compile-backend=aot_eager/00.pt.trace.json.gz").is_file()


def test_the_api_records_steps_that_exist_already(folder):
    script = (
        "import torch, kerneldiff\n"
        "from kerneldiff.recordings import Options\n"
        "x = torch.ones(64, 64)\n"
        "options = Options(recordings=2, device='cpu')\n"
        "run = kerneldiff.record(lambda: x @ x, name='product', out='api-one', options=options)\n"
        "print([path.name for path in run.files], run.profile.events[0].name)\n"
        "steps = {'product': lambda: x @ x, 'einsum': lambda: torch.einsum('ij,jk->ik', x, x)}\n"
        "found = kerneldiff.compare_variants(steps, out='api-two', options=options)\n"
        "print(found.labels, found.outputs[0].equal, len(found.diffs))\n"
    )
    result = run("-c", script, cwd=folder)

    assert result.stdout.splitlines() == [
        "['00.pt.trace.json.gz', '01.pt.trace.json.gz'] aten::mm",
        "('product', 'einsum') True 1",
    ], result.stderr


def test_the_first_example_runs_with_plain_python(folder):
    result = run(str(ROOT / "examples" / "02_linear.py"), "--batch", "16", "--out", "example", cwd=folder)

    assert result.returncode == 0, result.stderr
    assert "aten::addmm" in result.stdout
    assert len(list((folder / "example" / "eager").glob("*.gz"))) == 5


def test_the_third_example_says_why_it_is_skipped_without_a_gpu(folder):
    result = run(str(ROOT / "examples" / "03_kernels_mlp.py"), cwd=folder)

    if "cuda" in result.stdout:
        pytest.skip("this machine has a GPU")
    assert "skipped: the kernel is written in Triton" in result.stderr
