"""One line for each way to fail, which names the variant."""

from __future__ import annotations

import pytest

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.failures import describe


class OutOfMemoryError(RuntimeError):
    pass


class BackendCompilerFailed(RuntimeError):  # noqa: N818 - as the compiler calls it
    __module__ = "torch._dynamo.exc"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB\nmore"), "out of memory while x (CUDA"),
        (MemoryError(), "out of memory"),
        (RuntimeError("HIP out of memory"), "out of memory"),
        (BackendCompilerFailed("no\nway"), "compiling failed while x: BackendCompilerFailed: no"),
        (RecordingError("no kernel"), "variant v: no kernel"),
        (ValueError("first\nsecond"), "x failed: ValueError: first"),
        (ValueError(""), "ValueError: no message"),
    ],
)
def test_the_reason_is_said_in_one_line_with_the_variant(error, said):
    text = describe("v", error, phase="x")

    assert said in text
    assert "v" in text.partition(":")[0]
    assert "\n" not in text


def test_a_compiler_error_behind_another_one_is_found():
    try:
        try:
            raise BackendCompilerFailed
        except RuntimeError as inner:
            raise RuntimeError from inner
    except RuntimeError as error:
        text = describe("v", error, phase="x")

    assert "compiling failed" in text


def test_long_messages_are_cut():
    assert len(describe("v", ValueError("a" * 5000), phase="x")) < 500
