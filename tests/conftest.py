"""Places of the material."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np  # noqa: F401
import pytest
import scipy.special  # noqa: F401

# numpy and scipy are loaded before any test: pytester forgets what was first loaded inside its runs, and these
# two cannot be loaded twice in one process.
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def data() -> Path:
    return HERE / "data"
