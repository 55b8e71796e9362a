"""How much CPU time and memory does loading a large trace take, beside json.load and HTA?

usage: python benchmarks/load.py [--mb 100 1000] [--source TRACE] [--repeat 3] [--no-hta] [--check]

The large files are made of a small real one: its events are written again and again in Kineto's line layout, with
times and ids shifted. Each reader is a process of its own, from interpreter start to the sum of all durations, so that
a lazy reader gains nothing; CPU is user and system time as the operating system counts it. Files and HTA's environment
are kept in a folder of the system's temporary files.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "tests" / "data" / "pairs" / "traces" / "train-train_lm_bf16_eager.json.gz"
HTA = "HolisticTraceAnalysis==0.5.0"

KERNELDIFF = """
import sys
from kerneldiff.traces import load
print(int(load(sys.argv[1]).events.dur_ns.sum()) / 1000)
"""
JSON = """
import json, sys
with open(sys.argv[1]) as file:
    print(sum(event["dur"] for event in json.load(file)["traceEvents"] if event["ph"] == "X"))
"""
JSON_WITHOUT_COLLECTION = "import gc; gc.disable()\n" + JSON
# HTA's parsing alone, without the linking that its analyses do first. It rounds times to whole microseconds and leaves
# the profiler's own span out, so its sum differs a little.
WITH_HTA = """
import sys
from hta.common.trace_parser import parse_trace_dataframe
from hta.configs.parser_config import ParserConfig
_, frame, _ = parse_trace_dataframe(sys.argv[1], ParserConfig.get_default_cfg())
print(float(frame["dur"].sum()))
"""

# Least ratios of CPU time, and largest share of memory, at a gigabyte.
TARGETS = {"json.load": 4.0, "HTA": 10.0}
MEMORY_SHARE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """CPU seconds, peak memory in bytes, and what the reader printed."""

    cpu_s: float
    peak_bytes: int
    total_us: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mb", type=float, nargs="+", default=[100, 1000], help="sizes of the files in 10^6 bytes")
    parser.add_argument("--source", type=Path, default=SOURCE, help="a small real trace")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each fast reader; the least CPU time counts")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kerneldiff-benchmark")
    parser.add_argument("--no-hta", action="store_true", help="leave HTA out (its installation needs the network)")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 when a target is missed at a gigabyte or more"
    )
    options = parser.parse_args()

    options.folder.mkdir(parents=True, exist_ok=True)
    readers = [("json.load", sys.executable, JSON), ("json.load, no gc", sys.executable, JSON_WITHOUT_COLLECTION)]
    if not options.no_hta:
        readers.append(("HTA", str(hta_python(options.folder / "hta")), WITH_HTA))
    is_met = True
    for megabytes in options.mb:
        path = options.folder / f"{options.source.name.split('.')[0]}-{megabytes:g}.json"
        if not path.exists():
            write_large_trace(options.source, path, int(megabytes * 1_000_000))
        is_met &= compare(path, readers, options.repeat)
    return 0 if is_met or not options.check else 1


def compare(path: Path, readers: list[tuple[str, str, str]], repeat: int) -> bool:
    """Print the cost of each reader; tell whether the targets are met, which count from a gigabyte on."""
    size = path.stat().st_size
    print(f"\n{path.name}: {size / 1e6:.0f} MB")
    print(f"{'reader':18}{'CPU s':>8}{'MB/s':>7}{'ratio':>7}{'peak MB':>9}{'of file':>9}")
    warm(path)
    own = least(sys.executable, KERNELDIFF, path, repeat)
    show("kerneldiff", own, own, size)
    is_met = own.peak_bytes < MEMORY_SHARE * size
    for name, python, program in readers:
        cost = least(python, program, path, 1 if name == "HTA" else repeat)
        show(name, cost, own, size)
        if abs(cost.total_us - own.total_us) > (1e-9 if name != "HTA" else 0.02) * own.total_us:
            print(f"  sum of durations {cost.total_us:.3f} us, here {own.total_us:.3f} us")
        is_met &= cost.cpu_s >= TARGETS.get(name, 0) * own.cpu_s
    return is_met or size < 1e9


def show(name: str, cost: Cost, own: Cost, size: int) -> None:
    print(
        f"{name:18}{cost.cpu_s:8.2f}{size / 1e6 / cost.cpu_s:7.0f}{cost.cpu_s / own.cpu_s:7.1f}"
        f"{cost.peak_bytes / 1e6:9.0f}{cost.peak_bytes / size:9.2f}",
        flush=True,
    )


def least(python: str, program: str, path: Path, repeat: int) -> Cost:
    return min((measured(python, program, path) for _ in range(repeat)), key=lambda cost: cost.cpu_s)


def measured(python: str, program: str, path: Path) -> Cost:
    """Run a reader as a process and return what it cost as a whole."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([python, "-c", program, str(path)], stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            raise SystemExit(errors.read().decode(errors="replace"))
        total_us = float(output.read().split()[-1])
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(cpu_s=usage.ru_utime + usage.ru_stime, peak_bytes=usage.ru_maxrss * unit, total_us=total_us)


def warm(path: Path) -> None:
    """Bring the file into the page cache."""
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


def hta_python(folder: Path) -> Path:
    """Return the interpreter of an environment with HTA, made on first use."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"installing {HTA} into {folder} ...", file=sys.stderr)
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", HTA], check=True)
    return python


# Which numbers of an event are moved from copy to copy, and with which counter.
SHIFTED_ARGS = {
    "correlation": "launch",
    "External id": "operator",
    "Ev Idx": "index",
    "Python id": "frame",
    "Python parent id": "frame",
}


def write_large_trace(source: Path, target: Path, size: int) -> None:
    """Write the events of a small trace until the file has a size."""
    print(f"writing {target} ...", file=sys.stderr)
    data = source.read_bytes()
    document = json.loads(gzip.decompress(data) if source.suffix == ".gz" else data)
    events = document.pop("traceEvents")
    behind = {key: document.pop(key) for key in ("traceName", "baseTimeNanoseconds") if key in document}
    steps = steps_of(events)
    forms = [form_of(event) for event in events]
    partial = target.with_suffix(".partial")
    with partial.open("w", encoding="utf-8", buffering=1 << 20) as file:
        header = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in document.items())
        written = file.write("{\n" + header + '  "traceEvents": [\n')
        separator = ""
        for text in copies(forms, steps):
            written += file.write(separator + text)
            separator = ",\n"
            if written >= size:
                break
        footer = "".join(f",\n  {json.dumps(key)}: {json.dumps(value)}" for key, value in behind.items())
        file.write("\n  ]" + footer + "\n}\n")
    partial.rename(target)


def steps_of(events: list[dict[str, Any]]) -> dict[str, int]:
    """Return by how much each counter grows from one copy to the next: so that no two copies overlap."""
    slices = [event for event in events if event["ph"] == "X"]
    first, last = min(nanoseconds(e["ts"]) for e in slices), max(nanoseconds(e["ts"] + e["dur"]) for e in slices)
    steps = {"time": last - first + 1_000_000} | dict.fromkeys(SHIFTED_ARGS.values(), 1)
    for event in events:
        for key, value in (event.get("args") or {}).items():
            if key in SHIFTED_ARGS and isinstance(value, int):
                steps[SHIFTED_ARGS[key]] = max(steps[SHIFTED_ARGS[key]], value + 1)
    return steps


Form = tuple[str, tuple[tuple[str, int], ...]]


def form_of(event: dict[str, Any]) -> Form:
    """Return the text of an event with places for the numbers that move, and these numbers."""
    numbers: list[tuple[str, int]] = []

    def place(counter: str, value: int) -> str:
        numbers.append((counter, value))
        return "%s"

    def written(key: str, value: object) -> str:
        if key == "ts":
            text = place("time", nanoseconds(value))
        elif key == "dur":
            text = place("none", nanoseconds(value))
        elif key == "id" and isinstance(value, int):
            text = place("launch", value)
        elif key in SHIFTED_ARGS and isinstance(value, int):
            text = place(SHIFTED_ARGS[key], value)
        else:
            text = json.dumps(value, ensure_ascii=False).replace("%", "%%")
        return json.dumps(key).replace("%", "%%") + ": " + text

    top = [key for key in ("ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "bp", "s") if key in event]
    first = ", ".join(written(key, event[key]) for key in top if key not in ("ts", "dur"))
    times = ", ".join(written(key, event[key]) for key in top if key in ("ts", "dur"))
    args = event.get("args")
    body = ""
    if args is not None:
        body = ',\n    "args": {\n      ' + ", ".join(written(key, value) for key, value in args.items()) + "\n    }"
    return f"  {{\n    {first},\n    {times}{body}\n  }}", tuple(numbers)


def copies(forms: list[Form], steps: dict[str, int]) -> Iterator[str]:
    """Yield the texts of all events, copy after copy, without end."""
    copy = 0
    while True:
        moved = {counter: step * copy for counter, step in steps.items()} | {"none": 0}
        for text, numbers in forms:
            yield text % tuple(as_number(counter, value + moved[counter]) for counter, value in numbers)
        copy += 1


def as_number(counter: str, value: int) -> str:
    """Write a time in microseconds with three decimals, as Kineto does, and anything else as an integer."""
    return f"{value // 1000}.{value % 1000:03d}" if counter in ("time", "none") else str(value)


def nanoseconds(microseconds: object) -> int:
    return round(float(str(microseconds)) * 1000)


if __name__ == "__main__":
    raise SystemExit(main())
