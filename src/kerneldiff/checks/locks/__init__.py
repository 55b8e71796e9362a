"""Lock files: the GPU work of one step as a text that a person can review, and that a trace can be held against."""

from kerneldiff.checks.locks.comparison import compare_with_lock
from kerneldiff.checks.locks.model import FORMAT, Lock, lock_of
from kerneldiff.checks.locks.reading import read
from kerneldiff.checks.locks.writing import write

__all__ = ["FORMAT", "Lock", "compare_with_lock", "lock_of", "read", "write"]
