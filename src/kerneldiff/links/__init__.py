"""Trace columns to a linked trace: launches, operators, steps, graph replays, coverage."""

from kerneldiff.links.build import link
from kerneldiff.links.model import Coverage, CpuColumns, GpuColumns, Step, Trace

__all__ = ["Coverage", "CpuColumns", "GpuColumns", "Step", "Trace", "link"]
