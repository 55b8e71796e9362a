"""Attention: written out, and by each backend of ``scaled_dot_product_attention``."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from kerneldiff.recordings.workloads.dense import Inputs, floating_type

_BACKENDS = {
    "sdpa-math": SDPBackend.MATH,
    "sdpa-flash": SDPBackend.FLASH_ATTENTION,
    "sdpa-efficient": SDPBackend.EFFICIENT_ATTENTION,
    "sdpa-cudnn": SDPBackend.CUDNN_ATTENTION,
}


class Naive(nn.Module):
    """Softmax of scaled scores times values, one operator after the other."""

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        """Run one step."""
        scores = (query @ key.transpose(-2, -1)) * query.shape[-1] ** -0.5
        return torch.softmax(scores, dim=-1) @ value


class Fused(nn.Module):
    """PyTorch's fused attention, by one backend or by the one PyTorch chooses."""

    def __init__(self, backend: SDPBackend | None) -> None:
        """Take the backend, None for PyTorch's choice."""
        super().__init__()
        self.backend = backend

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        """Run one step."""
        if self.backend is None:
            return nn.functional.scaled_dot_product_attention(query, key, value)
        with sdpa_kernel(self.backend):
            return nn.functional.scaled_dot_product_attention(query, key, value)


def attention(
    device: str, batch: int | None = None, heads: int | None = None, seq: int | None = None, head_dim: int = 64
) -> Inputs:
    """Make attention written out; 8 x 16 heads of 1024 tokens on a GPU, and 1 x 2 of 64 on a CPU."""
    return Naive(), _inputs(device, batch, heads, seq, head_dim)


def fused_by(backend: SDPBackend | None) -> Callable[..., Inputs]:
    """Give the factory of fused attention by one backend, of the same sizes."""

    def fused(
        device: str, batch: int | None = None, heads: int | None = None, seq: int | None = None, head_dim: int = 64
    ) -> Inputs:
        return Fused(backend), _inputs(device, batch, heads, seq, head_dim)

    return fused


def _inputs(
    device: str, batch: int | None, heads: int | None, seq: int | None, head_dim: int
) -> tuple[torch.Tensor, ...]:
    usual = (8, 16, 1024) if device == "cuda" else (1, 2, 64)
    shape = tuple(one or default for one, default in zip((batch, heads, seq), usual, strict=True))
    return tuple(torch.randn(*shape, head_dim, device=device, dtype=floating_type(device)) for _ in range(3))


attention.variants = {  # type: ignore[attr-defined]
    "sdpa": fused_by(None),
    **{name: fused_by(backend) for name, backend in _BACKENDS.items()},
}
