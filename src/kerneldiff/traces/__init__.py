"""Bytes to columns: one reader per trace format behind one column contract."""

from kerneldiff.traces.loading import load
from kerneldiff.traces.model import (
    GPU_KINDS,
    MISSING,
    Device,
    DeviceColumns,
    EventColumns,
    Header,
    Kind,
    OperatorColumns,
    PythonColumns,
    RawTrace,
    RuntimeColumns,
    SyncColumns,
    Track,
)

__all__ = [
    "GPU_KINDS",
    "MISSING",
    "Device",
    "DeviceColumns",
    "EventColumns",
    "Header",
    "Kind",
    "OperatorColumns",
    "PythonColumns",
    "RawTrace",
    "RuntimeColumns",
    "SyncColumns",
    "Track",
    "load",
]
