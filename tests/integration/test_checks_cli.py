"""lock, check, expect and explain on the command line: streams, files and exit status."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from builders import ADD, GELU, GELU_MUL, GEMM, MUL, document, kernel
from kerneldiff.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with traces, a lock file of the eager one, and expectations of the compiled one."""
    made = tmp_path_factory.mktemp("checks")
    traces = {
        "eager": document(*[[GEMM, GELU, MUL]] * 12),
        "compiled": document(*[[GEMM, GELU_MUL]] * 12),
        "longer": document(*[[GEMM, GELU, MUL, ADD]] * 12),
        "other-device": document(*[[GEMM, GELU, MUL]] * 12, device="NVIDIA A100"),
        "unproven": document(*[[kernel("my_kernel", operators=("my_kernel",))]] * 12),
        "again": document(*[[kernel("my_kernel", 1.01, operators=("my_kernel",))]] * 12),
        "hostile": document(*[[GEMM, GELU, MUL, kernel("x\n::error::owned", operators=("aten::add",))]] * 12),
    }
    for name, value in traces.items():
        (made / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    assert run(made, "lock", "eager.json", "-o", "eager.lock").returncode == 0
    assert run(made, "expect", "compiled.json", "-o", "expect.toml").returncode == 0
    return made


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def run(folder: Path, *arguments: str, **environment: str) -> Done:
    """Run the command line in this process: a process of its own for each would take most of the time."""
    out, err = io.StringIO(), io.StringIO()
    status: int | str | None = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["kerneldiff", *arguments])
        for name, value in {"COLUMNS": "100", **environment}.items():
            patch.setenv(name, value)
        try:
            main()
        except SystemExit as stop:
            status = stop.code
    assert status is None or isinstance(status, int)
    return Done(returncode=status or 0, stdout=out.getvalue(), stderr=err.getvalue())


def test_the_exit_status_reaches_the_shell(folder: Path) -> None:
    command = [sys.executable, "-m", "kerneldiff", "check", "compiled.json", "--lock", "eager.lock"]

    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["eager.json", "--lock", "eager.lock"], 0, "pass  eager.json against eager.lock: 1 passed"),
        (["compiled.json", "--lock", "eager.lock"], 1, "2 kernels became 1 kernel (gelu, mul)"),
        (["compiled.json", "--lock", "eager.lock", "--allow", "fused"], 0, "pass  KD100 changed-work"),
        (["compiled.json", "--expect", "expect.toml"], 0, "pass  expect fused (gelu + mul)"),
        (["eager.json", "--expect", "expect.toml"], 1, "gelu and mul are not done by one kernel"),
        (["eager.json", "--expect", "expect.toml", "--lock", "eager.lock"], 1, "pass  KD100 changed-work"),
        (["eager.json", "compiled.json"], 0, "pass  KD104 lost-fusion"),
        (["compiled.json", "eager.json"], 1, "FAIL  KD104 lost-fusion"),
        (["eager.json", "longer.json", "--select", "KD103", "--more-launches", "1"], 0, "pass  KD103 more-launches"),
        (["eager.json", "longer.json", "--select", "KD103"], 1, "expected"),
        (["unproven.json", "again.json"], 3, "OPEN  KD114 unproven-code"),
        (["unproven.json", "again.json", "--inconclusive", "pass"], 0, "OPEN  KD114 unproven-code"),
        (["unproven.json", "again.json", "--inconclusive", "fail"], 1, "OPEN  KD114 unproven-code"),
    ],
)
def test_check_says_its_outcome_in_words_and_in_the_exit_status(
    folder: Path, arguments: list[str], status: int, said: str
) -> None:
    done = run(folder, "check", *arguments)

    assert (done.returncode, done.stderr) == (status, "")
    assert said in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["other-device.json", "--lock", "eager.lock"],
            "kerneldiff: eager.lock: locked on NVIDIA H200, and other-device.json",
        ),
        (["eager.json", "--lock", "gone.lock"], "kerneldiff: gone.lock: cannot be read (No such file or directory)"),
        (["eager.json", "--lock", "eager.json"], "kerneldiff: eager.json, line 1: this is no lock file"),
        (["eager.json", "--expect", "eager.lock"], "kerneldiff: eager.lock: no TOML: "),
        (["eager.json", "compiled.json", "--allow", "fusd"], "did you mean 'fused'?"),
        (["eager.json", "compiled.json", "--slower-gpu", "5%", "--ignore", "KD102"], "give one of the two"),
        (["eager.json", "--lock", "eager.lock", "--slower-gpu", "5%"], "--slower-gpu says nothing about one TRACE"),
        (["eager.json", "--expect", "expect.toml", "--allow", "fused"], "--allow says nothing about one TRACE"),
        (["eager.json", "compiled.json", "--other-device"], "--other-device needs --lock"),
        (["eager.json"], "give a BASELINE and a CANDIDATE, or one TRACE with --lock or --expect"),
        (["eager.json", "compiled.json", "--lock", "eager.lock"], "--lock and --expect take one TRACE"),
    ],
)
def test_what_cannot_be_done_ends_with_two_and_says_what_to_do(folder: Path, arguments: list[str], said: str) -> None:
    done = run(folder, "check", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_the_policy_of_the_project_holds_and_flags_go_before_it(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.kerneldiff]\nmore-launches = "50%"\nselect = ["KD103"]\n', encoding="utf-8"
    )
    (tmp_path / "deeper").mkdir()
    traces = [str(folder / "eager.json"), str(folder / "longer.json")]

    assert run(tmp_path / "deeper", "check", *traces).returncode == 0
    assert run(tmp_path / "deeper", "check", *traces, "--more-launches", "0").returncode == 1
    against_lock = [str(folder / "compiled.json"), "--lock", str(folder / "eager.lock"), "--allow", "fused"]
    assert run(tmp_path / "deeper", "check", *against_lock).returncode == 0


def test_a_policy_file_is_refused_by_its_name_and_key(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text("slower-gpo = 1\n", encoding="utf-8")

    done = run(tmp_path, "check", str(folder / "eager.json"), str(folder / "eager.json"), "--policy", "policy.toml")

    assert done.returncode == 2
    assert done.stderr == "kerneldiff: policy.toml: unknown key 'slower-gpo'; did you mean 'slower-gpu'?\n"


def test_junit_is_written_beside_the_text(folder: Path, tmp_path: Path) -> None:
    done = run(folder, "check", "compiled.json", "--lock", "eager.lock", "--junit", str(tmp_path / "junit.xml"))

    suite = ET.parse(tmp_path / "junit.xml").getroot().find("testsuite")  # noqa: S314 - our own file
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert "FAIL" in done.stdout


def test_github_gets_annotations_a_summary_and_no_command_from_a_name(folder: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")

    done = run(folder, "check", "hostile.json", "--lock", "eager.lock", "--github", GITHUB_STEP_SUMMARY=str(summary))

    lines = done.stdout.split("\n")
    end = next(i for i, line in enumerate(lines) if i and line == f"::{lines[0].removeprefix('::stop-commands::')}::")
    assert [line.partition(" ")[0] for line in lines[end + 1 :] if line] == ["::error"]
    assert summary.read_text(encoding="utf-8").startswith("before\n### kerneldiff: failed\n")


def test_a_trace_without_gpu_events_cannot_be_locked(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cpu.json").write_text(json.dumps(document(*[[]] * 3)), encoding="utf-8")

    done = run(tmp_path, "lock", "cpu.json")

    assert (done.returncode, done.stdout) == (2, "")
    assert "cpu.json: no GPU events were recorded, so there is nothing to lock" in done.stderr


def test_explain_prints_a_rule_by_code_or_name_and_lists_all(folder: Path) -> None:
    by_code, by_name, listed = (run(folder, "explain", *words) for words in (["kd104"], ["lost-fusion"], []))

    assert by_code.stdout == by_name.stdout
    assert by_code.stdout.startswith("KD104 lost-fusion\n")
    assert len(listed.stdout.splitlines()) == 15
    wrong = run(folder, "explain", "lost-fusoin")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean 'lost-fusion'?" in wrong.stderr
