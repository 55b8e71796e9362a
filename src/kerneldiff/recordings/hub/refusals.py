"""What the Hub's refusals mean, and what to do about them."""

from __future__ import annotations

from typing import Final

_TEMPORARY: Final = frozenset({408, 425, 500, 502, 503, 504})
_MEANINGS: Final = {
    400: "the Hub did not accept the request",
    401: "the Hub does not accept this token; log in again with 'hf auth login', or correct HF_TOKEN",
    402: "there is no credit left for it; add some at https://huggingface.co/settings/billing",
    403: (
        "the token has no right to do this; it needs to write to the dataset and to start Jobs (job.write) for that "
        "namespace: https://huggingface.co/settings/tokens"
    ),
    404: "it does not exist, or this token may not see it; check the name, and --namespace",
    409: "something of this name is in the way",
    429: "the Hub's limit of requests, or of Jobs at a time, is reached; try again later, or cancel a running Job",
}


def may_pass(status: int) -> bool:
    """Tell whether a status says that the same request may succeed later."""
    return status in _TEMPORARY


def describe(status: int, said: str | None, job_id: str | None = None) -> str:
    """Say what an HTTP status means here, and what the server added.

    >>> describe(402, "Pre-paid credit balance is insufficient")
    "there is no credit left for it; add some at https://huggingface.co/settings/billing (402: Pre-paid credit balance is insufficient)"
    """
    if may_pass(status):
        meaning = "the Hub cannot answer for now"
    elif status == 404 and job_id is not None:
        meaning = (
            f"there is no Job {job_id} in that namespace, or this token may not see it; 'kerneldiff jobs' lists yours"
        )
    else:
        meaning = _MEANINGS.get(status, "the Hub refused")
    return f"{meaning} ({status}: {said})" if said else f"{meaning} ({status})"


def first_line(error: BaseException) -> str:
    """Give the first line of a message that says something."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "")
