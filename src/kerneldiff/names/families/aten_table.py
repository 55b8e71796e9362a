"""ATen kernels that are not elementwise drivers: what each does and which template arguments are its types.

Each function is defined in aten/src/ATen/native/cuda of pytorch/pytorch, in the file of its operator.
"""

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
        rms: index of the flag that makes a layer norm an RMS norm (PyTorch 2.9 and later).
        auxiliary: a helper of another kernel of the same operator call.
    """

    op: str | None = None
    operator: str | None = None
    dtype_in: int | None = None
    dtype_acc: int | None = None
    dtype_out: int | None = None
    layout: str | None = None
    logarithm: int | None = None
    rms: int | None = None
    auxiliary: bool = False


def _softmax(first: int) -> Row:
    return Row(op="softmax", operator="_softmax", dtype_in=first, dtype_acc=first + 1, dtype_out=first + 2)


def _softmax_backward(first: int) -> Row:
    return Row(
        op="softmax_bwd", operator="_softmax_backward_data", dtype_in=first, dtype_acc=first + 1, dtype_out=first + 2
    )


def _norm_backward(rms: int | None = 2) -> Row:
    return Row(
        op="layer_norm_bwd", operator="native_layer_norm_backward", dtype_in=0, dtype_acc=1, dtype_out=0, rms=rms
    )


def _group_norm(*, auxiliary: bool = True) -> Row:
    return Row(op="group_norm", operator="native_group_norm", dtype_in=0, auxiliary=auxiliary)


def _group_norm_backward() -> Row:
    return Row(op="group_norm_bwd", operator="native_group_norm_backward", dtype_in=0, auxiliary=True)


def _embedding_backward(*, auxiliary: bool = True, dtype: int | None = None) -> Row:
    return Row(op="embedding_bwd", operator="embedding_dense_backward", dtype_in=dtype, auxiliary=auxiliary)


def _moved(op: str, operator: str, element: int | None = 0) -> Row:
    """A kernel that only moves elements: one type in and out."""
    return Row(op=op, operator=operator, dtype_in=element, dtype_out=element)


_POOL = "max_pool2d"

KERNELS: dict[str, Row] = {
    # <in, out, acc, log2 of the dimension, is_log, is_masked>: PersistentSoftmax.cuh
    "softmax_warp_forward": Row(op="softmax", operator="_softmax", dtype_in=0, dtype_out=1, dtype_acc=2, logarithm=4),
    "softmax_warp_backward": Row(op="softmax_bwd", operator="_softmax_backward_data", dtype_in=0, dtype_out=1, dtype_acc=2, logarithm=4),
    # <ILP, in, acc, out, epilogue>: SoftMax.cu
    "cunn_SoftMaxForward": _softmax(1),
    "cunn_SoftMaxForwardGmem": _softmax(1),
    "cunn_SoftMaxForwardSmem": _softmax(1),
    "cunn_SoftMaxForwardReg": _softmax(0),
    "cunn_SoftMaxBackward": _softmax_backward(1),
    "cunn_SoftMaxBackwardSmem": _softmax_backward(1),
    "cunn_SpatialSoftMaxForward": _softmax(0),
    "cunn_SpatialSoftMaxBackward": _softmax_backward(0),
    # <T, acc, is RMS norm>: layer_norm_kernel.cu
    "vectorized_layer_norm_kernel": Row(op="layer_norm", operator="native_layer_norm", dtype_in=0, dtype_acc=1, dtype_out=0, rms=2),
    "LayerNormForwardCUDAKernel": Row(op="layer_norm", operator="native_layer_norm", dtype_in=0, dtype_acc=1, dtype_out=0, rms=2),
    "RowwiseMomentsCUDAKernel": Row(op="layer_norm", operator="native_layer_norm", dtype_in=0, dtype_acc=1, rms=2, auxiliary=True),
    "layer_norm_grad_input_kernel": _norm_backward(),
    "layer_norm_grad_input_kernel_vectorized": _norm_backward(),
    "GammaBetaBackwardCUDAKernel": _norm_backward(),
    "GammaBetaBackwardSimpleCUDAKernel": _norm_backward(),
    "GammaBetaBackwardCUDAKernel_32x32": _norm_backward(),
    "GammaBetaBackwardCUDAKernelTemplate": _norm_backward(7),
    "cuComputeGradInput": _norm_backward(),
    "cuComputePartGradGammaBeta": _norm_backward(),
    "cuComputeGradGammaBeta": _norm_backward(),
    # group_norm_kernel.cu
    "ComputeFusedParamsCUDAKernel": _group_norm(),
    "ComputeInternalGradientsCUDAKernel": _group_norm_backward(),
    "ComputeBackwardFusedParamsCUDAKernel": _group_norm_backward(),
    "Compute1dBackwardFusedParamsCUDAKernel": _group_norm_backward(),
    "GammaBetaBackwardCUDAKernel1": _group_norm_backward(),
    "GammaBetaBackwardCUDAKernel2": _group_norm_backward(),
    "GammaBeta1dBackwardCUDAKernel1": _group_norm_backward(),
    "GammaBeta1dBackwardCUDAKernel2": _group_norm_backward(),
    # <in, statistics, acc, ...>: Normalization.cuh
    "batch_norm_transform_input_kernel": Row(op="batch_norm_fwd", operator="native_batch_norm", dtype_in=0, dtype_acc=2, dtype_out=0),
    "batch_norm_collect_statistics_kernel": Row(op="batch_norm_fwd", operator="native_batch_norm", dtype_in=1, dtype_acc=3, auxiliary=True),
    "batch_norm_transform_input_channels_last_kernel": Row(op="batch_norm_fwd", operator="native_batch_norm", dtype_in=0, layout="nhwc"),
    "batch_norm_collect_statistics_channels_last_kernel": Row(
        op="batch_norm_fwd", operator="native_batch_norm", dtype_in=1, layout="nhwc", auxiliary=True
    ),
    "batch_norm_backward_kernel": Row(op="batch_norm_bwd", operator="native_batch_norm_backward", dtype_in=0, dtype_acc=2, dtype_out=0),
    "batch_norm_backward_reduce_kernel": Row(op="batch_norm_bwd", operator="native_batch_norm_backward", dtype_in=0, dtype_acc=2),
    "batch_norm_backward_elemt_kernel": Row(op="batch_norm_bwd", operator="native_batch_norm_backward", dtype_in=0, dtype_acc=2),
    "max_pool_forward_nchw": Row(op="pool", operator=_POOL, dtype_in=0, dtype_out=0, layout="nchw"),
    "max_pool_forward_nhwc": Row(op="pool", operator=_POOL, dtype_in=0, dtype_out=0, layout="nhwc"),
    "max_pool_backward_nchw": Row(op="pool_bwd", operator=f"{_POOL}_backward", dtype_in=0, dtype_out=0, layout="nchw"),
    "max_pool_backward_nhwc": Row(op="pool_bwd", operator=f"{_POOL}_backward", dtype_in=0, dtype_out=0, layout="nhwc"),
    "avg_pool2d_out_cuda_frame": Row(op="pool", operator="avg_pool2d", dtype_in=0, dtype_out=0, layout="nchw"),
    "avg_pool2d_out_cuda_frame_nhwc": Row(op="pool", operator="avg_pool2d", dtype_in=0, dtype_out=0, layout="nhwc"),
    "avg_pool2d_backward_out_cuda_frame": Row(op="pool_bwd", operator="avg_pool2d_backward", dtype_in=0, dtype_out=0, layout="nchw"),
    "adaptive_average_pool": Row(op="pool", operator="adaptive_avg_pool2d", dtype_in=0, dtype_out=0),
    "adaptive_average_pool_nhwc": Row(op="pool", operator="adaptive_avg_pool2d", layout="nhwc"),
    "adaptive_average_gradinput": Row(op="pool_bwd", operator="adaptive_avg_pool2d_backward", dtype_in=0, dtype_out=0),
    "atomic_adaptive_average_gradinput": Row(op="pool_bwd", operator="adaptive_avg_pool2d_backward", dtype_in=0, dtype_out=0),
    "gatherTopK": Row(op="topk", operator="topk", dtype_in=0),
    "radixFindKthValues": Row(op="topk", operator="topk", dtype_in=0, auxiliary=True),
    "gatherKthValue": Row(op="topk", operator="kthvalue", dtype_in=0),
    "bitonicSortKVInPlace": Row(op="sort", operator="sort", dtype_in=4),
    "radixSortKVInPlace": Row(op="sort", operator="sort", dtype_in=3),
    "warpMergeSortKVInPlace": Row(op="sort", operator="sort"),
    "vectorized_gather_kernel": Row(op="gather"),
    "indexSelectLargeIndex": _moved("index", "index_select"),
    "indexSelectSmallIndex": _moved("index", "index_select"),
    "indexFuncLargeIndex": _moved("index", "index_add"),
    "indexFuncSmallIndex": _moved("index", "index_add"),
    "indexing_backward_kernel": _moved("index", "index_put"),
    "indexing_backward_kernel_stride_1": _moved("index", "index_put"),
    "indexing_backward_kernel_small_stride": _moved("index", "index_put"),
    "linearize_index_kernel": Row(op="index", auxiliary=True),
    "searchsorted_cuda_kernel": Row(op="search", operator="searchsorted", dtype_in=0, dtype_out=1),
    "fused_dropout_kernel_vec": Row(op="dropout", operator="native_dropout", dtype_in=0, dtype_acc=1, dtype_out=0),
    "fused_dropout_kernel": Row(op="dropout", operator="native_dropout", dtype_in=0, dtype_acc=1, dtype_out=0),
    "embedding_backward_feature_kernel": _embedding_backward(auxiliary=False, dtype=0),
    "embedding_backward_kernel": _embedding_backward(auxiliary=False, dtype=0),
    "compute_grad_weight": _embedding_backward(auxiliary=False, dtype=0),
    "compute_grad_weight_bags": _embedding_backward(auxiliary=False, dtype=0),
    "sum_and_scatter": _embedding_backward(dtype=0),
    "compute_num_of_partial_segments": _embedding_backward(),
    "krn_partials_per_segment": _embedding_backward(),
    "krn_partial_segment_offset": _embedding_backward(),
    "EmbeddingBag_updateOutputKernel_sum_mean": Row(op="embedding", operator="_embedding_bag", dtype_in=0, dtype_out=0),
    "nll_loss_forward_reduce_cuda_kernel_1d": Row(op="loss", operator="nll_loss_forward", dtype_in=0),
    "nll_loss_forward_reduce_cuda_kernel_2d": Row(op="loss", operator="nll_loss_forward", dtype_in=0, dtype_acc=1, dtype_out=0),
    "nll_loss_forward_no_reduce_cuda_kernel": Row(op="loss", operator="nll_loss_forward", dtype_in=0),
    "nll_loss_backward_reduce_cuda_kernel_1d": Row(op="loss_bwd", operator="nll_loss_backward", dtype_in=0, dtype_out=0),
    "nll_loss_backward_reduce_cuda_kernel_2d": Row(op="loss_bwd", operator="nll_loss_backward", dtype_in=0, dtype_out=0),
    "cunn_ClassNLLCriterion_updateOutput_kernel": Row(op="loss", operator="nll_loss_forward", dtype_in=0, dtype_acc=1, dtype_out=0),
    "cunn_ClassNLLCriterion_updateGradInput_kernel": Row(op="loss_bwd", operator="nll_loss_backward", dtype_in=0, dtype_out=0),
    "lpnorm_cleanup": Row(op="foreach", operator="_foreach_norm", dtype_in=0, dtype_acc=3, dtype_out=2, auxiliary=True),
    "triu_tril_kernel": _moved("elementwise", "triu_tril"),
    "tensor_kernel_scan_innermost_dim": Row(op="scan", dtype_in=0, dtype_out=0),
    "tensor_kernel_scan_outer_dim": Row(op="scan", dtype_in=0, dtype_out=0),
    "im2col_kernel": Row(op="im2col", operator="im2col", dtype_in=0, dtype_out=0),
    "col2im_kernel": Row(op="im2col", operator="col2im", dtype_in=0, dtype_out=0),
    "amp_update_scale_cuda_kernel": Row(op="elementwise", operator="_amp_update_scale"),
    "multimem_all_reduce_kernel": Row(op="all_reduce", operator="multimem_all_reduce", dtype_in=0, dtype_out=0),
    "spin_kernel": Row(op="spin"),
    "to_dense_representation_kernel": Row(op="sparse", dtype_in=0, dtype_out=0),
}  # fmt: skip

PREFIXES: tuple[tuple[str, Row], ...] = (
    ("CatArrayBatchedCopy", _moved("cat", "cat")),
    ("conv_depthwise2d_forward", Row(op="conv_fprop", operator="_conv_depthwise2d", dtype_in=2)),
    ("conv_depthwise2d_backward", Row(op="conv_dgrad", operator="_conv_depthwise2d_backward", dtype_in=2)),
    ("conv_depthwise2d_grad_weight", Row(op="conv_wgrad", operator="_conv_depthwise2d_backward", dtype_in=0)),
    ("batch_norm_backward", Row(op="batch_norm_bwd", operator="native_batch_norm_backward")),
    ("batch_norm_", Row(op="batch_norm_fwd", operator="native_batch_norm")),
    ("grid_sampler_", Row(op="interpolate", operator="grid_sampler")),
    ("flip_cuda_kernel", _moved("copy", "flip")),
    ("roll_cuda_kernel", _moved("copy", "roll")),
    ("computeBlockwise", Row(op="topk", operator="topk", auxiliary=True)),
)  # fmt: skip
