# /// script
# requires-python = ">=3.11"
# dependencies = ["kerneldiff[torch]"]
#
# [tool.uv.sources]
# kerneldiff = { path = "..", editable = true }
# ///
"""One linear layer: does compiling it change what the GPU does?

Guess first, then look. With --compile the layer is recorded eager and compiled, in alternation, and compared.

    python examples/02_linear.py --batch 1024 --in_dim 32 --out_dim 64 --compile
"""

from __future__ import annotations

import argparse

import torch
from recording import run_variants
from torch import nn


def main() -> None:
    """Record the layer, and compare it when it is compiled too."""
    on_gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batch", type=int, default=1024 if on_gpu else 128)
    parser.add_argument("--in_dim", type=int, default=32)
    parser.add_argument("--out_dim", type=int, default=64)
    parser.add_argument("--compile", action="store_true", help="record the compiled layer too, and compare")
    parser.add_argument("--out", help="folder for the recordings")
    options = parser.parse_args()

    torch.manual_seed(0)
    device, kind = ("cuda", torch.bfloat16) if on_gpu else ("cpu", torch.float32)
    layer = nn.Linear(options.in_dim, options.out_dim, device=device, dtype=kind)
    x = torch.randn(options.batch, options.in_dim, device=device, dtype=kind)

    variants = {"eager": (layer, (x,))}
    if options.compile:
        variants["compile"] = (torch.compile(layer), (x,))
    run_variants(variants, options.out)


if __name__ == "__main__":
    main()
