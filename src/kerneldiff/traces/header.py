"""The facts at the top level of a Kineto file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kerneldiff.traces.model import Device, Header

# torch.profiler writes these flags only when they are on:
# https://github.com/pytorch/pytorch/blob/v2.6.0/torch/profiler/profiler.py (_KinetoProfile.start_trace)
FLAGS: Final = ("record_shapes", "with_stack", "profile_memory")

KNOWN_FIELD: Final = re.compile(
    r'"(deviceProperties|record_shapes|with_stack|profile_memory|distributedInfo|baseTimeNanoseconds|traceName|trace_id'
    r'|\w+_version|kerneldiff)"\s*:\s*'
)


def header_of(fields: Mapping[str, Any]) -> Header:
    """Read the header from the decoded top level (all keys but ``traceEvents``); what is odd is None."""
    distributed = fields.get("distributedInfo")
    distributed = distributed if isinstance(distributed, dict) else {}
    devices = fields.get("deviceProperties")
    own = fields.get("kerneldiff")
    return Header(
        devices=tuple(device_of(d, i) for i, d in enumerate(devices) if isinstance(d, dict))
        if isinstance(devices, list)
        else (),
        **{flag: True if fields.get(flag) else None for flag in FLAGS},
        rank=integer(distributed.get("rank")),
        world_size=integer(distributed.get("world_size")),
        base_ns=integer(fields.get("baseTimeNanoseconds")),
        trace_name=text(fields.get("traceName")),
        trace_id=text(fields.get("trace_id")),
        versions=tuple(sorted((k, str(v)) for k, v in fields.items() if is_version(k, v))),
        kerneldiff=None if own is None else msgspec.json.encode(own).decode(),
    )


def device_of(properties: Mapping[str, Any], position: int) -> Device:
    """Read one entry of ``deviceProperties``."""
    index = integer(properties.get("id"))
    major, minor = integer(properties.get("computeMajor")), integer(properties.get("computeMinor"))
    return Device(
        index=position if index is None else index,
        name=text(properties.get("name")) or None,
        compute_capability=None if major is None or minor is None else (major, minor),
        multiprocessors=integer(properties.get("numSms")),
        memory_bytes=integer(properties.get("totalGlobalMem")),
    )


def is_version(key: str, value: object) -> bool:
    """Tell whether a field names the version of a driver, runtime or tool."""
    return key.endswith("_version") and isinstance(value, int | str) and not isinstance(value, bool)


def integer(value: object) -> int | None:
    """Return an integer within int64, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 else None


def text(value: object) -> str | None:
    """Return a text, None for anything else."""
    return value if isinstance(value, str) else None


def found_fields(text: bytes) -> dict[str, Any]:
    """Return the known fields that can be found in the text of a broken header, each decoded by itself."""
    characters = text.decode("utf-8", "replace")
    fields: dict[str, Any] = {}
    for match in KNOWN_FIELD.finditer(characters):
        try:
            fields[match[1]], _ = json.JSONDecoder().raw_decode(characters, match.end())
        except (ValueError, RecursionError):
            continue
    return fields
