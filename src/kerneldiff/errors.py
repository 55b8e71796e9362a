"""Every error that a user can cause: what happened, to which thing, what to do."""

from __future__ import annotations


class KerneldiffError(Exception):
    """The base of all errors that are shown as one line and end with exit status 2."""


class TraceError(KerneldiffError):
    """A trace file cannot be used."""


class UnknownFormatError(TraceError):
    """The file is not a profiler trace in a format that is known here."""


class MalformedTraceError(TraceError):
    """The text of a trace breaks at a place from which no safe reading goes on."""

    def __init__(self, message: str, *, offset: int | None = None) -> None:
        """Keep the byte ``offset`` (in the uncompressed text) at which the text breaks."""
        super().__init__(message)
        self.offset = offset


class EmptyTraceError(TraceError):
    """The file is a trace, and no event is in it."""


class RecordingError(KerneldiffError):
    """A program could not be recorded: no GPU, no profiler, or the step itself failed."""


class PolicyError(KerneldiffError):
    """An expectation, a lock file or a threshold does not parse."""
