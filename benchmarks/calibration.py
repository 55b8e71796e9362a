"""How often are the calls on time right? Replicates of unchanged programs give the answer.

usage: python benchmarks/calibration.py [FOLDER]

FOLDER (default: tests/data/replicates) holds recordings called PROGRAM_NN.json.gz. The samples are taken from the
traces by a reader of its own, a few lines of plain json, so that it also checks the readers of kerneldiff.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, permutations
from pathlib import Path

import numpy as np

from kerneldiff.diffs.noise import Quantity, Recording, TimeCall, judge, judge_match, session_of

REPLICATES = Path(__file__).parent.parent / "tests" / "data" / "replicates"
QUANTITIES: tuple[Quantity, ...] = ("gpu", "gpu_busy", "cpu", "step")
GPU_CATEGORIES = {"kernel", "gpu_memcpy", "gpu_memset"}
RUNTIME_CATEGORIES = {"cuda_runtime", "cuda_driver"}
BLOCKING = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize"}
GPU_TICK_NS = 32

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """The values of one recording by quantity; its kernels step by step; what tells builds apart."""

    values: dict[Quantity, list[int]]
    kernels: list[list[tuple[str, int]]]
    build: tuple[object, ...]
    start_ns: int


def read(path: Path) -> Samples:
    """Read the samples of one trace with ``ProfilerStep`` marks, every step of which is complete."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        trace = json.load(file)
    slices = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    marks = [event for event in slices if event["name"].startswith("ProfilerStep#")]
    steps = sorted((e for e in marks if e.get("cat") == "user_annotation"), key=lambda event: event["ts"])
    launches = {e["args"]["correlation"]: e for e in slices if e.get("cat") in RUNTIME_CATEGORIES}
    device = [e for e in slices if e.get("cat") in GPU_CATEGORIES and e["args"].get("correlation") in launches]
    parts = []
    for step in steps:
        events = [e for e in device if _holds(step, launches[e["args"]["correlation"]])]
        parts.append(sorted(events, key=lambda event: event["ts"]))
    threads = [{launches[e["args"]["correlation"]]["tid"] for e in events} for events in parts]
    spans = [[_span(event) for event in events] for events in parts]
    ends = [max((end for _, end in step), default=_span(mark)[0]) for step, mark in zip(spans, steps, strict=True)]
    dispatch = [_dispatch(step, slices, tids) for step, tids in zip(steps, threads, strict=True)]
    return Samples(
        values={
            "gpu": [sum(end - start for start, end in step) for step in spans],
            "gpu_busy": [_length(step) for step in spans],
            "cpu": dispatch,
            "step": [after - before for before, after in pairwise(ends)],
        },
        kernels=[[(event["name"], _span(event)[1] - _span(event)[0]) for event in events] for events in parts],
        build=tuple(
            (e["name"], tuple(e["args"].get("block", ())), e["args"].get("registers per thread")) for e in parts[-1]
        ),
        start_ns=int(trace.get("baseTimeNanoseconds", 0)) + _span(steps[0])[0],
    )


def recording(samples: Samples, quantity: Quantity, *, planted: float = 1.0) -> Recording:
    """Return one quantity of a recording, with all its times multiplied by ``planted``."""
    on_gpu = quantity in ("gpu", "gpu_busy")
    return Recording(
        values_ns=np.round(np.array(samples.values[quantity]) * planted).astype(np.int64),
        tick_ns=GPU_TICK_NS if on_gpu else 1,
        events=max(len(step) for step in samples.kernels) if on_gpu else 1,
        start_ns=samples.start_ns,
    )


def kernel(samples: Samples, place: int) -> Recording:
    """Return the durations of one kernel, by its place in the step."""
    values = np.array([step[place][1] for step in samples.kernels], dtype=np.int64)
    return Recording(values_ns=values, tick_ns=GPU_TICK_NS, start_ns=samples.start_ns)


def call(
    baseline: Sequence[Samples], candidate: Sequence[Samples], quantity: Quantity, *, planted: float = 1.0
) -> TimeCall:
    """Judge one quantity of two sides, the candidate's times multiplied by ``planted``."""
    one = [recording(samples, quantity) for samples in baseline]
    other = [recording(samples, quantity, planted=planted) for samples in candidate]
    return judge(one, other, quantity=quantity, session=session_of(one, other))


def load(folder: Path = REPLICATES) -> dict[str, list[Samples]]:
    """Read a folder of replicates; recordings of one program."""
    programs: dict[str, list[Samples]] = {}
    for path in sorted(folder.glob("*.json.gz")):
        programs.setdefault(path.name.rpartition("_")[0], []).append(read(path))
    return programs


def unchanged(programs: dict[str, list[Samples]]) -> Iterator[tuple[Samples, Samples]]:
    """Yield all ordered pairs of recordings of one program in one build."""
    for recordings in programs.values():
        yield from ((one, other) for one, other in permutations(recordings, 2) if one.build == other.build)


def unchanged_calls(programs: dict[str, list[Samples]], quantity: Quantity) -> list[TimeCall]:
    """Judge all pairs of recordings of unchanged programs."""
    return [call([one], [other], quantity) for one, other in unchanged(programs)]


def planted_calls(programs: dict[str, list[Samples]], quantity: Quantity, planted: float) -> list[bool]:
    """Tell for each such pair whether a planted change is found, upwards and downwards."""
    found = []
    for one, other in unchanged(programs):
        found.append(call([one], [other], quantity, planted=planted).call == "slower")
        found.append(call([one], [other], quantity, planted=1 / planted).call == "faster")
    return found


def kernel_calls(programs: dict[str, list[Samples]]) -> list[TimeCall]:
    """Judge each kernel of the step on its own in all pairs of recordings of unchanged programs."""
    return [
        judge_match([kernel(one, place)], [kernel(other, place)], session="same")
        for one, other in unchanged(programs)
        for place in range(len(one.kernels[-1]))
    ]


def several(
    programs: dict[str, list[Samples]], quantity: Quantity, count: int, *, planted: float = 1.0, draws: int = 100
) -> list[TimeCall]:
    """Judge sides of several recordings, drawn at random (with a fixed seed) from those of one program."""
    random = np.random.default_rng(1974)
    calls = []
    for recordings in programs.values():
        for _ in range(draws):
            sides = [[recordings[index] for index in random.integers(0, len(recordings), count)] for _ in range(2)]
            calls.append(call(sides[0], sides[1], quantity, planted=planted))
    return calls


def halves(programs: dict[str, list[Samples]], quantity: Quantity) -> list[TimeCall]:
    """Judge every split of a program's recordings into two sides."""
    calls = []
    for recordings in programs.values():
        for chosen in combinations(range(len(recordings)), len(recordings) // 2):
            rest = [recordings[index] for index in range(len(recordings)) if index not in chosen]
            calls.append(call([recordings[index] for index in chosen], rest, quantity))
    return calls


def across(one: Sequence[Samples], other: Sequence[Samples], quantity: Quantity) -> list[TimeCall]:
    """Judge every recording of one program against every one of another."""
    return [call([first], [second], quantity) for first in one for second in other]


def shortened(samples: Samples, steps: int) -> Samples:
    """Return the first steps of a recording, as if it had been no longer."""
    kept = {name: values[: steps - (name == "step")] for name, values in samples.values.items()}
    return replace(samples, values=kept, kernels=samples.kernels[:steps])


def share(calls: Iterable[TimeCall], *words: str) -> float:
    """Return the share of calls, in percent, that are one of the words."""
    found = [one.call in words for one in calls]
    return 100 * sum(found) / len(found)


def rows(programs: dict[str, list[Samples]]) -> Iterator[tuple[str, str, str]]:
    """Yield the lines of the table: what, the bar, the measured share."""
    for quantity in QUANTITIES:
        calls = unchanged_calls(programs, quantity)
        yield (
            f"unchanged program called faster or slower, {quantity}",
            "<= 5 %",
            f"{share(calls, 'faster', 'slower'):.1f} %",
        )
        if quantity in ("gpu", "gpu_busy"):
            yield f"unchanged program called equivalent, {quantity}", ">= 80 %", f"{share(calls, 'equivalent'):.1f} %"
    calls = kernel_calls(programs)
    yield "unchanged kernel called faster or slower", "<= 5 %", f"{share(calls, 'faster', 'slower'):.1f} %"
    for planted in (1.03, 1.05, 1.10):
        found = planted_calls(programs, "gpu", planted)
        bar = ">= 95 %" if planted == 1.03 else ""
        yield f"planted {planted - 1:.0%} in GPU time found", bar, f"{100 * sum(found) / len(found):.1f} %"
    if {"mlp_eager", "mlp_compile", "lin_eager", "lin_compile"} <= programs.keys():
        calls = across(programs["mlp_eager"], programs["mlp_compile"], "gpu")
        yield "MLP, eager to compiled: GPU faster", "100 %", f"{share(calls, 'faster'):.1f} %"
        calls = across(programs["lin_eager"], programs["lin_compile"], "cpu")
        yield "Linear, eager to compiled: CPU slower", ">= 90 %", f"{share(calls, 'slower'):.1f} %"
    for quantity in ("gpu", "cpu", "step"):
        calls = halves(programs, quantity)
        yield (
            f"3 recordings a side, unchanged, faster or slower, {quantity}",
            "<= 5 %",
            f"{share(calls, 'faster', 'slower'):.1f} %",
        )
    for quantity in ("cpu", "step"):
        calls = several(programs, quantity, 5)
        yield (
            f"5 recordings a side, unchanged, faster or slower, {quantity}",
            "<= 5 %",
            f"{share(calls, 'faster', 'slower'):.1f} %",
        )
        calls = several(programs, quantity, 5, planted=1.5)
        yield f"5 recordings a side, planted 50 % in {quantity} found", ">= 80 %", f"{share(calls, 'slower'):.1f} %"
    short = {name: [shortened(samples, 3) for samples in given] for name, given in programs.items()}
    for quantity in ("gpu", "cpu", "step"):
        calls = unchanged_calls(short, quantity)
        yield (
            f"first 3 steps only, unchanged, faster or slower, {quantity}",
            "<= 5 %",
            f"{share(calls, 'faster', 'slower'):.1f} %",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("folder", nargs="?", type=Path, default=REPLICATES, help="recordings, PROGRAM_NN.json.gz")
    programs = load(parser.parse_args().folder)
    if not any(unchanged(programs)):
        parser.error("the folder holds no program that was recorded twice")
    counts = ", ".join(f"{name} x {len(recordings)}" for name, recordings in programs.items())
    print(f"recordings: {counts}; {sum(1 for _ in unchanged(programs))} ordered pairs of unchanged programs\n")
    print(f"{'case':<60}{'bar':>8}{'measured':>10}")
    for what, bar, measured in rows(programs):
        print(f"{what:<60}{bar:>8}{measured:>10}")


def _span(event: dict[str, object]) -> Interval:
    start = round(float(str(event["ts"])) * 1000)
    return start, start + round(float(str(event.get("dur", 0))) * 1000)


def _holds(step: dict[str, object], event: dict[str, object]) -> bool:
    start, end = _span(step)
    return event["pid"] == step["pid"] and start <= _span(event)[0] < end


def _dispatch(step: dict[str, object], slices: list[dict[str, object]], threads: set[object]) -> int:
    """Return the union of operator and runtime slices on the launching threads, less blocking calls."""
    start, end = _span(step)
    own = [event for event in slices if event.get("tid") in threads and _holds(step, event)]
    work = [_span(event) for event in own if event.get("cat") in {"cpu_op", *RUNTIME_CATEGORIES}]
    waits = [_span(event) for event in own if event["name"] in BLOCKING]
    clipped = [(max(start, first), min(end, last)) for first, last in work]
    clipped_waits = [(max(start, first), min(end, last)) for first, last in waits]
    return _length(clipped) - _length(clipped_waits)


def _length(intervals: Iterable[Interval]) -> int:
    total, reached = 0, -1
    for start, end in sorted(intervals):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


if __name__ == "__main__":
    main()
