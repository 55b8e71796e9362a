"""What a product's name proves of its epilogue, apart from what the kernel could do."""

from __future__ import annotations

from kerneldiff.names.model import KernelName

_PROVED = frozenset({"bias", "bias+relu", "bias+gelu", "beta", "relu", "gelu"})


def proved_epilogue(decoded: KernelName) -> str | None:
    """What the name of a product proves of its epilogue.

    Only nvjet names settle it: each of the 204 calls in the measured list ran a kernel named after its own epilogue.
    The other libraries of NVIDIA run one kernel for several epilogues, so their names prove nothing.

    Returns:
        ``bias``, ``bias+relu``, ``bias+gelu`` or ``beta`` for what the kernel did, ``none`` when the name proves
        that nothing was added, and None when it is silent.
    """
    if decoded.family != "nvjet":
        return None
    words = decoded.name.split("_")
    epilogue = next((word for word in _words(decoded) if word in _PROVED), None)
    if epilogue is not None:
        return epilogue
    return "none" if "bz" in words else None


def _words(decoded: KernelName) -> list[str]:
    """The epilogue without the scales of fp8 and fp4, which change no operation."""
    parts = [word for word in (decoded.epilogue or "").split("+") if not word.endswith("_scale")]
    return ["+".join(parts)]
