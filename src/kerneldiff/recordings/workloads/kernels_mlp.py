"""The GeGLU MLP again, with gelu and mul in one kernel that a person wrote."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.targets import first_line
from kerneldiff.recordings.workloads.dense import GatedMLP, Inputs, floating_type, mlp, mlp_input, mlp_sizes

HUB_REPOSITORY = "kernels-community/liger-kernels"

Forward = Callable[[nn.Module, torch.Tensor], torch.Tensor]


class KernelMLP(GatedMLP):
    """The same parameters as the plain MLP, another forward pass."""

    def __init__(self, dim: int, hidden: int, forward: Forward, note: str) -> None:
        """Take the forward pass of a kernel library's layer, and a note on where it is from."""
        super().__init__(dim, hidden)
        self._forward = forward
        self.note = note

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run one step."""
        return self._forward(self, x)


def kernels_mlp(
    device: str, batch: int | None = None, seq: int | None = None, dim: int | None = None, hidden: int | None = None
) -> Inputs:
    """Make the plain MLP; the variant ``kernels`` has the kernel.

    Raises:
        RecordingError: without a GPU, since the kernel is written in Triton.
    """
    _need_gpu(device)
    return mlp(device, batch, seq, dim, hidden)


def with_kernel(
    device: str, batch: int | None = None, seq: int | None = None, dim: int | None = None, hidden: int | None = None
) -> Inputs:
    """Make the MLP with the fused kernel.

    Raises:
        RecordingError: without a GPU or a kernel.
    """
    _need_gpu(device)
    batch, seq, dim, hidden = mlp_sizes(device, batch, seq, dim, hidden)
    forward, note = find_forward()
    module = KernelMLP(dim, hidden, forward, note).to(device, floating_type(device))
    return module, (mlp_input(device, batch, seq, dim),)


def _need_gpu(device: str) -> None:
    if device != "cuda":
        msg = (
            "kernels-mlp runs a Triton kernel, and Triton needs a GPU: skipped here; linear and mlp also run on the CPU"
        )
        raise RecordingError(msg)


def find_forward() -> tuple[Forward, str]:
    """Find a fused GeGLU: from the Hub by the ``kernels`` library, else from ``liger-kernel``.

    Raises:
        RecordingError: when neither is there, with both reasons.
    """
    reasons = []
    for find in (_from_hub, _from_liger):
        try:
            return find()
        except Exception as error:  # noqa: BLE001 - whatever goes wrong there, the other source may do
            reasons.append(f"{type(error).__name__}: {first_line(error, 120)}")
    msg = (
        f"no hand-written kernel: not from the Hub ({reasons[0]}), not from liger-kernel ({reasons[1]}); "
        "pip install kernels, or pip install liger-kernel"
    )
    raise RecordingError(msg)


def _from_hub() -> tuple[Forward, str]:
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        msg = "HF_HUB_OFFLINE is set"
        raise RuntimeError(msg)
    from kernels import get_kernel  # noqa: PLC0415

    layer: Any = get_kernel(HUB_REPOSITORY).layers.LigerGEGLUMLP
    return layer.forward, f"fused GeGLU kernel from the Hub ({HUB_REPOSITORY})"


def _from_liger() -> tuple[Forward, str]:
    from importlib.metadata import version  # noqa: PLC0415

    from liger_kernel.transformers.geglu import LigerGEGLUMLP  # noqa: PLC0415

    return LigerGEGLUMLP.forward, f"fused GeGLU kernel from the liger-kernel package, {version('liger-kernel')}"


kernels_mlp.variants = {"kernels": with_kernel}  # type: ignore[attr-defined]
