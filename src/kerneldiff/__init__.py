"""Compare PyTorch profiler traces kernel by kernel, with a verdict and its evidence.

>>> import kerneldiff
>>> kerneldiff.decode("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT").epilogue
'bias'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kerneldiff.diffs import Diff
    from kerneldiff.names import KernelName, decode, explain
    from kerneldiff.pipeline import compare, compare_many, load
    from kerneldiff.profiles import Profile
    from kerneldiff.recordings import compare_variants, record

__version__ = "0.1.0"

__all__ = [
    "Diff",
    "KernelName",
    "Profile",
    "__version__",
    "compare",
    "compare_many",
    "compare_variants",
    "decode",
    "explain",
    "load",
    "record",
]

# Where each public name lives. Names load when they are first used, so that `kerneldiff --help` loads none of them.
_PLACES = {
    "Diff": "kerneldiff.diffs",
    "KernelName": "kerneldiff.names",
    "Profile": "kerneldiff.profiles",
    "compare": "kerneldiff.pipeline",
    "compare_many": "kerneldiff.pipeline",
    "compare_variants": "kerneldiff.recordings",
    "decode": "kerneldiff.names",
    "explain": "kerneldiff.names",
    "load": "kerneldiff.pipeline",
    "record": "kerneldiff.recordings",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attribute can be anything
    """Load a public name."""
    if name not in _PLACES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
