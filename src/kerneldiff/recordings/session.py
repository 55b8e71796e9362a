"""A session: variants made ready, timed in alternation, recorded in alternation, and compared."""

from __future__ import annotations

import gc
import re
import tempfile
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kerneldiff import __version__, pipeline
from kerneldiff.errors import KerneldiffError, RecordingError
from kerneldiff.recordings import annotate, failures, outputs
from kerneldiff.recordings.capture import capture, prime
from kerneldiff.recordings.devices import choose_device, import_torch
from kerneldiff.recordings.environment import environment, state
from kerneldiff.recordings.model import Failure, Options, OutputCheck, Recording, Say, Variant
from kerneldiff.recordings.preparing import Prepared, compiler_settings, kernels_now, prepare
from kerneldiff.recordings.timing import Unprofiled, time_steps

SCHEMA = "kerneldiff.recording/1"


@dataclass(slots=True)
class Running:
    """A variant on its way through a session: what it has yielded so far."""

    ready: Prepared
    folder: Path
    timings: list[tuple[Unprofiled, dict[str, int]]] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)


class Session:
    """Records variants on one machine; a variant that fails leaves the others alone."""

    def __init__(self, options: Options, out: Path, say: Say) -> None:
        """Choose the device, and make the folder.

        Raises:
            RecordingError: without torch, without the device that was asked for, or for a folder that is not empty.
        """
        self.options, self.out, self.say = options, out, say
        self.device = choose_device(options.device)
        self.key = uuid.uuid4().hex
        self.failures: list[Failure] = []
        self.checks: list[OutputCheck] = []
        make_folder(out)

    def record(self, variants: Sequence[Variant], build: int) -> list[Recording]:
        """Record some variants in alternation, compiled afresh where several builds are wanted."""
        with compiler_settings(self.device, fresh=self.options.builds > 1):
            running = self._prepare(variants, build)
            if not running:
                return []
            self._check_outputs(running, build)
            self._alternate(running, "timing", self._time)
            self._alternate(running, "recording", self._capture)
            return [one for part in running if (one := self._load(part, build)) is not None]

    def _prepare(self, variants: Sequence[Variant], build: int) -> list[Running]:
        running = []
        for variant in variants:
            self.say(f"{variant.name}: building and warming up")
            try:
                ready = prepare(variant, self.device, self.options.seed)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a user's program may raise anything
                self._fail(variant, error, "building and running the first steps")
                continue
            if not ready.settled:
                self.say(f"{variant.name}: something is still compiled in every step; its times include that")
            folder = self._folder(variant.name, build)
            folder.mkdir(parents=True, exist_ok=True)
            running.append(Running(ready=ready, folder=folder))
        return running

    def _folder(self, name: str, build: int) -> Path:
        top = self.out / f"build-{build}" if self.options.builds > 1 else self.out
        return top / folder_name(name)

    def _check_outputs(self, running: Sequence[Running], build: int) -> None:
        first = running[0].ready
        for part in running[1:]:
            ready = part.ready
            check = outputs.compare(ready.variant.name, build, ready.results, first.results, first.variant.name)
            self.checks.append(check)

    def _alternate(self, running: list[Running], what: str, act: Any) -> None:  # noqa: ANN401 - a method
        for number in range(self.options.recordings):
            self.say(f"{what} {number + 1} of {self.options.recordings}, in alternation")
            for part in list(running):
                try:
                    act(part, number)
                except (Exception, SystemExit) as error:  # noqa: BLE001 - a user's program may raise anything
                    self._fail(part.ready.variant, error, what)
                    if not part.files:
                        running.remove(part)

    def _time(self, part: Running, _: int) -> None:
        taken = time_steps(part.ready.program.step, self.device)
        part.timings.append((taken, state(self.device)))

    def _capture(self, part: Running, number: int) -> None:
        if len(part.files) < number:
            return  # it failed in an earlier round
        step = part.ready.program.step
        if number == 0:
            prime(step, self.device)
        kernels = kernels_now(part.ready, self.device)
        with tempfile.TemporaryDirectory(prefix=".recording-", dir=part.folder) as aside:
            for path, table in capture(step, self.options, self.device, Path(aside)):
                target = part.folder / f"{len(part.files):02d}.pt.trace.json.gz"
                facts = self._facts(part, number) | {"kernels": annotate.named_in(path, kernels)}
                annotate.write_trace(path, target, facts)
                annotate.write_text(part.folder / f"{len(part.files):02d}.table.txt", table)
                part.files.append(target)

    def _facts(self, part: Running, number: int) -> dict[str, Any]:
        taken, clocks = part.timings[number]
        ready = part.ready
        return {
            "schema": SCHEMA,
            "version": __version__,
            "session": self.key,
            "variant": ready.variant.name,
            "recording": len(part.files),
            "note": ready.program.note,
            "compile": {key: str(value) for key, value in ready.variant.settings.items()},
            "environment": environment(self.device, self.options.seed),
            "state": {"timed": clocks, "recorded": state(self.device)},
            "unprofiled": taken.as_json(),
        }

    def _load(self, part: Running, build: int) -> Recording | None:
        name = part.ready.variant.name
        if not part.files:
            return None
        try:
            run = pipeline.load(part.folder)
            if not run.events:
                where = "the GPU: its tensors may be on the CPU" if self.device == "cuda" else "the CPU"
                msg = f"the step launched nothing on {where}; it should do its work each time it is called"
                raise RecordingError(msg)
        except KerneldiffError as error:
            self._fail(part.ready.variant, error, "reading the recording")
            return None
        return Recording(
            variant=name,
            build=build,
            folder=part.folder,
            files=tuple(part.files),
            profile=run,
            note=part.ready.program.note,
        )

    def _fail(self, variant: Variant, error: BaseException, phase: str) -> None:
        self.failures.append(Failure(variant=variant.name, message=failures.describe(variant.name, error, phase=phase)))
        self.say(self.failures[-1].message)
        if failures.is_out_of_memory(error):
            error.__traceback__ = None  # its frames hold the tensors
            gc.collect()
            if self.device == "cuda":
                import_torch().cuda.empty_cache()


def make_folder(out: Path) -> None:
    """Make the folder for recordings.

    Raises:
        RecordingError: when it cannot be made, or something is in it: old recordings would be mixed with new ones.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            msg = f"{out}: not empty; choose another folder with -o, so that recordings of two sessions are not mixed"
            raise RecordingError(msg)
    except OSError as error:
        msg = f"{out}: cannot be used as a folder ({error.strerror or error}); choose another with -o"
        raise RecordingError(msg) from error


def folder_name(variant: str) -> str:
    """Give a variant's folder a name that every file system takes.

    >>> folder_name("compile:mode=reduce-overhead,dynamic=true")
    'compile-mode=reduce-overhead-dynamic=true'
    """
    return re.sub(r"[^A-Za-z0-9._=-]+", "-", variant).strip(".") or "variant"
