"""What a Job is asked for, and what the Hub says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.model import Options

# Debian with Python, a C compiler for Triton, and uv, which installs torch faster than pip. The Hub's own default.
DEFAULT_IMAGE: Final = "ghcr.io/astral-sh/uv:python3.12-bookworm"
# Jobs that kerneldiff started carry this label; labels hold letters, digits, dashes and underscores only.
LABEL: Final = ("kerneldiff", "record")
RUN_LABEL: Final = "kerneldiff-run"
# What labels cannot hold travels in the Job's environment, which the Hub shows as well.
REPO_VARIABLE: Final = "KERNELDIFF_REPO"
FOLDER_VARIABLE: Final = "KERNELDIFF_FOLDER"
TARGET_VARIABLE: Final = "KERNELDIFF_TARGET"

_ENDED: Final = frozenset({"COMPLETED", "CANCELED", "ERROR", "DELETED"})
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600}
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


class Unreachable(RecordingError):  # noqa: N818 - it says what is the case
    """The Hub did not answer, or answered that it cannot for now: trying again may help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A recording to be made by a Job.

    Attributes:
        target, variants, arguments, options: as for a recording on this machine.
        requirements: packages that the program needs besides torch.
        files: further files that travel beside the target's own.
    """

    target: str
    variants: tuple[str, ...]
    arguments: Mapping[str, str]
    options: Options
    requirements: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a Job runs, and where its files lie.

    Attributes:
        namespace: whose Job it is, and who pays; repo: the dataset; folder: of this recording within it.
        flavor: the hardware; image: the container's; seconds: after which the Hub ends the Job.
    """

    namespace: str
    repo: str
    folder: str
    flavor: str
    image: str
    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """A flavor on offer; ``usd`` is the price of one ``unit`` of time."""

    name: str
    description: str
    usd: float
    unit: str

    @property
    def usd_per_second(self) -> float | None:
        """Price of a second in US dollars; None when the Hub counts in a unit that is not known here."""
        seconds = _SECONDS.get(self.unit.lower())
        return None if seconds is None else self.usd / seconds

    @property
    def price(self) -> str:
        """The price as people read it."""
        each = self.usd_per_second
        return f"{self.usd:g} USD per {self.unit}" if each is None else f"{each * 3600:.2f} USD per hour"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A Job, as the Hub describes it.

    Attributes:
        stage: SCHEDULING, RUNNING, COMPLETED, ERROR, CANCELED or DELETED; message: what the Hub adds to it.
        repo, folder, target: None for a Job that kerneldiff did not start.
        seconds: that it has run so far; None before it runs.
    """

    id: str
    namespace: str
    url: str
    stage: str
    message: str | None = None
    flavor: str | None = None
    created: datetime | None = None
    seconds: int | None = None
    repo: str | None = None
    folder: str | None = None
    target: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_ended(self) -> bool:
        """Whether it will not run any further."""
        return self.stage in _ENDED

    @property
    def is_ours(self) -> bool:
        """Whether kerneldiff started it."""
        return self.repo is not None and self.folder is not None


def parse_duration(text: str) -> int:
    """Read a time such as ``30m`` into seconds, in the words of the Hub: s (when nothing is said), m, h, d.

    >>> parse_duration("30m"), parse_duration("1.5h"), parse_duration("90")
    (1800, 5400, 90)

    Raises:
        RecordingError: when it is something else, or less than a minute.
    """
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "s")
    try:
        seconds = int(float(number) * _UNITS[unit])
    except (ValueError, OverflowError):
        seconds = -1
    if seconds < 60:
        msg = f"--timeout {text}: give a time of a minute or more, such as 90s, 30m or 2h"
        raise RecordingError(msg)
    return seconds
