"""CPU time of the whole `compare` of two traces beside that of loading them, as ratios in one run.

usage: python benchmarks/compare.py A.json B.json

Whole processes are measured (interpreter start included), least of three. The bar: comparing takes at most 2.5 times
the CPU of loading both files, and grows linearly with their size.
"""

from __future__ import annotations

import resource
import subprocess
import sys

_LOAD = "import sys; from kerneldiff.traces import load\nfor path in sys.argv[1:]: load(path).events.dur_ns.sum()"


def cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    files = sys.argv[1:]
    load = min(cpu_seconds([sys.executable, "-c", _LOAD, *files]) for _ in range(3))
    whole = min(cpu_seconds([sys.executable, "-m", "kerneldiff", "compare", *files]) for _ in range(3))
    print(f"loading both  {load:6.2f} s of CPU")
    print(f"compare       {whole:6.2f} s of CPU, {whole / load:.2f} times the loading (bar: 2.5)")


if __name__ == "__main__":
    main()
