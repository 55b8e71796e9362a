"""The wheel of the very kerneldiff that runs here, made from its own files: no build tool, no network.

A wheel is a zip archive of the package and its metadata with a list of digests:
https://packaging.python.org/en/latest/specifications/binary-distribution-format/ (version 1.0).
An editable install has the metadata in its place and the package elsewhere; both are taken from where they are.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

import kerneldiff
from kerneldiff.errors import RecordingError

_NAME: Final = "kerneldiff"
_TAGS: Final = "Wheel-Version: 1.0\nGenerator: kerneldiff\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
# The same for every file, so that the same sources make the same wheel.
_DATE: Final = (2020, 1, 1, 0, 0, 0)
# Written by the installer about its own work; a new installer writes its own.
_OF_INSTALLER: Final = frozenset({"RECORD", "INSTALLER", "REQUESTED", "WHEEL", "direct_url.json", "uv_cache.json"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A wheel, as installers take it: the name carries meaning."""

    name: str
    content: bytes


def make_wheel() -> Wheel:
    """Pack the installed kerneldiff into a wheel.

    Raises:
        RecordingError: when kerneldiff runs here without being installed, so that its requirements are not known.
    """
    files = _package(Path(kerneldiff.__file__).parent)
    info = f"{_NAME}-{kerneldiff.__version__}.dist-info"
    files |= {f"{info}/{name}": content for name, content in _metadata().items()}
    files[f"{info}/WHEEL"] = _TAGS.encode()
    record = f"{info}/RECORD"
    files[record] = _record(files, record).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return Wheel(name=f"{_NAME}-{kerneldiff.__version__}-py3-none-any.whl", content=packed.getvalue())


def _package(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        f"{_NAME}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in files
        if "__pycache__" not in path.parts and path.suffix != ".pyc"
    }


def _metadata() -> dict[str, bytes]:
    """Give the files of the installed metadata, by their path in its folder."""
    try:
        installed = metadata.distribution(_NAME)
    except metadata.PackageNotFoundError as error:
        msg = (
            "kerneldiff is not installed here, only imported; pip install it (or its folder), so that a Job can get it"
        )
        raise RecordingError(msg) from error
    if installed.version != kerneldiff.__version__:
        msg = (
            f"kerneldiff {kerneldiff.__version__} runs here with the installed metadata of {installed.version}; "
            "install it again (pip install -e .), so that a Job gets the same"
        )
        raise RecordingError(msg)
    found = {}
    for path in installed.files or ():
        parts = path.parts
        if parts[0].endswith(".dist-info") and path.name not in _OF_INSTALLER:
            found["/".join(parts[1:])] = Path(str(path.locate())).read_bytes()
    if "METADATA" not in found:
        msg = "the installed kerneldiff has no METADATA; install it again with pip, so that a Job can get it"
        raise RecordingError(msg)
    return found


def _record(files: dict[str, bytes], own_name: str) -> str:
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{own_name},,", ""])
