"""The facts of a machine and its software that times and kernels depend on; what cannot be read is left out."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from kerneldiff.recordings.devices import import_torch

# What a Hugging Face Job says of itself: https://huggingface.co/docs/hub/jobs-configuration. Two Jobs are two machines.
_JOB = {"hf_job": "JOB_ID", "hf_flavor": "ACCELERATOR", "hf_cpu_cores": "CPU_CORES", "hf_memory": "MEMORY"}
_PACKAGES = ("triton", "numpy", "transformers", "liger-kernel", "kernels", "flash-attn")


def environment(device: str, seed: int) -> dict[str, Any]:
    """Gather what two recordings must share to be held against each other: texts and numbers by name."""
    torch = import_torch()
    facts: dict[str, Any] = {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "torch": torch.__version__,
        "device": device,
        "device_name": torch.cuda.get_device_name() if device == "cuda" else cpu_name(),
        "seed": seed,
        **{f"setting.{name}": value for name, value in _settings().items()},
        **job_facts(),
    }
    if device == "cuda":
        capability = torch.cuda.get_device_capability()
        facts |= {
            "compute_capability": f"{capability[0]}.{capability[1]}",
            "cuda": torch.version.cuda,
            "hip": torch.version.hip,
            "cudnn": torch.backends.cudnn.version(),
            "driver": _driver(),
        }
    else:
        facts["threads"] = torch.get_num_threads()
        facts["vector_instructions"] = torch.backends.cpu.get_cpu_capability()
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            facts[package] = metadata.version(package)
    return {name: value for name, value in facts.items() if value is not None}


def job_facts() -> dict[str, str]:
    """Gather what a Hugging Face Job says of its machine; nothing elsewhere, where the same names may mean other things."""
    if "JOB_ID" not in os.environ or "KERNELDIFF_FOLDER" not in os.environ:
        return {}
    return {fact: os.environ[name] for fact, name in _JOB.items() if name in os.environ}


def _settings() -> dict[str, Any]:
    torch = import_torch()
    facts = {
        "float32_matmul_precision": torch.get_float32_matmul_precision(),
        "cudnn_benchmark": torch.backends.cudnn.benchmark,
        "deterministic": torch.are_deterministic_algorithms_enabled(),
    }
    inductor = sys.modules.get("torch._inductor.config")
    for name in ("max_autotune", "freezing", "coordinate_descent_tuning"):
        value = getattr(inductor, name, None)
        if isinstance(value, bool):
            facts[f"inductor.{name}"] = value
    return facts


def cpu_name() -> str:
    """Give the processor's name, or its architecture where the system does not say."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _driver() -> str | None:
    library = _nvml()
    if library is None:
        return None
    with suppress(Exception):
        return str(library.nvmlSystemGetDriverVersion())
    return None


def state(device: str) -> dict[str, int]:
    """Read clocks (MHz), power (mW) and temperature (degrees Celsius) of the GPU, as far as they can be read."""
    library = _nvml() if device == "cuda" else None
    if library is None:
        return {}
    torch = import_torch()
    facts: dict[str, int] = {}
    with suppress(Exception):
        handle = library.nvmlDeviceGetHandleByUUID(f"GPU-{torch.cuda.get_device_properties().uuid}")
        readings: dict[str, Callable[[], Any]] = {
            "sm_clock_mhz": lambda: library.nvmlDeviceGetClockInfo(handle, library.NVML_CLOCK_SM),
            "memory_clock_mhz": lambda: library.nvmlDeviceGetClockInfo(handle, library.NVML_CLOCK_MEM),
            "power_mw": lambda: library.nvmlDeviceGetPowerUsage(handle),
            "temperature_c": lambda: library.nvmlDeviceGetTemperature(handle, library.NVML_TEMPERATURE_GPU),
        }
        for name, read in readings.items():
            with suppress(Exception):
                facts[name] = int(read())
    return facts


def _nvml() -> Any | None:  # noqa: ANN401 - an optional library without types
    try:
        import pynvml  # noqa: PLC0415

        pynvml.nvmlInit()
    except Exception:  # noqa: BLE001 - no library, no driver, another vendor's GPU
        return None
    return pynvml
