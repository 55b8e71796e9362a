# /// script
# requires-python = ">=3.11"
# dependencies = ["kerneldiff[torch]"]
#
# [tool.uv.sources]
# kerneldiff = { path = "..", editable = true }
# ///
"""An MLP with a gate: here the compiler has something to fuse.

Guess first, then look: which of the five kernels become one, and what does that save?

    python examples/03_simple_mlp.py --batch 64 --seq 128 --dim 768 --hidden 3072 --compile
"""

from __future__ import annotations

import argparse

import torch
from recording import run_variants
from torch import nn


class MLP(nn.Module):
    """GeGLU: ``down(gelu(gate(x)) * up(x))``."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Make three projections without biases."""
        super().__init__()
        self.gate_proj = nn.Linear(dim, hidden, bias=False)
        self.up_proj = nn.Linear(dim, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run one step."""
        gate = nn.functional.gelu(self.gate_proj(x), approximate="tanh")
        return self.down_proj(gate * self.up_proj(x))


def main() -> None:
    """Record the MLP, and compare it when it is compiled too."""
    on_gpu = torch.cuda.is_available()
    batch, seq, dim, hidden = (64, 128, 768, 3072) if on_gpu else (2, 32, 128, 512)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--seq", type=int, default=seq)
    parser.add_argument("--dim", type=int, default=dim)
    parser.add_argument("--hidden", type=int, default=hidden)
    parser.add_argument("--compile", action="store_true", help="record the compiled MLP too, and compare")
    parser.add_argument("--out", help="folder for the recordings")
    options = parser.parse_args()

    torch.manual_seed(0)
    device, kind = ("cuda", torch.bfloat16) if on_gpu else ("cpu", torch.float32)
    model = MLP(options.dim, options.hidden).to(device, kind)
    x = torch.randn(options.batch, options.seq, options.dim, device=device, dtype=kind)

    variants = {"eager": (model, (x,))}
    if options.compile:
        variants["compile"] = (torch.compile(model), (x,))
    run_variants(variants, options.out)


if __name__ == "__main__":
    main()
