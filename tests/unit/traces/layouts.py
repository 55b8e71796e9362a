"""One trace in all the layouts that real files come in."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

# Marks a text as a number that is to be written digit by digit.
NUMBER = "<number>"
HEADER_FIRST = ("schemaVersion", "deviceProperties", "record_shapes", "with_stack", "distributedInfo")


def dumps(value: Any, **options: Any) -> str:
    return re.sub(f'"{NUMBER}(-?[0-9.]+)"', r"\1", json.dumps(value, **options))


def as_kineto(header: dict[str, Any], events: list[dict[str, Any]]) -> str:
    """Kineto's own lines, with most of the header before the events and the rest behind."""
    first = {key: value for key, value in header.items() if key in HEADER_FIRST}
    last = {key: value for key, value in header.items() if key not in HEADER_FIRST}
    before = "".join(f"  {json.dumps(k)}: {json.dumps(v)},\n" for k, v in first.items())
    after = "".join(f",\n  {json.dumps(k)}: {json.dumps(v)}" for k, v in last.items())
    body = ",\n".join("  {\n    " + dumps(event, ensure_ascii=False)[1:-1] + "\n  }" for event in events)
    return "{\n" + before + '  "traceEvents": [\n' + body + "\n  ]" + after + "\n}\n"


def with_header_behind(header: dict[str, Any], events: list[dict[str, Any]]) -> str:
    return dumps({"traceEvents": events} | header)


def with_header_first(header: dict[str, Any], events: list[dict[str, Any]]) -> str:
    return dumps(header | {"traceEvents": events}, separators=(",", ":"))


def indented(header: dict[str, Any], events: list[dict[str, Any]]) -> str:
    return dumps(header | {"traceEvents": events}, indent=2)


def indented_by_four(header: dict[str, Any], events: list[dict[str, Any]]) -> str:
    return dumps({"traceEvents": events} | header, indent=4, ensure_ascii=False)


def bare_list(header: dict[str, Any], events: list[dict[str, Any]]) -> str:
    return dumps(events, indent=1)


OBJECTS = {
    "kineto": as_kineto,
    "header behind": with_header_behind,
    "header first": with_header_first,
    "indent 2": indented,
    "indent 4": indented_by_four,
}
TEXTS = OBJECTS | {"bare list": bare_list}

WRAPPINGS = {
    "plain": lambda data: data,
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "gzip": lambda data: gzip.compress(data, 1, mtime=0),
    "two gzip members": lambda data: gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :]),
    "blanks around": lambda data: b" \n" + data + b"\n\n ",
}
