"""The command line as a user starts it: output, exit status, and one clear line for what goes wrong."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

DATA = Path(__file__).parents[1] / "data"
PAIRS = DATA / "pairs" / "traces"
EAGER, COMPILED = PAIRS / "seed-mlp_eager_shapes.json.gz", PAIRS / "seed-mlp_compile_shapes.json.gz"
LINEAR = PAIRS / "seed-linear_bf16_eager.json.gz", PAIRS / "seed-linear_bf16_compile.json.gz"


def run(*arguments: object, stdin: bytes | None = None, columns: int = 80) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kerneldiff", *map(str, arguments)]
    environment = {
        "PATH": "/usr/bin:/bin",
        "COLUMNS": str(columns),
        "PYTHONPATH": ":".join(sys.path),
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(command, input=stdin, capture_output=True, env=environment, check=False)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def fails(*arguments: object, stdin: bytes | None = None) -> str:
    """Run what cannot be done; give the one line that says why."""
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    return done.stderr


def test_compare_prints_the_verdict_and_exits_zero() -> None:
    done = run("compare", EAGER, COMPILED)

    assert done.returncode == 0
    assert done.stderr == ""
    assert "GPU work: CHANGED (fused)" in done.stdout
    assert "gelu + mul" in done.stdout


@pytest.mark.parametrize(
    ("pair", "status"),
    [
        (LINEAR, 0),
        ((EAGER, COMPILED), 1),
        ((PAIRS / "seed-mlp_compile.json.gz", COMPILED), 3),
        (
            (
                DATA / "cases/37-no-gpu-records-at-all/with_gpu.json",
                DATA / "cases/37-no-gpu-records-at-all/cpu_only.json",
            ),
            3,
        ),
    ],
)
def test_exit_code_says_the_verdict(pair: tuple[Path, Path], status: int) -> None:
    assert run("compare", *pair, "--exit-code", "-q").returncode == status
    assert run("compare", *pair, "-q").returncode == 0


def test_json_goes_to_stdout_alone_and_follows_the_contract() -> None:
    done = run("compare", EAGER, COMPILED, "--json", "-")
    document = json.loads(done.stdout)

    assert document["schema"] == "kerneldiff.diff/1"
    assert document["baseline"]["kernels_per_step"] == 5
    assert document["baseline"]["representative"]["alike"] == 3
    assert document["verdict"]["gpu_work"] == "changed"
    assert set(document["time"]) == {"gpu", "gpu_busy", "cpu", "step"}
    keys = {
        "baseline_ns",
        "candidate_ns",
        "ratio",
        "interval",
        "call",
        "basis",
        "recordings",
        "steps",
        "session",
        "reason",
    }
    assert keys <= set(document["time"]["gpu"])
    assert sum(match["gpu_ns"]["baseline"] for match in document["matches"]) == sum(
        e["gpu_ns"] for e in document["events"]["baseline"]
    )
    assert {
        "relation",
        "moved",
        "facets",
        "operators",
        "fused_operators",
        "confidence",
        "evidence",
        "reason",
        "differences",
        "time",
        "bytes_saved",
    } <= set(document["matches"][0])
    assert {
        "name",
        "kind",
        "auxiliary",
        "decoded",
        "grid",
        "chain",
        "launch",
        "input_shapes",
        "problem_size",
        "stream",
        "start_ns",
    } <= set(document["events"]["baseline"][0])


def test_more_than_two_runs_are_each_compared_with_the_first(tmp_path: Path) -> None:
    done = run("compare", EAGER, COMPILED, EAGER, "--json", tmp_path / "diffs.json")
    document = json.loads((tmp_path / "diffs.json").read_text())

    assert document["schema"] == "kerneldiff.diffs/1"
    assert [diff["verdict"]["gpu_work"] for diff in document["diffs"]] == ["changed", "same"]
    assert "what changed" in done.stdout
    assert "what stayed the same" in done.stdout


def test_a_folder_is_a_run_of_several_recordings(tmp_path: Path) -> None:
    for side, name in (("a", "mlp_eager"), ("b", "mlp_compile")):
        (tmp_path / side).mkdir()
        for number in range(3):
            source = DATA / "replicates" / f"{name}_0{number}.json.gz"
            (tmp_path / side / source.name).write_bytes(source.read_bytes())

    document = json.loads(run("compare", tmp_path / "a", tmp_path / "b", "--json", "-").stdout)

    assert document["baseline"]["recordings"] == 3
    assert document["time"]["gpu"]["recordings"] == [3, 3]
    assert document["time"]["gpu"]["call"] == "faster"


def test_standard_input_is_a_run() -> None:
    done = run("compare", EAGER, "-", "--json", "-", stdin=EAGER.read_bytes())

    assert json.loads(done.stdout)["verdict"]["gpu_work"] == "same"


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("pair", ["mlp", "bert", "train", "resnet"])
def test_no_line_is_wider_than_the_terminal(columns: int, pair: str) -> None:
    sides = {
        "mlp": (EAGER, COMPILED),
        "bert": (PAIRS / "hf-bert_eager.json.gz", PAIRS / "hf-bert_compile.json.gz"),
        "train": (PAIRS / "train-train_lm_bf16_eager.json.gz", PAIRS / "train-train_lm_bf16_compile.json.gz"),
        "resnet": (PAIRS / "vision-resnet18_nchw_eager.json.gz", PAIRS / "vision-resnet18_nchw_compile.json.gz"),
    }
    done = run("compare", *sides[pair], columns=columns)

    assert max(cell_len(line) for line in done.stdout.splitlines()) <= columns
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("columns", [80, 120])
def test_how_many_alike_changes_there_are_never_runs_into_the_relation(columns: int) -> None:
    shown = run(
        "compare", PAIRS / "hf-bert_eager.json.gz", PAIRS / "hf-bert_compile.json.gz", columns=columns
    ).stdout.splitlines()
    at = next(i for i, line in enumerate(shown) if line.startswith("~ reimplemented "))

    assert " x4 " in shown[at + 1][:17]
    assert not [line for line in shown if line.startswith("~ reimplementx")]


def test_a_training_step_folds_so_that_the_changes_are_seen_first() -> None:
    folded = run(
        "compare", PAIRS / "train-train_lm_bf16_eager.json.gz", PAIRS / "train-train_lm_bf16_compile.json.gz"
    ).stdout
    whole = run(
        "compare", PAIRS / "train-train_lm_bf16_eager.json.gz", PAIRS / "train-train_lm_bf16_compile.json.gz", "--all"
    ).stdout

    assert len(folded.splitlines()) < len(whole.splitlines())
    assert folded.index("What changed most") < folded.index("GPU events in launch order")


class TestWhatCannotBeDone:
    def test_a_missing_file(self) -> None:
        assert "no-such-file.json" in fails("compare", "no-such-file.json", EAGER)

    def test_an_empty_file(self, tmp_path: Path) -> None:
        (tmp_path / "empty.json").write_bytes(b"")

        assert "empty" in fails("compare", tmp_path / "empty.json", EAGER)

    @pytest.mark.parametrize("content", [b"hello, world", b"\x00\x01\x02", b"<html></html>", b"[1, 2", b'"text"'])
    def test_no_json(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "x.json").write_bytes(content)

        assert "x.json" in fails("compare", tmp_path / "x.json", EAGER)

    @pytest.mark.parametrize(
        "content", ['{"a": 1}', "[]", "{}", "[1, 2, 3]", '{"traceEvents": []}', '{"traceEvents": 5}']
    )
    def test_json_that_is_no_trace(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "x.json").write_text(content)

        assert "x.json" in fails("compare", tmp_path / "x.json", EAGER)

    def test_nothing_to_compare(self) -> None:
        done = run("compare", EAGER)

        assert done.returncode == 2
        assert "nothing to compare" in done.stderr

    def test_a_folder_without_recordings(self, tmp_path: Path) -> None:
        assert "no recording" in fails("compare", tmp_path, EAGER)

    def test_a_result_that_cannot_be_written(self, tmp_path: Path) -> None:
        line = fails("compare", EAGER, COMPILED, "--json", tmp_path / "no" / "such" / "folder.json")

        assert "cannot be written" in line

    def test_a_name_with_control_characters_stays_on_one_line(self) -> None:
        assert "\x1b" not in fails("compare", "bad\x1b[31m\nname.json", EAGER)


def test_a_trace_of_the_cpu_is_answered_with_what_it_supports() -> None:
    folder = DATA / "cases/37-no-gpu-records-at-all"
    document = json.loads(run("compare", folder / "cpu_only.json", folder / "cpu_only.json", "--json", "-").stdout)

    assert document["verdict"]["gpu_work"] == "unknown"
    assert document["matches"] == []


def test_a_hostile_name_reaches_no_terminal(tmp_path: Path) -> None:
    text = gzip.decompress(EAGER.read_bytes()).decode()
    hostile = text.replace(
        "nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_TNT", "gemm\\u001b[31m\\u202e</script>|\\n::error::x"
    )
    (tmp_path / "h.json").write_text(hostile)

    done = run("compare", tmp_path / "h.json", EAGER)

    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "\n::error" not in done.stdout


def test_decode_reads_names_from_stdin_in_order() -> None:
    names = ["nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT", "triton_poi_fused_gelu_mul_0", "no such kernel"]

    done = run("decode", "--json", "-", stdin=("\n".join(names) + "\n").encode())

    assert [one["name"] for one in json.loads(done.stdout)] == names


def test_demo_needs_nothing_and_shows_three_comparisons() -> None:
    done = run("demo")

    assert done.returncode == 0
    assert done.stdout.count("GPU work: ") == 3
    assert "GPU work: SAME" in done.stdout
    assert max(cell_len(line) for line in done.stdout.splitlines()) <= 88


def test_help_lists_every_command_and_imports_nothing_heavy() -> None:
    done = run("--help")

    assert "compare" in done.stdout
    code = "import sys, kerneldiff.cli.main; print([m for m in ('numpy','scipy','torch','rich','jinja2','msgspec') if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_version_is_that_of_the_package() -> None:
    from kerneldiff import __version__

    assert run("--version").stdout.split()[-1] == __version__
