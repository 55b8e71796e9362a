"""The console blocks of the pages on checks: run as they stand, and written anew by ``write_check_pages.py``.

A block is a fence of ``console``; ``$ kerneldiff ...`` runs in this process, ``$ cat FILE`` shows a file, ``$ echo $?``
the last exit status. All run in one folder, with real traces under short names.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from kerneldiff.cli import main

ROOT = Path(__file__).parents[1]
PAGES = tuple(ROOT / "docs" / f"{name}.md" for name in ("checks", "lock-files", "expectations", "pytest", "ci"))
TRACES = ROOT / "tests" / "data" / "pairs" / "traces"
NAMES = {
    "eager.json.gz": "seed-mlp_eager_shapes.json.gz",
    "compiled.json.gz": "seed-mlp_compile_shapes.json.gz",
    "bert-eager.json.gz": "hf-bert_eager.json.gz",
    "bert-compiled.json.gz": "hf-bert_compile.json.gz",
    "linear.json.gz": "seed-linear_bf16_eager.json.gz",
    "no-hashes.json.gz": "seed-mlp_compile.json.gz",
}
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def rewritten(text: str, folder: Path) -> str:
    """A page with the output of every command as it is now."""
    for name, target in NAMES.items():
        link = folder / name
        if not link.exists():
            link.symlink_to(TRACES / target)
    for block in re.findall(r"```toml title=(\S+)\n(.*?)```", text, re.DOTALL):
        (folder / block[0]).write_text(block[1], encoding="utf-8")
    return _BLOCK.sub(lambda found: f"```console\n{_run(found[1], folder)}```", text)


def _run(block: str, folder: Path) -> str:
    shown, status = [], 0
    for line in block.split("\n"):
        if not line.startswith("$ "):
            continue
        shown.append(f"{line}\n")
        words = shlex.split(line[2:], comments=True)
        if words[0] == "cat":
            shown.append((folder / words[1]).read_text(encoding="utf-8"))
        elif words == ["echo", "$?"]:
            shown.append(f"{status}\n")
        else:
            status, output = _command(words, folder)
            shown.append(output)
    return "".join(shown)


def _command(words: list[str], folder: Path) -> tuple[int, str]:
    """Run a command; what it says on both streams, as a terminal shows it."""
    both = io.StringIO()
    with (
        chdir(folder),
        redirect_stdout(both),
        redirect_stderr(both),
        patch.object(sys, "argv", words),
        patch.dict(os.environ, {"COLUMNS": "96"}),
    ):
        try:
            main()
        except SystemExit as stop:
            return int(stop.code or 0), both.getvalue()
    return 0, both.getvalue()
