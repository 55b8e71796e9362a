"""Peaks of devices, and what limits a kernel."""

from __future__ import annotations

import pytest

import builders as b
from builders import GEMM, MUL
from kerneldiff.errors import PolicyError
from kerneldiff.pipeline import load
from kerneldiff.profiles.limits import judge_limits
from kerneldiff.profiles.peaks import _TABLE, peaks_of, with_given

BF16 = "c10::BFloat16"


@pytest.mark.parametrize(
    ("name", "device", "memory", "bf16"),
    [
        ("NVIDIA H200", "H200", 4.8e12, 989.4e12),
        ("NVIDIA H100 80GB HBM3", "H100 SXM", 3.35e12, 989.4e12),
        ("NVIDIA H100 PCIe", "H100 PCIe", 2.039e12, 756e12),
        ("NVIDIA A100-SXM4-80GB", "A100 80GB", 2.039e12, 312e12),
        ("NVIDIA A100-SXM4-40GB", "A100 40GB", 1.555e12, 312e12),
        ("Tesla V100-SXM2-32GB", "V100 SXM2", 0.9e12, None),
        ("Tesla T4", "T4", 0.32e12, None),
        ("NVIDIA L4", "L4", 0.3e12, 121e12),
        ("NVIDIA L40S", "L40S", 0.864e12, 362e12),
        ("NVIDIA GeForce RTX 4090", "RTX 4090", 1.008e12, 165.2e12),
        ("NVIDIA GeForce RTX 5090", "RTX 5090", 1.792e12, 209.5e12),
        ("NVIDIA B200", "B200", 8e12, 2250e12),
        ("AMD Instinct MI300X", "MI300X", 5.3e12, 1307.4e12),
        ("AMD Instinct MI250X", "MI250X, one GCD", 1.6384e12, 191.5e12),
    ],
)
def test_a_devices_name_finds_its_peaks(name, device, memory, bf16):
    found = peaks_of(name)

    assert (found.device, found.memory, found.rate("bf16")) == (device, memory, bf16)


@pytest.mark.parametrize(
    "name",
    [
        "NVIDIA GH200 480GB",
        "NVIDIA H20",
        "Tesla V100-PCIE-32GB",
        "NVIDIA GeForce RTX 3090 Ti",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA GeForce RTX 4090 D",
        "NVIDIA GeForce RTX 5090 Laptop GPU",
    ],
)
def test_a_relative_does_not_get_the_peaks_of_another_card(name):
    assert peaks_of(name) is None


def test_every_row_of_the_table_has_a_source_and_plausible_figures():
    for _, row in _TABLE:
        assert row.source
        assert 1e11 < row.memory < 2e13
        assert all(1e12 < rate < 1e16 for _, rate in row.flops)


def test_an_unknown_device_has_no_peaks_and_a_user_can_give_them():
    assert peaks_of("Some GPU") is None
    given = with_given(None, ["memory=1e12", "bf16=2e14", "l2=1e6"])

    assert (given.memory, given.rate("bf16"), given.l2, given.source) == (1e12, 2e14, 1_000_000, "given")
    assert with_given(peaks_of("NVIDIA H200"), ["memory=4e12"]).memory == 4e12


@pytest.mark.parametrize("text", ["memory", "memory=fast", "memory=-1", "=3", "BF 16=3"])
def test_a_peak_that_does_not_parse_is_refused_with_an_example(text):
    with pytest.raises(PolicyError, match="write for instance"):
        with_given(None, [text])


def limit_of(base, us, *dims):
    args = {"Input Dims": [list(one) for one in dims], "Input type": [BF16] * len(dims)}
    run = b.run(b.replace(base, operator_args=args, dur_ns=round(us * 1000)))
    return judge_limits(run, peaks_of(run.device)).events[0]


def test_an_elementwise_kernel_near_the_memorys_peak_is_limited_by_memory():
    limit = limit_of(MUL, 36.0, (64, 128, 3072), (64, 128, 3072))

    assert limit.bandwidth == pytest.approx(150_994_944 / 36e-6)
    assert limit.memory_share == pytest.approx(limit.bandwidth / 4.8e12)
    assert (limit.limiter, limit.in_cache) == ("memory", False)


def test_a_large_product_is_limited_by_arithmetic_of_its_own_math_mode():
    limit = limit_of(GEMM, 57.0, (8192, 768), (768, 3072))

    assert limit.rate == pytest.approx(2 * 8192 * 768 * 3072 / 57e-6)
    assert limit.compute_share == pytest.approx(limit.rate / 989.4e12)
    assert limit.limiter == "compute"


def test_a_tiny_kernel_is_limited_by_latency_and_fits_the_cache():
    limit = limit_of(MUL, 2.0, (64, 64), (64, 64))

    assert (limit.limiter, limit.in_cache) == ("latency", True)


def test_without_traffic_or_peaks_nothing_is_said():
    run = b.run(GEMM)
    unknown = judge_limits(b.run(b.replace(MUL, operator_args={"Input Dims": [[8]], "Input type": [BF16]})), None)

    assert judge_limits(run, peaks_of(run.device)).events[0].limiter == "unknown"
    assert (unknown.events[0].limiter, unknown.events[0].memory_share) == ("unknown", None)
    assert unknown.events[0].bandwidth is not None


def test_step_of_the_mlp_is_limited_by_arithmetic(data):
    run = load(data / "pairs" / "traces" / "seed-mlp_eager_shapes.json.gz")
    limits = judge_limits(run, peaks_of(run.device))

    assert limits.limiter == "compute"
    assert sum(ns for _, ns in limits.time_ns) == sum(event.gpu_ns for event in run.events)
