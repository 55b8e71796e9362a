"""The real client against a Hub of this machine."""

import pytest

import hub_server
from kerneldiff.errors import RecordingError
from kerneldiff.recordings.hub.client import Client
from kerneldiff.recordings.hub.launching import start
from kerneldiff.recordings.hub.model import Place, Unreachable
from kerneldiff.recordings.hub.waiting import WAITS, Follower, describe_later

REPO = "ada/traces"
# The library's own upload of large files.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def hub(tmp_path, monkeypatch):
    with hub_server.serve(tmp_path) as hub, hub_server.spoken_to(hub, monkeypatch):
        hub.hold = "RUNNING"
        yield hub
    assert hub.unknown == []


def place(**changes):
    settings = {
        "namespace": "ada",
        "repo": REPO,
        "folder": "mlp-1",
        "flavor": "a100-large",
        "image": "img",
        "seconds": 1800,
    }
    return Place(**(settings | changes))


def begin(client, **changes):
    return start(client, place(**changes), "mlp", {"job.json": b"{}", "k.whl": b"wheel"})


def test_job_is_submitted_with_all_that_it_needs(hub):
    job = begin(Client())

    spec = hub.jobs[job.id].spec
    assert spec["flavor"] == "a100-large"
    assert spec["dockerImage"] == "img"
    assert spec["timeoutSeconds"] == 1800
    assert spec["command"][:2] == ["python3", "-c"]
    assert spec["secrets"] == {"HF_TOKEN": hub_server.TOKEN}
    assert spec["labels"]["kerneldiff"] == "record"
    assert spec["environment"]["HF_ENDPOINT"] == hub.url
    assert hub_server.TOKEN not in repr({key: value for key, value in spec.items() if key != "secrets"})


def test_labels_hold_what_the_hub_allows_in_them(hub):
    job = begin(Client())

    for text in (*hub.jobs[job.id].spec["labels"], *hub.jobs[job.id].spec["labels"].values()):
        assert len(text) <= 100
        assert text.replace("-", "").replace("_", "").isalnum()


def test_inputs_lie_in_a_private_dataset_in_a_folder_of_their_own(hub):
    begin(Client())

    repo = hub.repos[REPO]
    assert repo.private
    assert repo.commits[repo.head] == {"mlp-1/inputs/job.json": b"{}", "mlp-1/inputs/k.whl": b"wheel"}


def test_job_says_where_its_recordings_go(hub):
    client = Client()
    job = client.inspect(begin(client).id)

    assert (job.repo, job.folder, job.target) == (REPO, "mlp-1", "mlp")
    assert job.is_ours
    assert not job.has_ended


def test_dataset_that_is_public_is_refused_and_nothing_is_sent(hub):
    hub.repos[REPO] = hub_server.Repo(private=False)

    with pytest.raises(RecordingError, match=r"ada/traces: this dataset is public"):
        begin(Client())
    assert hub.jobs == {}
    assert hub.repos[REPO].head == "0" * 40


def test_private_dataset_that_exists_is_used(hub):
    hub.repos[REPO] = hub_server.Repo(private=True)

    begin(Client())

    assert len(hub.repos[REPO].commits) == 2


@pytest.mark.parametrize(
    ("request_line", "status", "said", "expected"),
    [
        (("GET", "/api/whoami-v2"), 429, "slow down", "logging in failed: the Hub's limit of requests"),
        (("POST", "/api/repos/create"), 402, "Storage is full", "making the dataset ada/traces failed: there is no credit"),
        (("POST", r"/api/datasets/.*/commit/main"), 403, "no write", "uploading to the dataset ada/traces failed: the token has no right"),
        (("POST", "/api/jobs/ada"), 402, "Pre-paid credit balance is insufficient", r"on a100-large failed: there is no credit.*insufficient"),
        (("POST", "/api/jobs/ada"), 403, "job.write is missing", r"on a100-large failed: the token has no right.*job.write"),
        (("POST", "/api/jobs/ada"), 429, "too many Jobs", "on a100-large failed: the Hub's limit of requests, or of Jobs"),
        (("POST", "/api/jobs/ada"), 400, "bad flavor", "did not accept the request .400: bad flavor"),
    ],
)  # fmt: skip
def test_refusals_say_what_failed_why_and_what_helps(hub, request_line, status, said, expected):
    hub.refusals[request_line] = [status, said, 99]

    with pytest.raises(RecordingError, match=expected):
        begin(Client())


def test_upload_of_a_large_file_that_is_refused_is_said_like_others(hub):
    """The library uploads in threads, and wraps what they raise."""
    hub.refusals["PUT", "/blobs/.*"] = [403, "expired", 99]

    with pytest.raises(RecordingError, match=r"uploading to the dataset ada/traces failed: the token has no right"):
        begin(Client())


def test_network_that_is_forbidden_is_said(hub, monkeypatch):
    from huggingface_hub import constants

    client = Client()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)

    with pytest.raises(RecordingError, match="HF_HUB_OFFLINE is set"):
        client.hardware()


def test_without_the_library_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "huggingface_hub", None)

    with pytest.raises(RecordingError, match=r"pip install 'kerneldiff\[hub\]'"):
        Client()


def test_no_token_says_how_to_log_in(hub, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")

    with pytest.raises(RecordingError, match=r"no Hugging Face token here: log in with 'hf auth login'"):
        Client()
    assert hub.requests == []


def test_wrong_token_is_named_as_such(hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")

    with pytest.raises(RecordingError, match="does not accept this token"):
        Client()


def test_token_that_may_only_read_has_no_right(hub, monkeypatch):
    hub.repos[REPO] = hub_server.Repo(private=True)
    monkeypatch.setenv("HF_TOKEN", hub_server.READ_ONLY_TOKEN)

    with pytest.raises(RecordingError, match="has no right to do this"):
        begin(Client("ada"))


def test_unknown_job_is_said_with_its_id(hub):
    with pytest.raises(RecordingError, match="there is no Job abc123 in that namespace"):
        Client().inspect("abc123")


def test_name_that_no_dataset_can_have_is_refused(hub):
    with pytest.raises(RecordingError, match="making the dataset ada/a b failed"):
        begin(Client(), repo="ada/a b")


def test_job_whose_start_was_not_answered_is_found_again(hub):
    """The Hub starts it and then answers that it cannot."""
    client = Client()
    real = client.submit

    def lose(*arguments):
        real(*arguments)
        raise Unreachable

    client.submit = lose

    assert begin(client).id in hub.jobs


def test_job_that_was_never_started_stays_an_error(hub):
    hub.refusals["POST", "/api/jobs/ada"] = [503, "down", 99]

    with pytest.raises(Unreachable, match="cannot answer for now"):
        begin(Client())
    assert hub.jobs == {}


def test_interrupt_while_it_is_being_started_leaves_nothing_running(hub):
    client = Client()
    real = client.submit

    def interrupt(*arguments):
        real(*arguments)
        raise KeyboardInterrupt

    client.submit = interrupt

    with pytest.raises(KeyboardInterrupt):
        begin(client)
    assert [job.stage for job in hub.jobs.values()] == ["CANCELED"]


def test_only_jobs_of_kerneldiff_are_listed(hub):
    client = Client()
    ours = begin(client)
    hub.start("ada", {"command": ["true"], "labels": {"name": "other"}, "flavor": "cpu-basic"})

    assert [job.id for job in client.jobs()] == [ours.id]


def test_newest_job_is_listed_first(hub):
    client = Client()
    ids = [begin(client, folder=f"mlp-{number}").id for number in range(3)]
    hub.jobs[ids[0]].created += 100

    assert [job.id for job in client.jobs()] == [ids[0], ids[2], ids[1]]


def test_lost_connections_are_waited_out_and_the_log_is_told_once(hub):
    client = Client()
    job = begin(client)
    hub.jobs[job.id].lines = ["===== Job started at 1 =====", "one", "two"]
    hub.refusals["GET", f"/api/jobs/ada/{job.id}"] = [503, "busy", 2]
    said, slept = [], []

    def sleep(seconds):
        slept.append(seconds)
        if seconds == WAITS[1]:
            hub.hold, hub.jobs[job.id].stage = None, "COMPLETED"
            hub.jobs[job.id].lines.append("three")

    follower = Follower(client, job, said.append, sleep)

    assert follower.follow().stage == "COMPLETED"
    assert [line for line in said if "trying again" not in line] == ["one", "two", "three"]
    assert next(line for line in said if "trying again" in line).endswith(f"Job {job.id} goes on; trying again in 2 s")
    assert slept[:2] == list(WAITS[:2])


def test_hub_that_stays_away_is_given_up_with_a_way_back(hub, monkeypatch):
    client = Client("lab")
    job = begin(client, namespace="lab")
    monkeypatch.setattr(client._kept, "endpoint", "http://127.0.0.1:9")
    slept = []

    with pytest.raises(RecordingError, match="no connection to the Hub") as caught:
        Follower(client, job, lambda _: None, slept.append).follow()

    assert slept == list(WAITS)
    assert f"'kerneldiff jobs fetch {job.id} --namespace lab'" in str(caught.value)


def test_waiting_for_a_machine_is_said_once(hub):
    hub.hold = "SCHEDULING"
    client = Client()
    job = begin(client)
    said, rounds = [], []

    def sleep(seconds):
        rounds.append(seconds)
        if len(rounds) == 4:
            hub.jobs[job.id].stage = "CANCELED"

    follower = Follower(client, job, said.append, sleep)

    assert follower.follow().stage == "CANCELED"
    assert said == [f"Job {job.id} waits for a machine (a100-large)"]


def test_way_back_names_the_job_and_what_it_costs(hub):
    client = Client()
    job = begin(client)

    text = describe_later(job, client.user)

    assert f"'kerneldiff jobs cancel {job.id}'" in text
    assert "costs money" in text
    assert job.url in text
