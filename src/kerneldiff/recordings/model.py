"""What a recording is asked for, and what it yields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kerneldiff.diffs.builds import BuildSpread
from kerneldiff.diffs.model import Diff
from kerneldiff.profiles.model import Profile

DeviceKind = Literal["auto", "cpu", "cuda"]
Step = Callable[[], object]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The profiler's schedule, in the words of ``torch.profiler.schedule``.

    Attributes:
        wait: steps that run unwatched; warmup: steps that are watched and thrown away.
        active: steps that are kept; repeat: how many such cycles, each a file of its own.
    """

    wait: int = 1
    warmup: int = 1
    active: int = 3
    repeat: int = 1

    @property
    def steps(self) -> int:
        """Steps of one cycle."""
        return self.wait + self.warmup + self.active


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to record.

    Attributes:
        schedule: of the profiler.
        recordings: how often each variant is recorded and timed, in alternation.
        builds: how often compiled variants are compiled afresh; more than one uses empty caches each time.
        seed: of torch's random generators, set before each program is made.
        device: where built-in workloads and factories that ask for it run.
        shapes, stacks, memory: what the profiler notes besides; shapes prove code identity and traffic.
    """

    schedule: Schedule = field(default_factory=Schedule)
    recordings: int = 5
    builds: int = 1
    seed: int = 0
    device: DeviceKind = "auto"
    shapes: bool = True
    stacks: bool = False
    memory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A variant, ready to run.

    Attributes:
        step: runs one step and returns its outputs.
        modules: whose gradients are compared, as far as they are known.
        note: what a reader must know of it, such as which library a kernel came from.
    """

    step: Step
    modules: tuple[Any, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to run a program.

    Attributes:
        name: as the user gave it.
        make: builds the program afresh on a device (``cpu`` or ``cuda``).
        settings: of the compiler, for the record.
    """

    name: str
    make: Callable[[str], Program]
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The recordings of one variant.

    Attributes:
        variant: its name; build: which build, from 1.
        folder: where the files are; files: the traces, in order of time.
        profile: the run that they make.
        note: what its program says of itself.
    """

    variant: str
    build: int
    folder: Path
    files: tuple[Path, ...]
    profile: Profile
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A variant that could not be recorded, or not to the end; the message names it and says why."""

    variant: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputCheck:
    """Whether a variant computes what the first one computes.

    Attributes:
        variant: its name; build: which build.
        equal: None when it could not be told.
        text: one sentence: what was compared, or what differs.
    """

    variant: str
    build: int
    equal: bool | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Variants recorded together, each compared with the first.

    Attributes:
        recordings: all that were recorded, build by build, in the order of the variants.
        diffs: each further variant against the first; of several builds the typical one (lower median GPU time).
        labels: names of the first and of the compared variants, one more than there are diffs.
        outputs: what the comparison of outputs and gradients found.
        failures: variants that failed.
        spreads: how far builds lie apart, for variants that were compiled several times.
    """

    recordings: tuple[Recording, ...]
    diffs: tuple[Diff, ...]
    labels: tuple[str, ...]
    outputs: tuple[OutputCheck, ...] = ()
    failures: tuple[Failure, ...] = ()
    spreads: tuple[BuildSpread, ...] = ()
