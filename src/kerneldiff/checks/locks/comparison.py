"""A trace held against a lock: the same matching and the same relations as between two traces."""

from __future__ import annotations

import numpy as np

from kerneldiff.checks.locks.model import Lock
from kerneldiff.diffs import Diff, diff
from kerneldiff.errors import PolicyError
from kerneldiff.links.model import Coverage
from kerneldiff.profiles.model import Profile, Sequences


def compare_with_lock(lock: Lock, run: Profile, *, where: str, other_device: bool = False) -> Diff:
    """Compare a run, as the candidate, with a lock, as the baseline.

    The lock holds no times: they are left open.

    Args:
        lock: the baseline.
        run: the candidate.
        where: name of the lock file.
        other_device: compare although the lock was made on another device.

    Raises:
        PolicyError: when the lock was made on another device: kernels are chosen for the device.
    """
    if lock.device and run.device and lock.device != run.device and not other_device:
        msg = (
            f"{where}: locked on {lock.device}, and {run.paths[0]} was recorded on {run.device}; kernels are chosen for the "
            f"device: keep one lock a device, or compare all the same with --other-device"
        )
        raise PolicyError(msg)
    return diff(as_run(lock, run, where=where), run)


def as_run(lock: Lock, run: Profile, *, where: str) -> Profile:
    """Make a lock a side of a comparison with ``run``.

    What a lock does not speak of (CPU operators, the clock's resolution) is taken to be as in the run, so that it
    makes no difference.
    """
    whole = lock.steps != "incomplete"
    return Profile(
        paths=(where,),
        device=lock.device,
        environment=lock.environment,
        steps=1,
        complete_steps=int(whole),
        step_number=None,
        alike=int(whole),
        deviating=(),
        events=lock.events,
        durations=np.zeros((0, len(lock.events)), dtype=np.int64),
        operators=run.operators,
        samples=(),
        bound="unknown",
        coverage=Coverage(
            gpu_events=len(lock.events),
            in_steps=len(lock.events),
            before_window=0,
            linked=len(lock.events),
            gpu_ns=0,
            gpu_ns_in_steps=0,
            before_window_ns=0,
        ),
        missing=lock.missing,
        sequences=_sequences(lock, run),
        digest="",
        cut_off=lock.cut_off,
        whole_microseconds=run.whole_microseconds,
        notes=(),
        captured=lock.captured,
    )


def _sequences(lock: Lock, run: Profile) -> Sequences:
    """Give the fingerprints of the lock's steps.

    The lock holds one list of events, and they are matched one by one: where both sides have no other list, there is
    nothing left to compare. Otherwise some steps have no counterpart in the lock.
    """
    if lock.steps == "alike" and len(run.sequences.full) == 1:
        return run.sequences
    return Sequences(names=frozenset(), hashed=frozenset(), full=frozenset(), outside="")
