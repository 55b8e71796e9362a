"""A decoded name as JSON: the keys of ``decode --json``."""

from __future__ import annotations

from kerneldiff.names.model import KernelName

KEYS = (
    "name", "family", "library", "op", "layout", "dtype_in", "dtype_acc", "dtype_out", "tile", "stages", "split_k",
    "epilogue", "arch", "fused_ops", "label", "unparsed",
)  # fmt: skip


def as_json(decoded: KernelName) -> dict[str, object]:
    """Plain values under exactly the keys of the contract; what the name does not say is None."""
    values: dict[str, object] = {key: getattr(decoded, key) for key in KEYS}
    values["tile"] = list(decoded.tile) if decoded.tile else None
    values["fused_ops"] = list(decoded.fused_ops) or None
    return values
