"""The pytest plug-in: the fixture ``kerneldiff`` records a step, or loads a trace, and asserts on it.

Loaded by pytest through the entry point ``pytest11``; nothing heavy is imported until a test asks for the fixture.
Hooks: https://docs.pytest.org/en/stable/reference/reference.html#hooks
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

if TYPE_CHECKING:
    from kerneldiff.pytest_plugin.fixture import Kerneldiff

_INI: tuple[tuple[str, str, Literal["args"] | None, str | list[str]], ...] = (
    (
        "kerneldiff_folder",
        "Folder of the lock files, beside each test file (default: __kerneldiff__).",
        None,
        "__kerneldiff__",
    ),
    ("kerneldiff_device", "What to record: cuda, or cpu for the CPU's operators (default: cuda).", None, "cuda"),
    ("kerneldiff_inconclusive", "What cannot be decided counts as: fail, pass (default: fail).", None, "fail"),
    ("kerneldiff_allow", "Kinds of change against a lock that are allowed.", "args", []),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; a flag beats its ini option."""
    group = parser.getgroup("kerneldiff", "GPU work of PyTorch programs")
    group.addoption(
        "--kerneldiff-update", action="store_true", help="Write lock files that are missing or unlike the run."
    )
    group.addoption(
        "--kerneldiff-allow-ci", action="store_true", help="Let --kerneldiff-update write where CI is set, too."
    )
    group.addoption("--kerneldiff-disable", action="store_true", help="Skip the tests that use the kerneldiff fixture.")
    group.addoption("--kerneldiff-device", choices=["cuda", "cpu"], help="What to record; beats the ini option.")
    group.addoption(
        "--kerneldiff-inconclusive", choices=["pass", "fail"], help="What cannot be decided counts as this."
    )
    for name, text, kind, default in _INI:
        parser.addini(name, text, type=kind, default=default)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, so that ``--strict-markers`` passes."""
    config.addinivalue_line(
        "markers",
        "kerneldiff(allow=[...], inconclusive='pass'|'fail', device='cuda'|'cpu', wait=1, warmup=1, active=3): "
        "settings of the kerneldiff fixture for one test.",
    )


@pytest.fixture
def kerneldiff(request: pytest.FixtureRequest, tmp_path: Path) -> Kerneldiff:
    """Record a step or load a trace, and assert on its GPU work."""
    from kerneldiff.pytest_plugin.fixture import Kerneldiff  # noqa: PLC0415 - only when a test asks for it
    from kerneldiff.pytest_plugin.settings import settings_of  # noqa: PLC0415

    if request.config.getoption("--kerneldiff-disable"):
        pytest.skip("kerneldiff: turned off by --kerneldiff-disable")
    return Kerneldiff(settings_of(request.node), request.node, tmp_path)
