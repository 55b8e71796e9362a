"""Small neighbours: MAGMA's dense solvers, ROCm's own fills and copies, Intel's kernels as far as they are known."""

from __future__ import annotations

from kerneldiff.names.cxx import signature
from kerneldiff.names.model import Certainty, Family, KernelName, Part
from kerneldiff.names.parts import ordered
from kerneldiff.names.patterns import Pattern

_MAGMA = Pattern(r"create_pivot\w*|ipiv_\w+|laswp_\w+|magma_\w+|magmablas_\w+")
_SOLVER = Pattern(r"getr[fs]_\w+|xxtrf\d?_\w+|potrf_\w+|geqrf_\w+|trsm_\w+|trsv_\w+|larf\w*")
_ROCM: tuple[tuple[str, str], ...] = (
    ("fillBuffer", "memset"),
    ("fillImage", "memset"),
    ("copyBuffer", "memcpy"),
    ("copyImage", "memcpy"),
)
_INTEL = Pattern(r"(?:typeinfo name for )?(?:void )?at::native::xpu::")


def _known(
    text: str, span: tuple[int, int], library: str, op: str | None, certainty: Certainty = "inferred"
) -> KernelName:
    part = Part(start=span[0], end=span[1], meaning=(op or "kernel").replace("_", " "), certainty=certainty)
    return KernelName(
        name=text,
        family="magma" if library == "magma" else "other",
        library=library,
        op=op,
        auxiliary=op == "memset",
        parts=ordered([part]),
    )


def _parse(text: str) -> KernelName | None:
    if text.startswith("__amd_rocclr_"):
        op = next((op for word, op in _ROCM if word in text), None)
        return _known(text, (0, len(text)), "rocclr", op)
    if text == "gemm_kernel":
        # one name for every product that oneDNN generates: the operation, and nothing else
        return _known(text, (0, len(text)), "onednn", "gemm", "unknown")
    intel = _INTEL.match(text)
    if intel is not None:
        return _known(text, (intel.end(), len(text)), "aten_xpu", None, "unknown")
    return _solver(text)


def _solver(text: str) -> KernelName | None:
    if "cublas" in text:
        return None  # cuBLAS has solvers and a kernel of MAGMA's of its own
    read = signature(text)
    if read is None or read.scope or not (read.parameters or read.arguments):
        return None
    if _MAGMA.fullmatch(read.function):
        return _known(text, (read.start, read.end), "magma", "linalg")
    if _SOLVER.fullmatch(read.function):
        return _known(text, (read.start, read.end), "cusolver", "linalg")
    return None


FAMILY = Family(name="others", parse=_parse)
