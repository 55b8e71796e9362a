"""Compare PyTorch profiler traces kernel by kernel, with a verdict and its evidence."""

__version__ = "0.1.0"

__all__ = ["__version__"]
