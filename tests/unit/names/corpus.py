"""The names that the tests share: hand-checked entries by grammar, and the long lists."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data" / "names"
NOT_FACTS = ("name", "seen")


@lru_cache(maxsize=1)
def entries() -> list[dict[str, Any]]:
    """All hand-checked names, with the file that holds each."""
    found = []
    for path in sorted(DATA.glob("*.toml")):
        found += [{**entry, "file": path.stem} for entry in tomllib.loads(path.read_text(encoding="utf-8"))["name"]]
    return found


def expectations(entry: dict[str, Any]) -> list[tuple[str, Any]]:
    """The fields that an entry settles; lists are tuples in a decoded name."""
    return [
        (field, tuple(value) if isinstance(value, list) else value)
        for field, value in entry.items()
        if field not in (*NOT_FACTS, "file")
    ]


def _text(name: str) -> str:
    return gzip.decompress((DATA / name).read_bytes()).decode("utf-8")


@lru_cache(maxsize=1)
def real_names() -> list[tuple[str, str]]:
    """2,404 names from traces and libraries, each with its family."""
    rows = _text("names.tsv.gz").splitlines()[1:]
    return [tuple(row.split("\t")[:2]) for row in rows]  # type: ignore[misc]


@lru_cache(maxsize=1)
def labelled() -> list[dict[str, str]]:
    """169 decodes that were checked by hand."""
    reader = csv.DictReader(io.StringIO(_text("labelled.tsv.gz")), delimiter="\t", quoting=csv.QUOTE_NONE)
    return list(reader)


@lru_cache(maxsize=2)
def calls(name: str) -> list[dict[str, Any]]:
    """Products of known type, layout and epilogue with the GPU events that each caused on an H200."""
    return [json.loads(line) for line in _text(name).splitlines()]
