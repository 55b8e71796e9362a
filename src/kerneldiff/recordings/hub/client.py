"""Calls to the Hub: the one place on this machine where ``huggingface_hub`` is used to run Jobs and move files.

Every failure becomes a RecordingError that says what was being done and what helps; Unreachable where waiting may.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.hub import refusals
from kerneldiff.recordings.hub.model import (
    FOLDER_VARIABLE,
    LABEL,
    REPO_VARIABLE,
    TARGET_VARIABLE,
    Hardware,
    Job,
    Place,
    Unreachable,
)

if TYPE_CHECKING:
    from huggingface_hub import HfApi

# The library waits without end for an answer; a dead network must not.
_ANSWER_SECONDS: Final = 60
_DATASET: Final = "dataset"


class Client:
    """A logged-in user of the Hub."""

    def __init__(self, namespace: str | None = None) -> None:
        """Log in with the saved token.

        Args:
            namespace: the user or organization whose Jobs are meant; the user's own when None.

        Raises:
            RecordingError: without the library, without a token, or when the Hub refuses it.
        """
        hub = _library()
        hub.utils.disable_progress_bars()
        hub.utils.logging.set_verbosity_error()  # what it would warn of is said here, with what to do
        token = hub.get_token()
        if not token:
            msg = "no Hugging Face token here: log in with 'hf auth login', or set HF_TOKEN"
            raise RecordingError(msg)
        self._token: str = token
        self._kept: HfApi = hub.HfApi(token=token)
        with _asking("logging in"):
            self.user = str(self._api.whoami()["name"])
        self.namespace = namespace or self.user

    @property
    def _api(self) -> HfApi:
        # The library makes a new session after a lost connection, so the limit is set each time.
        _library().get_session().timeout = _ANSWER_SECONDS
        return self._kept

    def hardware(self) -> list[Hardware]:
        """List the flavors with their present prices."""
        with _asking("asking for the hardware and its prices"):
            return [_hardware(one) for one in self._api.list_jobs_hardware()]

    def ensure_private(self, repo: str) -> None:
        """Make the dataset unless it is there.

        Raises:
            RecordingError: when it cannot be made, or is public: traces tell paths and names of a program.
        """
        with _asking(f"making the dataset {repo}"):
            if not self._api.repo_exists(repo, repo_type=_DATASET):
                self._api.create_repo(repo, repo_type=_DATASET, private=True, exist_ok=True)
            is_private = self._api.dataset_info(repo).private
        if not is_private:
            msg = (
                f"{repo}: this dataset is public, and traces tell paths and names of your program; "
                "name one that is private, or does not exist yet"
            )
            raise RecordingError(msg)

    def upload(self, repo: str, files: Mapping[str, Path | bytes], message: str) -> str:
        """Commit files, by their path in the dataset, and give the commit's id."""
        operation = _library().CommitOperationAdd
        made = [operation(path, data if isinstance(data, bytes) else str(data)) for path, data in files.items()]
        with _asking(f"uploading to the dataset {repo}"):
            return str(self._api.create_commit(repo, made, repo_type=_DATASET, commit_message=message).oid)

    def download(self, repo: str, folder: str, patterns: Sequence[str], to: Path) -> Path:
        """Fetch the files of one folder that match, and give the local folder that stands for it."""
        wanted = [f"{folder}/{pattern}" for pattern in patterns]
        with _asking(f"fetching from the dataset {repo}"):
            self._api.snapshot_download(repo, repo_type=_DATASET, allow_patterns=wanted, local_dir=to)
        return to / folder

    def submit(self, place: Place, command: Sequence[str], labels: Mapping[str, str], facts: Mapping[str, str]) -> Job:
        """Start a Job with the user's token as a secret, and ``facts`` in its environment."""
        constants = _library().constants
        environment = {**facts}
        if constants.ENDPOINT != constants._HF_DEFAULT_ENDPOINT:  # noqa: SLF001 - a private Hub has no other mark
            environment["HF_ENDPOINT"] = constants.ENDPOINT
        with _asking(f"starting a Job for {place.namespace} on {place.flavor}"):
            info = self._api.run_job(
                image=place.image,
                command=list(command),
                env=environment,
                secrets={"HF_TOKEN": self._token},
                flavor=place.flavor,
                timeout=place.seconds,
                labels=dict(labels),
                namespace=place.namespace,
            )
        return _job(info, place.namespace)

    def jobs(self, labels: Mapping[str, str] | None = None) -> list[Job]:
        """List the Jobs that kerneldiff started for the namespace, newest first."""
        wanted = dict([LABEL]) | dict(labels or {})
        with _asking(f"listing the Jobs of {self.namespace}"):
            found = self._api.list_jobs(labels=wanted, namespace=self.namespace, timeout=_ANSWER_SECONDS)
            jobs = [_job(info, self.namespace) for info in found]
        return sorted(jobs, key=lambda job: job.created.timestamp() if job.created else 0.0, reverse=True)

    def inspect(self, job_id: str) -> Job:
        """Ask how a Job is."""
        with _asking(f"asking for Job {job_id} of {self.namespace}", job_id):
            return _job(self._api.inspect_job(job_id=job_id, namespace=self.namespace), self.namespace)

    def logs(self, job_id: str, *, follow: bool, tail: int | None = None) -> Iterator[str]:
        """Give the lines of a Job's log, from the first one or the last ``tail``; waits for more when followed."""
        with _asking(f"reading the log of Job {job_id}", job_id):
            yield from self._api.fetch_job_logs(job_id=job_id, namespace=self.namespace, follow=follow, tail=tail)

    def cancel(self, job_id: str) -> None:
        """End a Job."""
        with _asking(f"cancelling Job {job_id}", job_id):
            self._api.cancel_job(job_id=job_id, namespace=self.namespace)


def library_version() -> str:
    """Give the version of ``huggingface_hub`` here, which the Job gets as well."""
    return str(_library().__version__)


def _library() -> Any:  # noqa: ANN401 - a module
    try:
        import huggingface_hub.constants  # noqa: PLC0415 - start-up of --help, and an extra
        import huggingface_hub.utils  # noqa: PLC0415
    except ImportError as error:
        msg = f"Jobs need huggingface_hub, which cannot be imported here ({error}); pip install 'kerneldiff[hub]'"
        raise RecordingError(msg) from error
    return huggingface_hub


@contextmanager
def _asking(doing: str, job_id: str | None = None) -> Iterator[None]:
    """Turn what the library raises into one line that says what was being done, and what helps."""
    from huggingface_hub import errors  # noqa: PLC0415 - only reached with the library there

    # The base of all errors of the HTTP client in use, which has changed between versions of the library.
    network: type[Exception] = errors.HTTPError  # type: ignore[attr-defined]
    try:
        yield
    except (network, OSError, ValueError, RuntimeError) as error:
        kind, reason = _reason(error, network, job_id)
        msg = f"{doing} failed: {reason}"
        raise kind(msg) from error


def _reason(error: Exception, network: type[Exception], job_id: str | None) -> tuple[type[RecordingError], str]:
    from huggingface_hub import errors  # noqa: PLC0415 - only reached with the library there

    # Uploads of large files run in threads, and what they raise is wrapped.
    cause = error.__cause__
    if isinstance(error, RuntimeError) and isinstance(cause, network | OSError):
        error = cause
    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        said = error.server_message or error.response.headers.get("X-Error-Message")
        kind = Unreachable if refusals.may_pass(status) else RecordingError
        return kind, refusals.describe(status, said, job_id)
    if isinstance(error, errors.OfflineModeIsEnabled):
        return RecordingError, "HF_HUB_OFFLINE is set, which forbids the network"
    first = refusals.first_line(error) or type(error).__name__
    if isinstance(error, network | OSError):
        return Unreachable, f"no connection to the Hub ({first})"
    return RecordingError, first


def _hardware(info: Any) -> Hardware:  # noqa: ANN401 - JobHardwareInfo
    gpu = info.accelerator
    parts = [f"{gpu.quantity} x {gpu.manufacturer} {gpu.model}, {gpu.vram}"] if gpu else []
    description = ", ".join([*parts, info.cpu, f"{info.ram} memory"])
    return Hardware(name=info.name, description=description, usd=info.unit_cost_usd, unit=info.unit_label)


def _job(info: Any, namespace: str) -> Job:  # noqa: ANN401 - JobInfo
    facts = info.environment or {}
    return Job(
        id=info.id,
        namespace=namespace,
        url=info.url,
        stage=str(getattr(info.status.stage, "value", info.status.stage)),
        message=info.status.message,
        flavor=None if info.flavor is None else str(getattr(info.flavor, "value", info.flavor)),
        created=info.created_at,
        seconds=info.durations.running_secs if info.durations else None,
        repo=facts.get(REPO_VARIABLE),
        folder=facts.get(FOLDER_VARIABLE),
        target=facts.get(TARGET_VARIABLE),
        labels=info.labels or {},
    )
