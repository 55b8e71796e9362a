"""Following a Job to its end, through lost connections."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.hub.client import Client
from kerneldiff.recordings.hub.model import Job, Unreachable

# Seconds between attempts to reach the Hub again: about five minutes in all.
WAITS: Final = (2, 4, 8, 15, 30, 60, 60, 60, 60)
_POLL_SECONDS: Final = 2.0
_QUEUE_SECONDS: Final = 5.0
_TAIL: Final = 12

Say = Callable[[str], None]
Sleep = Callable[[float], None]


class Follower:
    """Follows one Job: passes its log on, line by line, and its end.

    Attributes:
        job: as the Hub described it last.
        tail: the last lines of its log.
    """

    def __init__(self, client: Client, job: Job, say: Say, sleep: Sleep = time.sleep) -> None:
        """Follow ``job``; ``say`` takes the lines of its log, and remarks."""
        self.job = job
        self.tail: deque[str] = deque(maxlen=_TAIL)
        self._client = client
        self._say = say
        self._sleep = sleep
        self._shown = 0
        self._lost = 0

    def follow(self) -> Job:
        """Wait for the end of the Job.

        Raises:
            RecordingError: when the Hub could not be reached for long, with how to go on later.
        """
        stage = ""
        while not self.job.has_ended:
            try:
                if self.job.stage == "SCHEDULING":
                    if stage != self.job.stage:
                        self._say(f"Job {self.job.id} waits for a machine ({self.job.flavor})")
                    self._sleep(_QUEUE_SECONDS if stage else _POLL_SECONDS)
                else:
                    self._read_log()
                    self._sleep(_POLL_SECONDS if stage == self.job.stage else 0)
                stage = self.job.stage
                self.job = self._client.inspect(self.job.id)
            except Unreachable as error:
                self._wait(error)
            else:
                self._lost = 0
        try:
            self._read_log()  # what came between the last look and the end
        except Unreachable as error:
            self._say(f"{error}; the end of the log is missing here: {self.job.url}")
        return self.job

    def _read_log(self) -> None:
        """Pass on what is new in the log; the Hub begins at its first line each time."""
        lines = self._client.logs(self.job.id, follow=not self.job.has_ended)
        for number, line in enumerate(lines):
            if number < self._shown:
                continue
            self._shown += 1
            self._lost = 0
            self.tail.append(line)
            self._say(line)

    def _wait(self, error: Unreachable) -> None:
        if self._lost == len(WAITS):
            msg = f"{error}; given up after {sum(WAITS)} s. {describe_later(self.job, self._client.user)}"
            raise RecordingError(msg) from error
        seconds = WAITS[self._lost]
        self._lost += 1
        self._say(f"{error}; Job {self.job.id} goes on; trying again in {seconds} s")
        self._sleep(seconds)


def describe_later(job: Job, user: str) -> str:
    """Say how to look after a Job that is left alone."""
    return (
        f"Job {job.id} goes on, and costs money until it ends. Later: {command(job, 'show', user)} says how it is, "
        f"{command(job, 'fetch', user)} brings and compares what it recorded, {command(job, 'cancel', user)} ends it; "
        f"or {job.url}"
    )


def command(job: Job, verb: str, user: str) -> str:
    """Give the command that does something with a Job, quoted for a sentence.

    Args:
        job: the Job.
        verb: show, fetch or cancel.
        user: who is logged in; the Jobs of others need their namespace said.
    """
    where = "" if job.namespace == user else f" --namespace {job.namespace}"
    return f"'kerneldiff jobs {verb} {job.id}{where}'"
