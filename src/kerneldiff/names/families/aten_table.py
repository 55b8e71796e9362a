"""ATen kernels that are not elementwise drivers: what each does and which template arguments are its types."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kernel function of ATen.

    Attributes:
        op: the operation word.
        operator: the ATen operator, without ``aten::``.
        dtype_in, dtype_acc, dtype_out: index of the template argument that is that type.
        layout: of the tensors, where the function is for one only.
        logarithm: index of the flag that makes a softmax a log-softmax.
        scope: namespace that the function must be in; None for any.
    """

    op: str | None = None
    operator: str | None = None
    dtype_in: int | None = None
    dtype_acc: int | None = None
    dtype_out: int | None = None
    layout: str | None = None
    logarithm: int | None = None
    scope: str | None = None


_NORM = "native_layer_norm"
_NORM_BACKWARD = "native_layer_norm_backward"
_SOFT, _SOFT_BACKWARD = "_softmax", "_softmax_backward_data"

KERNELS: dict[str, Row] = {
    "softmax_warp_forward": Row(op="softmax", operator=_SOFT, dtype_in=0, dtype_out=1, dtype_acc=2, logarithm=4),
    "softmax_warp_backward": Row(
        op="softmax_bwd", operator=_SOFT_BACKWARD, dtype_in=0, dtype_out=1, dtype_acc=2, logarithm=4
    ),
    "cunn_SoftMaxForward": Row(op="softmax", operator=_SOFT, dtype_in=1, dtype_acc=2, dtype_out=3),
    "cunn_SoftMaxForwardGmem": Row(op="softmax", operator=_SOFT, dtype_in=1, dtype_acc=2, dtype_out=3),
    "cunn_SoftMaxForwardSmem": Row(op="softmax", operator=_SOFT, dtype_in=1, dtype_acc=2, dtype_out=3),
    "cunn_SoftMaxForwardReg": Row(op="softmax", operator=_SOFT, dtype_in=0, dtype_acc=1, dtype_out=2),
    "cunn_SoftMaxBackward": Row(op="softmax_bwd", operator=_SOFT_BACKWARD, dtype_in=1, dtype_acc=2, dtype_out=3),
    "cunn_SoftMaxBackwardSmem": Row(op="softmax_bwd", operator=_SOFT_BACKWARD, dtype_in=1, dtype_acc=2, dtype_out=3),
    "vectorized_layer_norm_kernel": Row(op="layer_norm", operator=_NORM, dtype_in=0, dtype_acc=1, dtype_out=0),
    "LayerNormForwardCUDAKernel": Row(op="layer_norm", operator=_NORM, dtype_in=0, dtype_acc=1, dtype_out=0),
    "RowwiseMomentsCUDAKernel": Row(op="layer_norm", operator=_NORM, dtype_in=0, dtype_acc=1),
    "layer_norm_grad_input_kernel": Row(
        op="layer_norm_bwd", operator=_NORM_BACKWARD, dtype_in=0, dtype_acc=1, dtype_out=0
    ),
    "layer_norm_grad_input_kernel_vectorized": Row(
        op="layer_norm_bwd", operator=_NORM_BACKWARD, dtype_in=0, dtype_acc=1, dtype_out=0
    ),
    "GammaBetaBackwardCUDAKernel": Row(
        op="layer_norm_bwd", operator=_NORM_BACKWARD, dtype_in=0, dtype_acc=1, dtype_out=0
    ),
    "max_pool_forward_nchw": Row(op="pool", operator="max_pool2d", dtype_in=0, dtype_out=0, layout="nchw"),
    "gatherTopK": Row(op="topk", operator="topk", dtype_in=0),
    "CatArrayBatchedCopy": Row(op="cat", operator="cat", dtype_in=0, dtype_out=0),
    "CatArrayBatchedCopy_contig": Row(op="cat", operator="cat", dtype_in=0, dtype_out=0),
    "CatArrayBatchedCopy_aligned16_contig": Row(op="cat", operator="cat", dtype_in=0, dtype_out=0),
    "CatArrayBatchedCopy_vectorized": Row(op="cat", operator="cat", dtype_in=0, dtype_out=0),
    "vectorized_gather_kernel": Row(op="gather"),
}
