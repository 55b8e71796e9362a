"""What a test holds in its hands as ``kerneldiff``."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kerneldiff import pipeline
from kerneldiff.checks.expectations import expectations_of, judge
from kerneldiff.checks.facts import work_recorded
from kerneldiff.checks.gate import check_lock
from kerneldiff.checks.locks import compare_with_lock, lock_of
from kerneldiff.checks.locks import read as read_lock
from kerneldiff.checks.locks import write as write_lock
from kerneldiff.checks.model import Outcome
from kerneldiff.errors import PolicyError
from kerneldiff.profiles.model import Profile
from kerneldiff.pytest_plugin import recorder, storage
from kerneldiff.pytest_plugin.recorded import Recorded
from kerneldiff.pytest_plugin.settings import Settings
from kerneldiff.reports import checks_text
from kerneldiff.reports.escape import terminal


class Kerneldiff:
    """Records, loads and checks runs for one test."""

    def __init__(self, settings: Settings, node: pytest.Item, folder: Path) -> None:
        """Keep the settings of the test, the test, and a folder for its recordings."""
        self._settings, self._node, self._folder = settings, node, folder
        self._recorded = 0
        self._locks = 0

    def record(self, step: Callable[[], Any], **schedule: int) -> Recorded:
        """Record a step under torch's profiler.

        Args:
            step: called without arguments, once before the profiler starts and once each step.
            schedule: ``wait``, ``warmup`` and ``active`` steps, where the marker's should not hold.
        """
        __tracebackhide__ = True
        self._recorded += 1
        settings = replace(self._settings, **schedule) if schedule else self._settings  # type: ignore[arg-type]
        run = recorder.record(step, settings, self._folder, f"{self._recorded:02}")
        return self._seen(Recorded(run))

    def load(self, path: str | os.PathLike[str]) -> Recorded:
        """Read an existing trace, or a folder of recordings."""
        return self._seen(Recorded(pipeline.load(path)))

    def check(self, run: Recorded | Profile) -> None:
        """Hold a run against the lock file of this test; fail with what changed.

        ``--kerneldiff-update`` writes the lock where it is missing or unlike the run. A test that checks several runs
        has one lock each, numbered in the order of the calls.
        """
        __tracebackhide__ = True
        profile = run if isinstance(run, Profile) else run.profile
        if not work_recorded(profile):
            pytest.fail(f"kerneldiff: {profile.paths[0]} has no GPU events, so there is nothing to lock", pytrace=False)
        self._locks += 1
        path = storage.lock_path(self._node, self._settings.folder, profile.device, self._locks)
        text = storage.read(path)
        if text is None:
            self._missing(path, profile)
            return
        outcome = check_lock(
            compare_with_lock(read_lock(text, where=str(path)), profile, where=str(path)), self._settings.policy
        )
        if self._passes(outcome):
            return
        if self._settings.update:
            storage.write(path, write_lock(lock_of(profile)))
            return
        self._fail(outcome, path)

    def expect(
        self,
        run: Recorded | Profile,
        file: str | os.PathLike[str] | None = None,
        *,
        region: str | None = None,
        **wanted: Any,  # noqa: ANN401 - the keys of a file of expectations
    ) -> None:
        """Hold a run against expectations; fail with expectation and finding beside each other.

        Args:
            run: the run.
            file: a file of expectations, seen from the test file's folder.
            region: name of the annotation that ``wanted`` speaks of, None for the step.
            wanted: expectations by the keys of such a file, with ``_`` for ``-``: ``kernels=4, no_launch=["aten::t"]``.
        """
        __tracebackhide__ = True
        profile = run if isinstance(run, Profile) else run.profile
        if (file is None) == (not wanted):
            msg = "expect: give a file or expectations by name, one of the two"
            raise PolicyError(msg)
        if file is not None:
            path = self._node.path.parent / file
            expected = expectations_of(storage.read_toml(path), where=str(path))
        else:
            scope = {key.replace("_", "-"): value for key, value in wanted.items()}
            table = {"step": scope} if region is None else {"region": {region: scope}}
            expected = expectations_of(table, where=self._node.name)
        outcome = judge(profile, expected)
        if not self._passes(outcome):
            self._report(outcome)
            pytest.fail(f"kerneldiff: {summary(outcome)}", pytrace=False)

    def _missing(self, path: Path, profile: Profile) -> None:
        __tracebackhide__ = True
        if self._settings.update:
            storage.write(path, write_lock(lock_of(profile)))
            return
        why = self._settings.update_refused or "write it with: pytest --kerneldiff-update"
        pytest.fail(f"kerneldiff: no lock file {path}; {why}", pytrace=False)

    def _passes(self, outcome: Outcome) -> bool:
        if outcome.status == "inconclusive":
            return self._settings.inconclusive == "pass"
        return outcome.status == "passed"

    def _fail(self, outcome: Outcome, path: Path) -> None:
        __tracebackhide__ = True
        self._report(outcome)
        hint = self._settings.update_refused or "if that is wanted: pytest --kerneldiff-update"
        pytest.fail(f"kerneldiff: {summary(outcome)}\nlock file: {path}; {hint}", pytrace=False)

    def _report(self, outcome: Outcome) -> None:
        """Put the outcome into a section of the test's report, which workers of xdist and JUnit files carry on."""
        self._node.add_report_section("call", "kerneldiff", checks_text.plain(outcome))

    def _seen(self, run: Recorded) -> Recorded:
        """Keep what ran for the failure report of the test."""
        labels = "\n".join(f"  {terminal(label)}" for label in run.labels[:40]) or "  no GPU events"
        more = f"\n  ... and {len(run.labels) - 40} more" if len(run.labels) > 40 else ""
        self._node.add_report_section("call", f"kerneldiff: {run!r}", labels + more)
        return run


def summary(outcome: Outcome) -> str:
    """Say the worst of an outcome in at most four lines."""
    said = [
        terminal(f"{checks_text.title(result)}: {text}")
        for result in (*outcome.of("failed"), *outcome.of("inconclusive"))
        for text in [finding.text for finding in result.findings] or result.open
    ]
    more = [f"... and {len(said) - 3} more, see the section kerneldiff"] if len(said) > 3 else []
    return "\n".join([*said[:3], *more])
