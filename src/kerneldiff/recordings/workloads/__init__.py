"""Built-in programs: name, and where its factory is. Importing this package does not import torch."""

from __future__ import annotations

from typing import Final

_HERE: Final = "kerneldiff.recordings.workloads"

WORKLOADS: Final[dict[str, str]] = {
    "linear": f"{_HERE}.dense:linear",
    "mlp": f"{_HERE}.dense:mlp",
    "kernels-mlp": f"{_HERE}.kernels_mlp:kernels_mlp",
    "attention": f"{_HERE}.attention:attention",
    "block": f"{_HERE}.transformer:block",
    "train": f"{_HERE}.transformer:train",
}
