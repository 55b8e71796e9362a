"""The command line against a Hub of this machine: one real recording as a Job, and real interrupts."""

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

import hub_server
from kerneldiff import pipeline

PROGRAM = """
import torch
from sizes import SIZE

def plain(device):
    x = torch.randn(SIZE, SIZE, device=device)
    return lambda: torch.relu(x @ x)

def inplace(device):
    x = torch.randn(SIZE, SIZE, device=device)
    return lambda: torch.relu_(x @ x)

plain.variants = {"inplace": inplace}
"""
ORDER = ["--variant", "eager", "--variant", "inplace", "--recordings", "2", "--active", "2"]
ON_HF = ["--on", "hf", "--flavor", "cpu-basic", "--repo", "ada/traces"]


def start(hub, home, *arguments, token=hub_server.TOKEN, cwd=None):
    return subprocess.Popen(
        [sys.executable, "-m", "kerneldiff", *map(str, arguments)],
        env=hub_server.client_environment(hub, home, token),
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(hub, home, *arguments, cwd=None):
    process = start(hub, home, *arguments, cwd=cwd)
    out, err = process.communicate(timeout=120)
    return SimpleNamespace(status=process.returncode, out=out, err=err)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """One recording, from the command line to its report, with its Hub still up."""
    pytest.importorskip("torch", reason="the Job records with torch, which is not installed here")
    work = tmp_path_factory.mktemp("hub")
    here = tmp_path_factory.mktemp("here")
    (here / "model.py").write_text(PROGRAM)
    (here / "sizes.py").write_text("SIZE = 48\n")
    with hub_server.serve(work) as hub:
        done = run(
            hub,
            work / "home",
            "record",
            "model.py:plain",
            *ORDER,
            *ON_HF,
            "--yes",
            "-o",
            "out",
            "--json",
            "diff.json",
            cwd=here,
        )
        yield SimpleNamespace(hub=hub, here=here, home=work / "home", done=done, job=next(iter(hub.jobs.values())))
    assert hub.unknown == []


def test_recording_as_a_job_ends_like_one_made_here(recorded):
    assert recorded.done.status == 0, recorded.done.err
    assert "eager > inplace" in recorded.done.out
    assert "inplace computes what eager computes" in recorded.done.out
    assert recorded.job.stage == "COMPLETED"


def test_price_comes_from_the_hub_and_is_said_before(recorded):
    price = recorded.done.err.index("0.01 USD per hour")

    assert price < recorded.done.err.index(f"Job {recorded.job.id} started")


def test_log_of_the_job_is_streamed(recorded):
    assert "kerneldiff: eager: building and warming up" in recorded.done.err
    assert "recording 2 of 2, in alternation" in recorded.done.err


def test_job_ran_the_wheel_of_this_very_version(recorded):
    """The Job's Python has all packages of this one but kerneldiff, and its index has nothing."""
    files = recorded.hub.repos["ada/traces"].at("main")[1]
    image = next((recorded.hub.work / recorded.job.id / "image" / "lib").iterdir()) / "site-packages"

    assert any(name.endswith(".whl") and "/inputs/" in name for name in files)
    assert (image / "kerneldiff" / "recordings" / "hub" / "worker.py").is_file()


def test_traces_of_all_variants_are_here_and_compare_to_the_same_report(recorded):
    for variant in ("eager", "inplace"):
        assert len(list((recorded.here / "out" / variant).glob("*.pt.trace.json.gz"))) == 2
    diff = json.loads((recorded.here / "diff.json").read_text())

    assert diff["baseline"]["recordings"] == 2
    assert diff["time"]["cpu"]["session"] == "same"


def test_traces_say_which_job_they_come_from(recorded):
    facts = dict(pipeline.load(recorded.here / "out" / "eager").environment)

    assert facts["hf_job"] == recorded.job.id
    assert facts["hf_cpu_cores"] == "2"


def test_jobs_lists_it_with_its_cost(recorded):
    done = run(recorded.hub, recorded.home, "jobs")

    assert done.status == 0
    assert recorded.job.id in done.out
    assert "model.py:plain" in done.out
    assert "COMPLETED" in done.out


def test_jobs_shows_it_with_the_end_of_its_log(recorded):
    done = run(recorded.hub, recorded.home, "jobs", "show", recorded.job.id)

    assert "sent" in done.out.splitlines()[-1]
    assert f"hf://datasets/ada/traces/{recorded.job.spec['environment']['KERNELDIFF_FOLDER']}" in done.out


def test_jobs_fetches_it_again_to_the_same_comparison(recorded):
    done = run(recorded.hub, recorded.home, "jobs", "fetch", recorded.job.id, "-o", recorded.here / "again", "-q")

    assert done.status == 0, done.err
    assert done.out.splitlines()[1:] == [line for line in done.out.splitlines()[1:] if line]
    assert (recorded.here / "again" / "eager" / "00.pt.trace.json.gz").read_bytes() == (
        recorded.here / "out" / "eager" / "00.pt.trace.json.gz"
    ).read_bytes()


def test_recordings_are_compared_where_they_lie(recorded):
    top = f"hf://datasets/ada/traces/{recorded.job.spec['environment']['KERNELDIFF_FOLDER']}/recordings"

    there = run(recorded.hub, recorded.home, "compare", f"{top}/eager", f"{top}/inplace", "--json", "-")

    assert there.status == 0, there.err
    diff, local = json.loads(there.out), json.loads((recorded.here / "diff.json").read_text())
    assert diff["baseline"]["paths"][0].startswith("hf://datasets/ada/traces")
    assert diff["matches"] == local["matches"]


@pytest.fixture
def waiting(tmp_path):
    """A recording that waits for a Job that never ends."""
    with hub_server.serve(tmp_path) as hub:
        hub.hold = "RUNNING"
        process = start(hub, tmp_path / "home", "record", "mlp", *ON_HF, "--yes", "-o", tmp_path / "out")
        lines = []
        while "started on" not in "".join(lines):
            lines.append(process.stderr.readline())
            assert lines[-1], "".join(lines)
        time.sleep(0.3)
        yield SimpleNamespace(hub=hub, process=process, job=next(iter(hub.jobs.values())))
        if process.poll() is None:
            process.kill()
            process.communicate()


def test_interrupt_asks_and_no_leaves_the_job_with_a_way_back(waiting):
    os.kill(waiting.process.pid, signal.SIGINT)
    _, err = waiting.process.communicate("n\n", timeout=30)

    assert waiting.process.returncode == 130
    assert f"Cancel Job {waiting.job.id}?" in err
    assert f"'kerneldiff jobs fetch {waiting.job.id}'" in err
    assert waiting.job.stage == "RUNNING"


def test_interrupt_asks_and_yes_cancels(waiting):
    os.kill(waiting.process.pid, signal.SIGINT)
    _, err = waiting.process.communicate("y\n", timeout=30)

    assert waiting.process.returncode == 130
    assert f"Job {waiting.job.id} has ended (CANCELED)" in err
    assert waiting.job.stage == "CANCELED"


def test_interrupt_that_nobody_can_answer_cancels(waiting):
    waiting.process.stdin.close()
    waiting.process.stdin = None
    os.kill(waiting.process.pid, signal.SIGINT)
    waiting.process.communicate(timeout=30)

    assert waiting.process.returncode == 130
    assert waiting.job.stage == "CANCELED"


def test_termination_cancels_without_a_question(waiting):
    os.kill(waiting.process.pid, signal.SIGTERM)
    _, err = waiting.process.communicate(timeout=30)

    assert "Cancel Job" not in err
    assert waiting.job.stage == "CANCELED"
