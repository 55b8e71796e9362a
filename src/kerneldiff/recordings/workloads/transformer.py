"""A transformer block, and a training step of a small language model made of such blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from kerneldiff.recordings.workloads.dense import GatedMLP, Inputs, floating_type

Compile = Callable[[Any], Any]


class Block(nn.Module):
    """Causal attention and a GeGLU MLP, each after a layer norm and with a residual."""

    def __init__(self, dim: int, heads: int) -> None:
        """Make a block of ``heads`` heads over ``dim`` features."""
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = GatedMLP(dim, 4 * dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run one step."""
        batch, seq, dim = x.shape
        parts = self.qkv(self.norm_1(x)).view(batch, seq, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, seq, dim))
        grown: torch.Tensor = x + self.mlp(self.norm_2(x))
        return grown


class LanguageModel(nn.Module):
    """Embedding, blocks, and a head over the vocabulary."""

    def __init__(self, *, vocabulary: int, dim: int, heads: int, layers: int) -> None:
        """Make a model without dropout, so that all variants compute the same."""
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dim)
        self.blocks = nn.Sequential(*(Block(dim, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Give the logits."""
        logits: torch.Tensor = self.head(self.norm(self.blocks(self.embedding(tokens))))
        return logits


def block(
    device: str, batch: int | None = None, seq: int | None = None, dim: int | None = None, heads: int | None = None
) -> Inputs:
    """Make one block; 16 x 512 tokens of 768 features on a GPU, and 1 x 32 of 64 on a CPU."""
    usual = (16, 512, 768, 12) if device == "cuda" else (1, 32, 64, 2)
    size = [one or default for one, default in zip((batch, seq, dim, heads), usual, strict=True)]
    kind = floating_type(device)
    return Block(size[2], size[3]).to(device, kind), (
        torch.randn(size[0], size[1], size[2], device=device, dtype=kind),
    )


def train(
    device: str,
    compile: Compile,  # noqa: A002 - the name is the protocol of factories
    batch: int | None = None,
    seq: int | None = None,
    layers: int = 2,
) -> Callable[[], torch.Tensor]:
    """Make a training step (forward, loss, backward, AdamW); 16 x 512 tokens on a GPU, and 2 x 16 on a CPU."""
    usual = (16, 512, 8192, 768, 12) if device == "cuda" else (2, 16, 128, 64, 2)
    batch, seq = batch or usual[0], seq or usual[1]
    vocabulary, dim, heads = usual[2:]
    model = LanguageModel(vocabulary=vocabulary, dim=dim, heads=heads, layers=layers).to(device, floating_type(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(vocabulary, (batch, seq + 1), device=device)
    forward = compile(model)

    def step() -> torch.Tensor:
        optimizer.zero_grad(set_to_none=True)
        logits = forward(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return loss.detach()

    return step
