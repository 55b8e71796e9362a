"""``record --on hf`` and ``jobs`` in this process, against a Hub of this machine."""

import os
import re
import sys
from types import SimpleNamespace

import pytest

import hub_server
from kerneldiff.cli.main import main
from kerneldiff.recordings.hub import waiting

ON_HF = ("--on", "hf", "--flavor", "cpu-basic", "--repo", "ada/traces")
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def hub(tmp_path, monkeypatch):
    monkeypatch.setattr(waiting, "_POLL_SECONDS", 0.05)
    monkeypatch.setattr(waiting, "_QUEUE_SECONDS", 0.05)
    monkeypatch.chdir(tmp_path)
    with hub_server.serve(tmp_path) as hub, hub_server.spoken_to(hub, monkeypatch):
        yield hub
    assert hub.unknown == []


@pytest.fixture
def cli(monkeypatch, capsys, tmp_path):
    def call(*arguments, answer=None):
        answers = tmp_path / "answers"
        answers.write_text("" if answer is None else f"{answer}\n")
        with answers.open() as stdin, monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["kerneldiff", *map(str, arguments)])
            patch.setattr(sys, "stdin", stdin)
            try:
                main()
                status = 0
            except SystemExit as end:
                status = end.code or 0
        out, err = capsys.readouterr()
        return SimpleNamespace(status=status, out=out, err=err)

    return call


def the_job(hub):
    (job,) = hub.jobs.values()
    return job


def finished(hub, data, stage, message=None, outcome=None, *, recorded=True):
    """A Job that has ended, with what it had sent back."""
    environment = {"KERNELDIFF_REPO": "ada/traces", "KERNELDIFF_FOLDER": "mlp-1", "KERNELDIFF_TARGET": "mlp"}
    spec = {"environment": environment, "labels": {"kerneldiff": "record"}, "flavor": "cpu-basic"}
    job = hub_server.RunningJob(id="f" * 24, namespace="ada", spec=spec, stage=stage, message=message)
    job.lines = ["===== Job started =====", "Traceback", "RuntimeError: boom"]
    files = {"mlp-1/outcome.json": outcome.encode()} if outcome else {}
    if recorded:
        source = next(iter(sorted((data / "replicates").rglob("*.json.gz")))).read_bytes()
        files |= {f"mlp-1/recordings/{variant}/00.pt.trace.json.gz": source for variant in ("eager", "compile")}
        files["mlp-1/session.json"] = b'{"variants": ["eager", "compile"]}'
    repo = hub_server.Repo(private=True)
    repo.commits["1" * 40], repo.head = files, "1" * 40
    hub.repos["ada/traces"], hub.jobs[job.id] = repo, job
    return job


def test_question_names_hardware_price_and_who_pays(hub, cli):
    done = cli(
        "record", "mlp", "--on", "hf", "--flavor", "a100-large", "--repo", "traces", "--timeout", "1h", answer="n"
    )

    assert done.status == 2
    assert "1 x Nvidia A100, 80 GB" in done.err
    assert "3.06 USD per hour, at most 3.06 USD for 60 min" in done.err
    assert "ada pays" in done.err
    assert "private dataset ada/traces" in done.err
    assert "nothing was started" in done.err
    assert hub.jobs == {}
    assert hub.repos == {}


def test_question_that_nobody_answers_starts_nothing(hub, cli):
    done = cli("record", "mlp", *ON_HF)

    assert done.status == 2
    assert "say --yes where nobody can be asked" in done.err
    assert hub.jobs == {}


def test_answer_yes_starts_it(hub, cli):
    hub.hold = "SCHEDULING"

    done = cli("record", "mlp", *ON_HF, "--detach", answer="y")

    assert done.status == 0
    assert the_job(hub).stage == "SCHEDULING"


def test_detached_job_is_listed_shown_and_cancelled(hub, cli):
    hub.hold = "RUNNING"
    detached = cli("record", "mlp", *ON_HF, "--detach", "--yes")
    job = the_job(hub)

    assert f"'kerneldiff jobs fetch {job.id}'" in detached.err
    assert job.id in cli("jobs").out
    assert "RUNNING" in cli("jobs", "show", job.id).out
    early = cli("jobs", "fetch", job.id)
    assert early.status == 2
    assert f"Job {job.id} is still running" in early.err
    assert f"Job {job.id} is cancelled" in cli("jobs", "cancel", job.id).out
    assert job.stage == "CANCELED"
    assert "had ended already (CANCELED)" in cli("jobs", "cancel", job.id).out


def test_organization_pays_where_it_is_named(hub, cli):
    hub.hold = "RUNNING"

    done = cli("record", "mlp", *ON_HF, "--namespace", "lab", "--detach", "--yes")

    assert the_job(hub).namespace == "lab"
    assert f"jobs cancel {the_job(hub).id} --namespace lab" in done.err
    assert the_job(hub).id in cli("jobs", "list", "--namespace", "lab").out
    assert "no Jobs of kerneldiff for ada" in cli("jobs").err


def test_job_that_fails_is_said_with_its_id_and_last_words(hub, cli):
    hub.command = ["sh", "-c", "echo first; echo 'RuntimeError: boom'; exit 3"]

    done = cli("record", "mlp", *ON_HF, "--yes")

    assert done.status == 2
    assert "first" in done.err
    last = done.err.splitlines()[-1]
    assert last.startswith(f"kerneldiff: Job {the_job(hub).id} failed (Job failed with exit code: 3)")
    assert "its last words: RuntimeError: boom" in last
    assert the_job(hub).id in last.rpartition("its log: ")[2]


def test_job_that_the_hub_ends_at_its_limit_is_told_from_a_failure(hub, cli):
    hub.command, hub.seconds = ["sleep", "30"], 0.3

    done = cli("record", "mlp", *ON_HF, "--yes")

    assert done.status == 2
    assert f"Job {the_job(hub).id} was ended by the Hub at its time limit" in done.err
    assert "--timeout" in done.err


def test_job_that_ends_well_and_leaves_nothing_is_an_error(hub, cli):
    hub.command = ["true"]

    done = cli("record", "mlp", *ON_HF, "--yes")

    assert done.status == 2
    assert re.search(rf"Job {the_job(hub).id} left no recording in ada/traces, folder mlp-", done.err)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (("ERROR", "Job failed with exit code: 137", None), "failed (Job failed with exit code: 137)"),
        (("ERROR", "Job failed with exit code: 124", '{"status": 124, "ended": "time"}'), "used up its time"),
        (("CANCELED", None, '{"status": 124, "ended": "stopped"}'), "was cancelled"),
    ],
)
def test_what_was_recorded_before_the_end_is_compared(hub, cli, data, end, said):
    job = finished(hub, data, *end)

    done = cli("jobs", "fetch", job.id)
    quiet = cli("jobs", "fetch", job.id, "-q", "-o", "again")

    assert done.status == quiet.status == 2
    assert "eager > compile" in done.out
    assert f"Job {job.id} {said}" in re.sub(r"\s+", " ", done.out)
    assert f"Job {job.id} {said}" in quiet.err


def test_fetched_job_that_recorded_nothing_shows_the_end_of_its_log(hub, cli, data):
    job = finished(hub, data, "ERROR", "exit code: 1", recorded=False)

    done = cli("jobs", "fetch", job.id)

    assert done.status == 2
    assert "  RuntimeError: boom" in done.err
    assert "no recording came back" in done.err


def test_fetching_into_a_folder_with_recordings_is_refused(hub, cli, data, tmp_path):
    job = finished(hub, data, "COMPLETED")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "trace.json").write_text("{}")

    done = cli("jobs", "fetch", job.id, "-o", "old")

    assert done.status == 2
    assert "old: not empty" in done.err


def test_job_of_somebody_else_is_neither_fetched_nor_cancelled(hub, cli):
    hub.hold = "RUNNING"
    job = hub.start("ada", {"command": ["true"], "flavor": "cpu-basic", "environment": {}})

    for verb in ("fetch", "cancel"):
        done = cli("jobs", verb, job.id)
        assert done.status == 2
        assert f"Job {job.id} was not started by kerneldiff" in done.err
    assert job.stage == "RUNNING"


def test_recordings_that_cannot_be_fetched_are_fetched_later(hub, cli, data):
    job = finished(hub, data, "COMPLETED")
    hub.refusals["GET", "/api/datasets/ada/traces/revision/main"] = [403, "no", 99]

    done = cli("jobs", "fetch", job.id)

    assert done.status == 2
    assert f"'kerneldiff jobs fetch {job.id}' tries again" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--on", "hf", "--repo", "ada/t", "--flavor", "a100-larg"], "did you mean a100-large"),
        (
            ["--on", "hf", "--repo", "ada/t"],
            "say which hardware: --flavor, one of cpu-basic (0.01 USD per hour), a100-large",
        ),
        (["--on", "hf", "--flavor", "cpu-basic"], "--repo OWNER/NAME"),
        ([*ON_HF, "--timeout", "soon"], "--timeout soon: give a time of a minute or more"),
        ([*ON_HF, "--variant", "compile:mood=x"], "no setting of torch.compile"),
        (["--flavor", "cpu-basic"], "--flavor is for Jobs: add --on hf"),
        (["--with", "x"], "--with is for Jobs: add --on hf"),
    ],
)
def test_wrong_orders_start_nothing(hub, cli, arguments, said):
    done = cli("record", "mlp", *arguments, answer="y")

    assert done.status == 2
    assert said in done.err
    assert hub.jobs == {}


def test_log_cannot_write_to_the_terminal_as_it_likes(hub, cli):
    hub.command = ["sh", "-c", r"printf '\033[2Jwiped\n'; exit 1"]

    done = cli("record", "mlp", *ON_HF, "--yes")

    assert "wiped" in done.err
    assert "\033" not in done.err


def test_settings_of_this_machine_stay_out(hub, cli):
    """The token goes as a secret; nothing else of the environment goes along."""
    hub.hold = "RUNNING"
    cli("record", "mlp", *ON_HF, "--detach", "--yes")

    environment = the_job(hub).spec["environment"]
    assert "HF_TOKEN" not in environment
    assert set(environment) & set(os.environ) <= {"PYTHONUNBUFFERED", "HF_HUB_DISABLE_PROGRESS_BARS"}
