"""Files that people take for traces, and what to do with them."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

ADVICE: Final = "give a file written by torch.profiler's export_chrome_trace (.json or .json.gz)"

BY_CONTENT: Final[tuple[tuple[bytes, str], ...]] = (
    (b"SQLite format 3", "it is an SQLite database, such as Nsight Systems exports"),
    (b"PK\x03\x04", "it is a zip archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "it is compressed with zstd; unpack it first (unzstd)"),
    (b"\xfd7zXZ\x00", "it is compressed with xz; unpack it first (unxz)"),
    (b"BZh", "it is compressed with bzip2; unpack it first (bunzip2)"),
    (b"\x80", "it is a Python pickle, such as a memory snapshot"),
    (b"<", "it is HTML or XML; download the file itself, not the page that shows it"),
    (b"version https://git-lfs", "it is a Git LFS pointer; fetch the file itself with git lfs pull"),
    (b"\x7fELF", "it is a program"),
)
BY_SUFFIX: Final[dict[str, str]] = {
    ".nsys-rep": "it is an Nsight Systems report",
    ".qdrep": "it is an Nsight Systems report",
    ".ncu-rep": "it is an Nsight Compute report",
    ".pftrace": "it is a Perfetto trace in protobuf",
    ".perfetto-trace": "it is a Perfetto trace in protobuf",
    ".pb": "it is a protobuf file",
    ".xplane.pb": "it is an XLA profile",
    ".stacks": "it is a list of stacks for a flame graph",
}


def hint(first: bytes, name: str) -> str:
    """Say what a file seems to be, from its first bytes or else its name, and what to give instead."""
    stripped = first.lstrip()
    for magic, what in BY_CONTENT:
        if stripped.startswith(magic):
            return f"{what}; {ADVICE}"
    what = BY_SUFFIX.get(PurePath(name).suffix.lower(), "it is not JSON")
    return f"{what}; {ADVICE}"
