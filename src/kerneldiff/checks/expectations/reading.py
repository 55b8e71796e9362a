"""Expectations from a table (TOML): unknown keys, wrong values and contradictions are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kerneldiff.checks.expectations.model import (
    COUNTS,
    GEMM_KEYS,
    KEYS,
    OF_STEP,
    Count,
    Expectations,
    Gemm,
    Scope,
    count_of,
)
from kerneldiff.checks.keys import refuse, unknown
from kerneldiff.errors import PolicyError

_TEXTS = ("type", "layout", "tile", "epilogue", "library", "operator")


def expectations_of(table: Mapping[str, Any], *, where: str) -> Expectations:
    """Make expectations of a table with ``step`` and ``region.NAME``.

    Args:
        table: as read from TOML.
        where: the file, for messages.

    Raises:
        PolicyError: for an unknown key, a wrong value, a contradiction, or a file that expects nothing.
    """
    for key in table:
        if key not in ("step", "region"):
            raise unknown(key, ("step", "region"), where=where, what="key")
    scopes = []
    if "step" in table:
        scopes.append(_scope(_table(table["step"], where, "step"), None, where))
    for name, one in _table(table.get("region", {}), where, "region").items():
        scopes.append(_scope(_table(one, where, f"region.{name}"), name, where))
    if not any(scope != Scope(region=scope.region) for scope in scopes):
        msg = f"{where}: nothing is expected; write a first file with kerneldiff expect TRACE"
        raise PolicyError(msg)
    return Expectations(where=where, scopes=tuple(scopes))


def _table(value: object, where: str, key: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise refuse(where, key, "is no table", like=f"[{key}] with keys below it")
    return value


def _scope(table: Mapping[str, Any], region: str | None, where: str) -> Scope:
    place = "step" if region is None else f"region.{region}"
    for key in table:
        if key not in KEYS:
            raise unknown(key, KEYS, where=f"{where}: {place}", what="key")
        if region is not None and key in OF_STEP:
            raise refuse(where, f"{place}.{key}", "is known of a whole step only", like="it under [step]")
    scope = Scope(
        region=region,
        counts=tuple((key, _count(table[key], where, f"{place}.{key}")) for key in COUNTS if key in table),
        views=_names(table.get("views", []), where, f"{place}.views"),
        no_launch=_names(table.get("no-launch", []), where, f"{place}.no-launch"),
        fused=_groups(table.get("fused", []), where, f"{place}.fused"),
        gemms=_gemms(table.get("gemm", []), where, f"{place}.gemm"),
    )
    _contradictions(scope, where, place)
    return scope


def _count(value: object, where: str, key: str) -> Count:
    try:
        return count_of(value)
    except ValueError:
        raise refuse(where, key, f"{str(value)[:40]!r} is no count", like='5, "<= 5", ">= 1" or "2..4"') from None


def _names(value: object, where: str, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise refuse(where, key, "should be a list of operators", like='["aten::t"]')
    return tuple(value)


def _groups(value: object, where: str, key: str) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list) or not all(isinstance(group, list) for group in value):
        raise refuse(where, key, "should be a list of groups", like='[["gelu", "mul"]]')
    groups = tuple(_names(group, where, key) for group in value)
    if any(len(group) < 2 for group in groups):
        raise refuse(where, key, "a group has fewer than two operators", like='[["gelu", "mul"]]')
    return groups


def _gemms(value: object, where: str, key: str) -> tuple[Gemm, ...]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise refuse(where, key, "should be a list of tables", like=f"[[{key}]] with keys below it")
    found = []
    for one in value:
        for name in one:
            if name not in GEMM_KEYS:
                raise unknown(name, GEMM_KEYS, where=f"{where}: {key}", what="key")
        for name in _TEXTS:
            if not isinstance(one.get(name, ""), str):
                raise refuse(where, f"{key}.{name}", "should be a text", like='"bf16"' if name == "type" else "a text")
        count = _count(one.get("count", ">= 1"), where, f"{key}.count")
        found.append(Gemm(count=count, **{name: one[name] for name in _TEXTS if name in one}))
    return tuple(found)


def _contradictions(scope: Scope, where: str, place: str) -> None:
    counts = dict(scope.counts)
    total, kernels = counts.get("launches"), counts.get("kernels")
    if total and kernels and total.high is not None and kernels.low > total.high:
        raise refuse(
            where, f"{place}.kernels", f"{kernels} kernels are more than {total} launches", like="counts that fit"
        )
    gemms = counts.get("gemms")
    wanted = max((gemm.count.low for gemm in scope.gemms), default=0)
    if gemms and gemms.high is not None and wanted > gemms.high:
        raise refuse(
            where, f"{place}.gemm", f"{wanted} GEMMs of one kind are more than {gemms} in all", like="counts that fit"
        )
    narrow = counts.get("fp32-gemms")
    for gemm in scope.gemms:
        if gemm.type == "f32" and gemm.count.low and narrow and narrow.high == 0:
            raise refuse(
                where, f"{place}.gemm", "a GEMM of type f32 is expected, and fp32-gemms is 0", like="one of the two"
            )
