"""What a device can do at most: memory bandwidth, cache, and arithmetic by math mode, each from its maker's data sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from kerneldiff.errors import PolicyError

_TERA = 1e12
_MEGA = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks:
    """Peaks of one device; what is not known is None or absent.

    Attributes:
        device: the table's name for it.
        memory: bytes a second of its HBM or GDDR.
        l2: bytes of the last cache on the chip that all kernels share (AMD: the Infinity Cache where there is one).
        flops: FLOP/s by math mode (``bf16``, ``tf32``, ``f32`` ...), dense, at boost clock.
        source: the document; ``given`` when the user said so.
    """

    device: str
    memory: float | None
    l2: int | None
    flops: tuple[tuple[str, float], ...]
    source: str

    def rate(self, mode: str | None) -> float | None:
        """Give the peak of a math mode in FLOP/s, None where it is not known."""
        return dict(self.flops).get(mode) if mode else None


def _peaks(device: str, memory: float, l2: int | None, source: str, **tera: float) -> Peaks:
    """Make one row: memory in TB/s, cache in MiB, arithmetic in TFLOP/s."""
    return Peaks(
        device=device,
        memory=float(round(memory * _TERA)),
        l2=None if l2 is None else l2 * _MEGA,
        flops=tuple((mode, float(round(value * _TERA))) for mode, value in tera.items()),
        source=source,
    )


# A name in the trace must contain the pattern; the first that fits wins. A relative with other figures (GH200, RTX 3090 Ti,
# a laptop's RTX 4090, V100 PCIe) must not fit: no peak is better than another card's. Rates are dense (without sparsity).
# tf32, f16, bf16, e4m3 and i8 are those of the matrix units; f32 and f64 of the vector units, f64mma of the matrix units.
_TABLE: Final[tuple[tuple[str, Peaks], ...]] = (
    (r"GB200|B200", _peaks("B200", 8.0, 126, "NVIDIA Blackwell architecture technical brief, HGX B200 column", f64=37, f32=75, tf32=1100, f16=2250, bf16=2250, e4m3=4500, e5m2=4500, i8=4500)),
    (r"\bH200", _peaks("H200", 4.8, 50, "NVIDIA H200 data sheet, SXM column; L2: H100 architecture white paper", f64=34, f64mma=67, f32=67, tf32=494.7, f16=989.4, bf16=989.4, e4m3=1978.9, e5m2=1978.9, i8=1978.9)),
    (r"H100.*PCIe", _peaks("H100 PCIe", 2.039, 50, "NVIDIA H100 architecture white paper, PCIe column", f64=25.6, f64mma=51.2, f32=51.2, tf32=378, f16=756, bf16=756, e4m3=1513, e5m2=1513, i8=1513)),
    (r"H100 NVL", _peaks("H100 NVL", 3.9, 50, "NVIDIA H100 data sheet, NVL column", f64=30, f64mma=60, f32=60, tf32=417.5, f16=835.5, bf16=835.5, e4m3=1670.5, e5m2=1670.5, i8=1670.5)),
    (r"H100", _peaks("H100 SXM", 3.35, 50, "NVIDIA H100 architecture white paper, SXM5 column", f64=33.5, f64mma=66.9, f32=66.9, tf32=494.7, f16=989.4, bf16=989.4, e4m3=1978.9, e5m2=1978.9, i8=1978.9)),
    (r"A100.*80G", _peaks("A100 80GB", 2.039, 40, "NVIDIA A100 data sheet, 80GB SXM column", f64=9.7, f64mma=19.5, f32=19.5, tf32=156, f16=312, bf16=312, i8=624)),
    (r"A100", _peaks("A100 40GB", 1.555, 40, "NVIDIA A100 architecture white paper", f64=9.7, f64mma=19.5, f32=19.5, tf32=156, f16=312, bf16=312, i8=624)),
    (r"A10G", _peaks("A10G", 0.600, 6, "NVIDIA A10G as offered in AWS G5 instances", f32=31.5, tf32=35, f16=70, bf16=70, i8=140)),
    (r"V100-SXM2", _peaks("V100 SXM2", 0.900, 6, "NVIDIA Tesla V100 architecture white paper, SXM2 column", f64=7.8, f32=15.7, f16=125)),
    (r"T4\b", _peaks("T4", 0.320, 4, "NVIDIA Turing architecture white paper, Tesla T4 data sheet", f32=8.1, f16=65, i8=130)),
    (r"L40S", _peaks("L40S", 0.864, 96, "NVIDIA L40S data sheet", f32=91.6, tf32=183, f16=362, bf16=362, e4m3=733, e5m2=733, i8=733)),
    (r"L4\b", _peaks("L4", 0.300, 48, "NVIDIA L4 data sheet (half of the figures with sparsity)", f32=30.3, tf32=60, f16=121, bf16=121, e4m3=242.5, e5m2=242.5, i8=242.5)),
    (r"RTX 5090$", _peaks("RTX 5090", 1.792, 96, "NVIDIA RTX Blackwell architecture white paper", f32=104.8, tf32=104.8, f16=209.5, bf16=209.5, e4m3=419, e5m2=419, i8=838)),
    (r"RTX 4090$", _peaks("RTX 4090", 1.008, 72, "NVIDIA Ada architecture white paper", f32=82.6, tf32=82.6, f16=165.2, bf16=165.2, e4m3=330.3, e5m2=330.3, i8=660.6)),
    (r"RTX 3090$", _peaks("RTX 3090", 0.936, 6, "NVIDIA Ampere GA102 architecture white paper", f32=35.6, tf32=35.6, f16=71, bf16=71, i8=284)),
    (r"MI355X", _peaks("MI355X", 8.0, 256, "AMD Instinct MI355X data sheet", f64=78.6, f64mma=78.6, f32=157.3, f16=2516.6, bf16=2516.6, e4m3=5033.2, e5m2=5033.2, i8=5033.2)),
    (r"MI325X", _peaks("MI325X", 6.0, 256, "AMD Instinct MI325X data sheet", f64=81.7, f64mma=163.4, f32=163.4, tf32=653.7, f16=1307.4, bf16=1307.4, e4m3=2614.9, e5m2=2614.9, i8=2614.9)),
    (r"MI300X", _peaks("MI300X", 5.3, 256, "AMD Instinct MI300X data sheet", f64=81.7, f64mma=163.4, f32=163.4, tf32=653.7, f16=1307.4, bf16=1307.4, e4m3=2614.9, e5m2=2614.9, i8=2614.9)),
    # One GCD of the two on a card is a device of its own.
    (r"MI250X", _peaks("MI250X, one GCD", 1.6384, 8, "AMD Instinct MI250X data sheet, halved", f64=23.95, f64mma=47.85, f32=47.85, f16=191.5, bf16=191.5, i8=191.5)),
    (r"MI2[15]0", _peaks("MI210 (or one GCD of MI250)", 1.6384, 8, "AMD Instinct MI210 data sheet", f64=22.6, f64mma=45.3, f32=45.3, f16=181, bf16=181, i8=181)),
)  # fmt: skip


def peaks_of(device: str | None) -> Peaks | None:
    """Find a device in the table by the name that the trace has, None where it is not there.

    >>> peaks_of("NVIDIA H200").memory, peaks_of("Some GPU")
    (4800000000000.0, None)
    """
    if device is None:
        return None
    return next((peaks for pattern, peaks in _TABLE if re.search(pattern, device)), None)


def with_given(peaks: Peaks | None, given: Sequence[str]) -> Peaks | None:
    """Put a user's figures over those of the table.

    Args:
        peaks: of the table, None for an unknown device.
        given: texts such as ``memory=3.35e12``, ``l2=50e6`` or ``bf16=989e12``.

    Raises:
        PolicyError: for a text that is no such figure.
    """
    if not given:
        return peaks
    result = peaks or Peaks(device="as given", memory=None, l2=None, flops=(), source="given")
    for text in given:
        name, _, value = text.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not number > 0 or not re.fullmatch(r"[a-z][a-z0-9]*", name):
            msg = f"--peak {text}: not a peak; write for instance memory=3.35e12 or bf16=989e12"
            raise PolicyError(msg)
        if name == "memory":
            result = replace(result, memory=number)
        elif name == "l2":
            result = replace(result, l2=int(number))
        else:
            result = replace(result, flops=tuple({**dict(result.flops), name: number}.items()))
    return replace(result, source=f"{result.source}; given: {', '.join(given)}" if peaks else "given")
