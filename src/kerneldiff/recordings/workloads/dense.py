"""One linear layer, and an MLP with a gate: where the compiler has nothing to fuse, and where it has."""

from __future__ import annotations

import torch
from torch import nn

Inputs = tuple[nn.Module, tuple[torch.Tensor, ...]]


def floating_type(device: str) -> torch.dtype:
    """Give bfloat16 on a GPU, where models use it, and float32 on a CPU."""
    return torch.bfloat16 if device == "cuda" else torch.float32


class GatedMLP(nn.Module):
    """GeGLU: ``down(gelu(gate(x)) * up(x))``, without biases (Shazeer 2020, arXiv:2002.05202)."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Make the three projections between ``dim`` and ``hidden`` features."""
        super().__init__()
        self.gate_proj = nn.Linear(dim, hidden, bias=False)
        self.up_proj = nn.Linear(dim, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run one step."""
        gate = nn.functional.gelu(self.gate_proj(x), approximate="tanh")
        down: torch.Tensor = self.down_proj(gate * self.up_proj(x))
        return down


def linear(device: str, batch: int | None = None, in_dim: int = 32, out_dim: int = 64) -> Inputs:
    """Make one ``nn.Linear`` with a bias; ``batch`` is 1024 on a GPU and 128 on a CPU."""
    batch = batch or (1024 if device == "cuda" else 128)
    kind = floating_type(device)
    return (
        nn.Linear(in_dim, out_dim).to(device, kind),
        (torch.randn(batch, in_dim, device=device, dtype=kind),),
    )


def mlp(
    device: str, batch: int | None = None, seq: int | None = None, dim: int | None = None, hidden: int | None = None
) -> Inputs:
    """Make a GeGLU MLP; 64 x 128 tokens, 768 and 3072 features on a GPU, and 2 x 32, 128 and 512 on a CPU."""
    batch, seq, dim, hidden = mlp_sizes(device, batch, seq, dim, hidden)
    return GatedMLP(dim, hidden).to(device, floating_type(device)), (mlp_input(device, batch, seq, dim),)


def mlp_sizes(
    device: str, batch: int | None, seq: int | None, dim: int | None, hidden: int | None
) -> tuple[int, int, int, int]:
    """Fill in the sizes that were not given."""
    usual = (64, 128, 768, 3072) if device == "cuda" else (2, 32, 128, 512)
    given = (batch, seq, dim, hidden)
    filled = [one or default for one, default in zip(given, usual, strict=True)]
    return filled[0], filled[1], filled[2], filled[3]


def mlp_input(device: str, batch: int, seq: int, dim: int) -> torch.Tensor:
    """Make tokens."""
    return torch.randn(batch, seq, dim, device=device, dtype=floating_type(device))
