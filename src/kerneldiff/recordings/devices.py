"""torch and the device, or a clear word on why there is none."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.model import DeviceKind


def import_torch() -> ModuleType:
    """Import torch.

    Raises:
        RecordingError: when it is not there, or too old to record with.
    """
    try:
        import torch  # noqa: PLC0415 - only recording needs it
        import torch.profiler  # noqa: PLC0415
    except ImportError as error:
        msg = f"recording needs PyTorch, which cannot be imported here ({error}); pip install 'kerneldiff[torch]'"
        raise RecordingError(msg) from error
    return torch


def choose_device(wanted: DeviceKind) -> str:
    """Give ``cuda`` or ``cpu``.

    Raises:
        RecordingError: when a GPU was asked for and there is none.
    """
    torch = import_torch()
    available = torch.cuda.is_available()
    if wanted == "cuda" and not available:
        msg = (
            f"no GPU: torch {torch.__version__} sees no CUDA or ROCm device; "
            "record with --device cpu, or on a machine with a GPU and a PyTorch built for it"
        )
        raise RecordingError(msg)
    return "cuda" if available and wanted != "cpu" else "cpu"


def synchronize(device: str) -> None:
    """Wait until the device has done all it was given."""
    if device == "cuda":
        import_torch().cuda.synchronize()


def place(value: Any, device: str) -> Any:  # noqa: ANN401 - nested inputs of any shape
    """Move a module or tensors in nested lists, tuples and dictionaries to a device."""
    torch = import_torch()
    if isinstance(value, torch.nn.Module | torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: place(one, device) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(place(one, device) for one in value)
    return value
