"""A Hub of this machine: the part of Hugging Face's API that recordings use, with Jobs that really run.

It speaks to the real ``huggingface_hub`` client. Routes and fields are those that version 2.4 asks for; what the
real Hub does beyond that (queues, billing, images) is only acted: a Job runs as a process with a clean environment.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

TOKEN = "hf_of_ada"  # noqa: S105 - of this Hub alone
READ_ONLY_TOKEN = "hf_reads_only"  # noqa: S105
# Prices are those of no real Hub, so that nothing can have them by heart.
HARDWARE = [
    {"name": "cpu-basic", "prettyName": "CPU Basic", "cpu": "2 vCPU", "ram": "16 GB", "accelerator": None,
     "unitCostMicroUSD": 200, "unitCostUSD": 0.0002, "unitLabel": "minute"},
    {"name": "a100-large", "prettyName": "A100", "cpu": "12 vCPU", "ram": "142 GB",
     "accelerator": {"type": "gpu", "model": "A100", "quantity": "1", "vram": "80 GB", "manufacturer": "Nvidia"},
     "unitCostMicroUSD": 51000, "unitCostUSD": 0.051, "unitLabel": "minute"},
]  # fmt: skip
_LARGE = (".gz", ".whl")  # as the Hub's .gitattributes has it
_ENDED = ("COMPLETED", "ERROR", "CANCELED", "DELETED")


@dataclass
class Repo:
    """A dataset: every commit with all its files."""

    private: bool
    commits: dict[str, dict[str, bytes]] = field(default_factory=lambda: {"0" * 40: {}})
    head: str = "0" * 40

    def at(self, revision: str) -> tuple[str, dict[str, bytes]]:
        oid = self.head if revision == "main" else revision
        return oid, self.commits[oid]


@dataclass
class RunningJob:
    """A Job, with the process that runs it and what it has printed."""

    id: str
    namespace: str
    spec: dict
    stage: str = "SCHEDULING"
    message: str | None = None
    lines: list[str] = field(default_factory=list)
    process: subprocess.Popen | None = None
    created: float = field(default_factory=time.time)

    def as_json(self) -> dict:
        told = {key: self.spec.get(key) for key in ("command", "arguments", "environment", "flavor", "labels")}
        return told | {
            "id": self.id,
            "createdAt": datetime.fromtimestamp(self.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "dockerImage": self.spec.get("dockerImage"),
            "owner": {"id": "1", "name": self.namespace, "type": "user"},
            "status": {"stage": self.stage, "message": self.message},
            "durations": {"schedulingSecs": 1, "runningSecs": 90, "totalSecs": 91},
        }  # fmt: skip


class Hub:
    """The state of the Hub, and how a test bends it.

    Attributes:
        refusals: pairs (method, pattern of the path) to (status, message, how often), which answer first.
        hold: Jobs stay in this stage and run nothing; None lets them run.
        command: runs in place of a Job's own command.
        seconds: after which any Job is ended.
    """

    def __init__(self, work: Path) -> None:
        self.work = work
        self.users = {TOKEN: "ada", READ_ONLY_TOKEN: "reader"}
        self.repos: dict[str, Repo] = {}
        self.blobs: dict[str, bytes] = {}
        self.jobs: dict[str, RunningJob] = {}
        self.requests: list[str] = []
        self.unknown: list[str] = []
        self.refusals: dict[tuple[str, str], list] = {}
        self.hold: str | None = None
        self.command: list[str] | None = None
        self.seconds: float | None = None
        self.url = ""
        self.lock = threading.Lock()

    def start(self, namespace: str, spec: dict) -> RunningJob:
        job = RunningJob(id=uuid.uuid4().hex[:24], namespace=namespace, spec=spec)
        self.jobs[job.id] = job
        if self.hold:
            job.stage = self.hold
        else:
            threading.Thread(target=self._run, args=(job,), daemon=True).start()
        return job

    def _run(self, job: RunningJob) -> None:
        home = self.work / job.id
        home.mkdir()
        env = job.spec["environment"] | job.spec.get("secrets", {}) | self._system(home, job)
        job.lines.append("===== Job started at 2026-01-01 00:00:00 =====")
        command = self.command or job.spec["command"]
        job.process = subprocess.Popen(
            command, cwd=home, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        job.stage = "RUNNING"
        limit = self.seconds or job.spec["timeoutSeconds"]
        timer = threading.Timer(limit, self._time_is_up, [job])
        timer.start()
        with job.process.stdout as log:
            job.lines.extend(line.rstrip("\n") for line in log)
        status = job.process.wait()
        timer.cancel()
        if job.stage == "RUNNING":
            job.stage, job.message = (
                ("ERROR", f"Job failed with exit code: {status}") if status else ("COMPLETED", None)
            )

    def _time_is_up(self, job: RunningJob) -> None:
        job.stage, job.message = "ERROR", "Job timeout"
        job.process.kill()

    def cancel(self, job: RunningJob) -> None:
        job.stage = "CANCELED"
        if job.process:
            job.process.terminate()

    def _system(self, home: Path, job: RunningJob) -> dict[str, str]:
        """The image: a Python with all that this one has, except kerneldiff; and an index that has nothing."""
        image = home / "image"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", image], check=True)
        packages = next((image / "lib").iterdir()) / "site-packages"
        for path in Path(sysconfig.get_paths()["purelib"]).iterdir():
            if "kerneldiff" not in path.name:
                (packages / path.name).symlink_to(path)
        return {
            "PATH": f"{image / 'bin'}:/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(home),
            "LANG": "C.UTF-8",
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "HF_HUB_DISABLE_XET": "1",
            "JOB_ID": job.id,
            "CPU_CORES": "2",
        }


@contextmanager
def serve(work: Path) -> Iterator[Hub]:
    """Serve a Hub on a free port of this machine."""
    hub = Hub(work)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"hub": hub}))
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield hub
    finally:
        for job in hub.jobs.values():
            if job.process and job.process.poll() is None:
                job.process.kill()
        server.shutdown()
        server.server_close()


class Refused(Exception):  # noqa: N818
    """An answer that is no."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        self.status, self.message, self.code = status, message, code


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer_any(self) -> None:
        self.path_only, self.query = urlsplit(self.path).path, parse_qsl(urlsplit(self.path).query)
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        line = f"{self.command} {unquote(self.path_only)}"
        self.hub.requests.append(line)
        try:
            self._refuse_as_told()
            for method, pattern, act in _ROUTES:
                found = re.fullmatch(pattern, unquote(self.path_only))
                if method == self.command and found:
                    act(self, *found.groups())
                    return
            self.hub.unknown.append(line)
            self.give({"error": f"this Hub does not know {line}"}, 404)
        except Refused as no:
            extra = {"X-Error-Code": no.code} if no.code else {}
            self.give({"error": no.message, "url": self.hub.url}, no.status, {"X-Error-Message": no.message, **extra})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_HEAD = _answer_any  # noqa: N815 - the names that http.server asks for

    def _refuse_as_told(self) -> None:
        for (method, pattern), refusal in self.hub.refusals.items():
            if method == self.command and re.fullmatch(pattern, unquote(self.path_only)) and refusal[2] > 0:
                refusal[2] -= 1
                raise Refused(refusal[0], refusal[1])

    def give(self, value: object, status: int = 200, headers: dict | None = None) -> None:
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def user(self) -> str:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if token not in self.hub.users:
            raise Refused(401, "Invalid credentials in Authorization header")
        return self.hub.users[token]

    def writer(self, namespace: str) -> None:
        user = self.user()
        if user == "reader" or namespace not in (user, "lab"):
            raise Refused(403, f"You don't have the required permissions for {namespace}")

    def repo(self, name: str) -> Repo:
        self.user()
        if name not in self.hub.repos:
            raise Refused(404, "Repository not found", "RepoNotFound")
        return self.hub.repos[name]

    def job(self, namespace: str, job_id: str) -> RunningJob:
        self.user()
        job = self.hub.jobs.get(job_id)
        if job is None or job.namespace != namespace:
            raise Refused(404, "Job not found")
        return job


def _whoami(web: _Handler) -> None:
    web.give({"type": "user", "id": "1", "name": web.user(), "orgs": [{"name": "lab"}]})


def _hardware(web: _Handler) -> None:
    web.give(HARDWARE)


def _submit(web: _Handler, namespace: str) -> None:
    web.writer(namespace)
    spec = json.loads(web.body)
    job = web.hub.start(namespace, spec)
    web.give(job.as_json())


def _list(web: _Handler, namespace: str) -> None:
    web.user()
    wanted = dict(value.split("=", 1) for key, value in web.query if key == "label")
    jobs = [job for job in web.hub.jobs.values() if job.namespace == namespace]
    found = [job for job in jobs if wanted.items() <= job.spec.get("labels", {}).items()]
    web.give([job.as_json() for job in reversed(found)])


def _inspect(web: _Handler, namespace: str, job_id: str) -> None:
    web.give(web.job(namespace, job_id).as_json())


def _cancel(web: _Handler, namespace: str, job_id: str) -> None:
    job = web.job(namespace, job_id)
    web.writer(namespace)
    web.hub.cancel(job)
    web.give({})


def _logs(web: _Handler, namespace: str, job_id: str) -> None:
    """Stream the log as server-sent events, until the Job ends."""
    job = web.job(namespace, job_id)
    tail = dict(web.query).get("tail")
    web.send_response(200)
    web.send_header("Content-Type", "text/event-stream")
    web.send_header("Connection", "close")
    web.end_headers()
    web.close_connection = True
    sent = max(0, len(job.lines) - int(tail)) if tail else 0
    while True:
        ended = job.stage in _ENDED or web.hub.hold
        for line in job.lines[sent:]:
            event = json.dumps({"data": line, "timestamp": "2026-01-01T00:00:00.000Z"})
            web.wfile.write(f"data: {event}\n\n".encode())
            sent += 1
        web.wfile.flush()
        if ended:
            return
        time.sleep(0.05)


def _create(web: _Handler) -> None:
    asked = json.loads(web.body)
    namespace = asked.get("organization") or web.user()
    name = f"{namespace}/{asked['name']}"
    if name in web.hub.repos:
        raise Refused(409, "You already created this dataset repo")
    web.writer(namespace)
    web.hub.repos[name] = Repo(private=asked.get("visibility") == "private")
    web.give({"url": f"{web.hub.url}/datasets/{name}", "name": name})


def _info(web: _Handler, name: str, revision: str = "main") -> None:
    repo = web.repo(name)
    oid, files = repo.at(revision)
    siblings = [{"rfilename": path} for path in files]
    web.give({"id": name, "sha": oid, "private": repo.private, "tags": [], "downloads": 0, "siblings": siblings})


def _preupload(web: _Handler, name: str) -> None:
    web.repo(name)
    web.writer(name.partition("/")[0])
    files = json.loads(web.body)["files"]
    modes = [{"path": one["path"], "uploadMode": _mode(one["path"]), "shouldIgnore": False} for one in files]
    web.give({"files": modes})


def _mode(path: str) -> str:
    return "lfs" if path.endswith(_LARGE) else "regular"


def _batch(web: _Handler, name: str) -> None:
    web.repo(name)
    objects = []
    for one in json.loads(web.body)["objects"]:
        action = {"upload": {"href": f"{web.hub.url}/blobs/{one['oid']}"}}
        objects.append(one if one["oid"] in web.hub.blobs else one | {"actions": action})
    web.give({"transfer": "basic", "objects": objects})


def _blob(web: _Handler, oid: str) -> None:
    if hashlib.sha256(web.body).hexdigest() != oid:
        raise Refused(400, "the content has another digest")
    web.hub.blobs[oid] = web.body
    web.give(b"")


def _commit(web: _Handler, name: str) -> None:
    repo = web.repo(name)
    web.writer(name.partition("/")[0])
    with web.hub.lock:
        files = dict(repo.commits[repo.head])
        for line in web.body.splitlines():
            entry = json.loads(line)
            value = entry["value"]
            if entry["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif entry["key"] == "lfsFile":
                files[value["path"]] = web.hub.blobs[value["oid"]]
        oid = hashlib.sha1(repr((repo.head, sorted(files))).encode(), usedforsecurity=False).hexdigest()
        repo.commits[oid], repo.head = files, oid
    web.give({"success": True, "commitOid": oid, "commitUrl": f"{web.hub.url}/datasets/{name}/commit/{oid}"})


def _tree(web: _Handler, name: str, revision: str, folder: str | None = None) -> None:
    _, files = web.repo(name).at(revision)
    top = f"{folder.strip('/')}/" if folder else ""
    inside = {path: content for path, content in files.items() if path.startswith(top)}
    if top and not inside:
        raise Refused(404, "Entry not found", "EntryNotFound")
    if dict(web.query).get("recursive", "").lower() in ("true", "1"):
        shown = {path: _entry(path, content) for path, content in inside.items()}
        parents = {
            str(parent)
            for path in inside
            for parent in Path(path).parents
            if str(parent).startswith(top) and str(parent) != "."
        }
        shown |= {path: _folder(path) for path in parents}
    else:
        shown = {}
        for path, content in inside.items():
            head, slash, _ = path[len(top) :].partition("/")
            shown[top + head] = _folder(top + head) if slash else _entry(path, content)
    web.give([shown[path] for path in sorted(shown)])


def _folder(path: str) -> dict:
    return {
        "type": "directory",
        "oid": hashlib.sha1(path.encode(), usedforsecurity=False).hexdigest(),
        "size": 0,
        "path": path,
    }


def _entry(path: str, content: bytes) -> dict:
    digest = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    entry = {"type": "file", "oid": digest, "size": len(content), "path": path}
    if _mode(path) == "lfs":
        entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
    return entry


def _paths_info(web: _Handler, name: str, revision: str) -> None:
    _, files = web.repo(name).at(revision)
    asked = (
        parse_qsl(web.body.decode())
        if not web.body.startswith(b"{")
        else [("paths", p) for p in json.loads(web.body)["paths"]]
    )
    found = []
    for key, path in asked:
        if key != "paths":
            continue
        if path in files:
            found.append(_entry(path, files[path]))
        elif any(one.startswith(f"{path}/") for one in files):
            found.append(_folder(path))
    web.give(found)


def _resolve(web: _Handler, name: str, revision: str, path: str) -> None:
    oid, files = web.repo(name).at(revision)
    if path not in files:
        raise Refused(404, "Entry not found", "EntryNotFound")
    content = files[path]
    begin = re.fullmatch(r"bytes=(\d+)-(\d*)", web.headers.get("Range") or "")
    digest = _entry(path, content)
    etag = digest["lfs"]["oid"] if "lfs" in digest else digest["oid"]
    headers = {"ETag": f'"{etag}"', "X-Repo-Commit": oid, "Accept-Ranges": "bytes"}
    if begin is None:
        web.give(content, 200, headers)
        return
    start, end = int(begin[1]), int(begin[2] or len(content) - 1)
    web.give(content[start : end + 1], 206, headers | {"Content-Range": f"bytes {start}-{end}/{len(content)}"})


_NAME = r"([^/]+/[^/]+)"
_JOB = r"/api/jobs/([^/]+)/([^/]+)"
_ROUTES: list[tuple[str, str, Callable[..., None]]] = [
    ("GET", r"/api/whoami-v2", _whoami),
    (
        "GET",
        r"/api/agent-harnesses",
        lambda web: web.give({"standardEnvVars": [], "harnesses": {}}),
    ),  # the client asks where it is run by a program
    ("GET", r"/api/jobs/hardware", _hardware),
    ("POST", r"/api/jobs/([^/]+)", _submit),
    ("GET", r"/api/jobs/([^/]+)", _list),
    ("GET", _JOB, _inspect),
    ("GET", f"{_JOB}/logs", _logs),
    ("POST", f"{_JOB}/cancel", _cancel),
    ("POST", r"/api/repos/create", _create),
    ("GET", rf"/api/datasets/{_NAME}", _info),
    ("GET", rf"/api/datasets/{_NAME}/revision/([^/]+)", _info),
    ("POST", rf"/api/datasets/{_NAME}/preupload/main", _preupload),
    ("POST", rf"/api/datasets/{_NAME}/commit/main", _commit),
    ("POST", rf"/datasets/{_NAME}\.git/info/lfs/objects/batch", _batch),
    ("PUT", r"/blobs/([0-9a-f]{64})", _blob),
    ("GET", rf"/api/datasets/{_NAME}/tree/([^/]+)", _tree),
    ("GET", rf"/api/datasets/{_NAME}/tree/([^/]+)/(.+)", _tree),
    ("POST", rf"/api/datasets/{_NAME}/paths-info/([^/]+)", _paths_info),
    ("GET", rf"/datasets/{_NAME}/resolve/([^/]+)/(.+)", _resolve),
    ("HEAD", rf"/datasets/{_NAME}/resolve/([^/]+)/(.+)", _resolve),
]


def client_environment(hub: Hub, home: Path, token: str | None = TOKEN) -> dict[str, str]:
    """The environment in which the real client speaks to this Hub alone."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    env |= {"HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_XET": "1", "HF_HOME": str(home), "NO_COLOR": "1", "COLUMNS": "100"}
    return env | {"HF_TOKEN": token} if token else env


@contextmanager
def spoken_to(hub: Hub, monkeypatch) -> Iterator[None]:
    """Point the client of this very process at a Hub; it has read its settings from the environment long ago."""
    from huggingface_hub import HfFileSystem, constants
    from huggingface_hub.utils import _detect_agent

    with monkeypatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("HF_", "HUGGING"))]:
            patch.delenv(name)
        patch.setenv("HF_TOKEN", TOKEN)
        patch.setattr(constants, "ENDPOINT", hub.url)
        patch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", f"{hub.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        )
        patch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        patch.setattr(
            _detect_agent, "_registry", {"standardEnvVars": [], "harnesses": {}}
        )  # it would be cached at home
        patch.setattr(constants, "HF_HUB_CACHE", str(hub.work / "cache"))
        patch.setattr(constants, "HF_TOKEN_PATH", str(hub.work / "no-token"))
        HfFileSystem.clear_instance_cache()
        yield
        HfFileSystem.clear_instance_cache()
