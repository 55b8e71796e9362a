# /// script
# requires-python = ">=3.11"
# dependencies = ["kerneldiff[torch]", "kernels", "liger-kernel"]
#
# [tool.uv.sources]
# kerneldiff = { path = "..", editable = true }
# ///
"""The same MLP with a hand-written kernel for gelu and mul: is it what the compiler would have made?

The kernel comes from the Hub through the ``kernels`` library, or else from the ``liger-kernel`` package. It is
written in Triton, so without a GPU this script says so and ends.

    python examples/03_kernels_mlp.py --batch 64 --seq 128 --dim 768 --hidden 3072 --compile
"""

from __future__ import annotations

import argparse
import sys

import torch
from recording import run_variants

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.workloads.dense import GatedMLP
from kerneldiff.recordings.workloads.kernels_mlp import KernelMLP, find_forward


def main() -> None:
    """Record the plain MLP and the one with the kernel, and compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seq", type=int, default=128)
    parser.add_argument("--dim", type=int, default=768)
    parser.add_argument("--hidden", type=int, default=3072)
    parser.add_argument("--compile", action="store_true", help="record the compiled plain MLP too")
    parser.add_argument("--out", help="folder for the recordings")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("skipped: the kernel is written in Triton, and Triton needs a GPU; 03_simple_mlp.py runs on the CPU")
    try:
        forward, source = find_forward()
    except RecordingError as error:
        sys.exit(f"skipped: {error}")
    print(source)

    torch.manual_seed(0)
    place = {"device": "cuda", "dtype": torch.bfloat16}
    plain = GatedMLP(options.dim, options.hidden).to(**place)
    by_hand = KernelMLP(options.dim, options.hidden, forward, source).to(**place)
    by_hand.load_state_dict(plain.state_dict())
    x = torch.randn(options.batch, options.seq, options.dim, **place)

    variants = {"eager": (plain, (x,)), "kernels": (by_hand, (x,))}
    if options.compile:
        variants["compile"] = (torch.compile(plain), (x,))
    run_variants(variants, options.out)


if __name__ == "__main__":
    main()
