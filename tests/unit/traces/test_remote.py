"""Files on the Hub, through the real file system against a Hub of this machine."""

import pytest

import hub_server
from kerneldiff import pipeline
from kerneldiff.cli.inputs import read_text
from kerneldiff.errors import TraceError
from kerneldiff.traces.remote import is_remote, list_remote, open_remote

TOP = "hf://datasets/ada/traces"


@pytest.fixture
def hub(tmp_path, monkeypatch, data):
    with hub_server.serve(tmp_path) as hub, hub_server.spoken_to(hub, monkeypatch):
        sources = sorted((data / "replicates").rglob("*.json.gz"))[:2]
        files = {f"a/eager/{number:02d}.pt.trace.json.gz": path.read_bytes() for number, path in enumerate(sources)}
        files |= {"a/eager/00.table.txt": b"table", "a/kerneldiff.lock": b"lock", "a/plain.json": b"{}"}
        repo = hub_server.Repo(private=True)
        repo.commits["1" * 40], repo.head = files, "1" * 40
        repo.commits["2" * 40] = {}
        hub.repos["ada/traces"] = repo
        hub.sources = sources
        yield hub
    assert hub.unknown == []


def test_file_on_the_hub_is_read_like_the_same_file_here(hub):
    there = pipeline.load(f"{TOP}/a/eager/00.pt.trace.json.gz")
    here = pipeline.load(hub.sources[0])

    assert there.events == here.events
    assert there.paths == (f"{TOP}/a/eager/00.pt.trace.json.gz",)


def test_folder_on_the_hub_is_a_run_of_several_recordings(hub):
    assert len(pipeline.load(f"{TOP}/a/eager").paths) == 2


def test_revision_is_read_as_it_was(hub):
    assert len(pipeline.load(f"{TOP}@{'1' * 40}/a/eager").paths) == 2
    with pytest.raises(TraceError, match="not on the Hub"):
        pipeline.load(f"{TOP}@{'2' * 40}/a/eager")


def test_size_is_known_to_the_progress(hub):
    seen = []

    pipeline.load(f"{TOP}/a/eager/00.pt.trace.json.gz", progress=lambda done, total: seen.append((done, total)))

    size = hub.sources[0].stat().st_size
    assert seen[-1] == (size, size)


def test_path_that_pathlib_has_had_is_the_same(hub):
    assert is_remote("hf:/datasets/ada/traces/a")
    assert list_remote("hf:/datasets/ada/traces/a") == list_remote(f"{TOP}/a")


def test_text_files_are_read_too(hub):
    assert read_text(f"{TOP}/a/kerneldiff.lock") == "lock"


@pytest.mark.parametrize("path", ["hf.json", "./hf:/x", "https://host/hf://x", "-", ""])
def test_other_paths_are_not_remote(path):
    assert not is_remote(path)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (f"{TOP}/a/absent.json", r"absent.json: not on the Hub, or not to be seen.*hf auth login"),
        ("hf://datasets/ada/other/x.json", "not on the Hub"),
        (f"{TOP}/a", f"no recording directly in this folder; give one of {TOP}/a/eager"),
        (f"{TOP}/a/plain.json", f"{TOP}/a/plain.json"),
        ("hf://datasets/ada", "cannot be read from the Hub"),
        ("hf://", "cannot be read from the Hub"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_path(hub, path, said):
    if path == f"{TOP}/a":
        del hub.repos["ada/traces"].commits["1" * 40]["a/plain.json"]

    with pytest.raises(TraceError, match=said):
        pipeline.load(path)


def test_folder_is_not_opened_as_a_file(hub):
    with pytest.raises(TraceError, match="is a folder"):
        open_remote(f"{TOP}/a")


def test_wrong_token_is_named_as_such(hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")

    with pytest.raises(TraceError, match="does not accept the token"):
        pipeline.load(f"{TOP}/a/eager/00.pt.trace.json.gz")


def test_connection_that_breaks_while_reading_is_said(hub, monkeypatch):
    import fsspec

    file, _ = open_remote(f"{TOP}/a/eager/00.pt.trace.json.gz")
    monkeypatch.setattr(fsspec.filesystem("hf")._api, "endpoint", "x")
    monkeypatch.setattr(file._file, "url", lambda: f"{hub.url}/nowhere")

    with pytest.raises(TraceError, match="cannot be read from the Hub"):
        file.read(10)
    hub.unknown.clear()


def test_without_the_library_the_extra_is_named(monkeypatch):
    import fsspec

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(fsspec, "filesystem", missing)

    with pytest.raises(TraceError, match=r"pip install 'kerneldiff\[hub\]'"):
        pipeline.load(f"{TOP}/a/eager")
