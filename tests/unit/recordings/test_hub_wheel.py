import base64
import hashlib
import io
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import kerneldiff
from kerneldiff.errors import RecordingError
from kerneldiff.recordings.hub.wheel import make_wheel


@pytest.fixture(scope="module")
def archive():
    return zipfile.ZipFile(io.BytesIO(make_wheel().content))


def test_wheel_has_every_file_of_the_package_as_it_is(archive):
    top = Path(kerneldiff.__file__).parent
    files = [path for path in top.rglob("*") if path.is_file() and "__pycache__" not in path.parts]

    assert len(files) > 100
    for path in files:
        assert archive.read(f"kerneldiff/{path.relative_to(top).as_posix()}") == path.read_bytes()


def test_record_lists_every_file_with_its_digest(archive):
    record = next(name for name in archive.namelist() if name.endswith("/RECORD"))
    listed = dict(line.split(",", 1) for line in archive.read(record).decode().splitlines())

    assert set(listed) == set(archive.namelist())
    for name, rest in listed.items():
        if name != record:
            digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).rstrip(b"=").decode()
            assert rest == f"sha256={digest},{len(archive.read(name))}"


def test_metadata_has_version_and_requirements(archive):
    text = archive.read(f"kerneldiff-{kerneldiff.__version__}.dist-info/METADATA").decode()

    assert f"Version: {kerneldiff.__version__}" in text
    assert "Requires-Dist: msgspec" in text


def test_nothing_of_the_place_of_installation_travels(archive):
    assert not any(name.endswith(("direct_url.json", ".pth")) for name in archive.namelist())


def test_same_sources_make_the_same_wheel():
    assert make_wheel() == make_wheel()


def test_package_that_is_not_installed_is_refused(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)

    with pytest.raises(RecordingError, match=r"not installed here.*pip install"):
        make_wheel()


def test_metadata_of_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(kerneldiff, "__version__", "9.9.9")

    with pytest.raises(RecordingError, match=r"9\.9\.9 runs here with the installed metadata of .*install it again"):
        make_wheel()
