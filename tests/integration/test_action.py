"""The composite action: its scripts run as they stand, and no input can become a part of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from builders import GELU, GELU_MUL, GEMM, MUL, document

ACTION = (Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8")
INPUTS = ("BASELINE", "CANDIDATE", "TRACE", "LOCK", "EXPECT", "POLICY", "INCONCLUSIVE", "JUNIT")


def scripts() -> dict[str, str]:
    """The shell scripts by the name of their step."""
    steps = re.split(r"(?m)^    - ", ACTION)[1:]
    found = {}
    for step in steps:
        name = re.search(r"^name: (.*)$", step, re.MULTILINE)
        script = re.search(r"^      run: \|\n((?:        .*\n|\n)+)", step, re.MULTILINE)
        if name and script:
            found[name[1]] = textwrap.dedent(script[1])
    return found


def test_no_expression_stands_inside_a_script() -> None:
    found = scripts()

    assert sorted(found) == ["Check", "Install kerneldiff"]
    assert not any("${{" in script for script in found.values())


def test_every_input_is_used_and_declared() -> None:
    declared = set(re.findall(r"(?m)^  ([a-z-]+):\n    description:", ACTION.partition("outputs:")[0]))

    assert declared == set(re.findall(r"inputs\.([a-z-]+)", ACTION))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, kernels in {"eager": [GEMM, GELU, MUL], "compiled": [GEMM, GELU_MUL]}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document(*[kernels] * 3)), encoding="utf-8")
    return tmp_path


def check(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here to run the action's script")
    given = {name: inputs.get(name, "") for name in INPUTS}
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "PAGE": str(folder / "page" / "report.html"),
        **given,
    }
    script = scripts()["Check"]
    return subprocess.run(
        [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_two_traces_give_an_outcome_a_summary_and_a_page(folder: Path) -> None:
    done = check(folder, BASELINE="compiled.json", CANDIDATE="eager.json", JUNIT="junit.xml")

    assert done.returncode == 1
    assert "::error title=KD104 lost-fusion::" in done.stdout
    output = (folder / "output").read_text(encoding="utf-8")
    assert output == f"outcome=failed\npage={folder}/page/report.html\n"
    assert "### kerneldiff: failed" in (folder / "summary.md").read_text(encoding="utf-8")
    assert (folder / "page" / "report.html").stat().st_size > 1_000
    assert (folder / "junit.xml").exists()


def test_a_trace_and_expectations_give_the_page_of_the_trace(folder: Path) -> None:
    (folder / "expect.toml").write_text("[step]\nkernels = 2\n", encoding="utf-8")

    done = check(folder, TRACE="compiled.json", EXPECT="expect.toml")

    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "output").read_text(encoding="utf-8").startswith("outcome=passed\npage=")
    assert (folder / "page" / "report.html").stat().st_size > 1_000


def test_what_an_input_holds_is_a_file_name_and_never_a_command_or_an_option(folder: Path) -> None:
    done = check(folder, BASELINE="$(touch owned); `touch owned`", CANDIDATE="--allow")

    assert done.returncode == 2
    assert not (folder / "owned").exists()
    assert (folder / "output").read_text(encoding="utf-8") == "outcome=error\n"
