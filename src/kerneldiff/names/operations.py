"""The operation words: what a kernel does, one list for the whole project.

Two kernels of different libraries that do the same carry the same word. A word says what ran,
never how: variants, types and fused operators are other fields of a decoded name.
"""

from __future__ import annotations

GEMM = frozenset({"gemm", "gemv", "grouped_gemm", "moe_gemm", "gemm_w4a16", "gemm_w8a16", "template"})
CONVOLUTION = frozenset({"conv", "conv_fprop", "conv_dgrad", "conv_wgrad"})
ATTENTION = frozenset({"attention_fwd", "attention_bwd"})

OTHERS = frozenset(
    {
        "all_gather", "all_reduce", "all_to_all", "batch_norm_bwd", "batch_norm_fwd", "broadcast", "cat", "compact",
        "copy", "cross_entropy", "cross_entropy_bwd", "dot", "dot_reduce", "dropout", "elementwise", "embedding",
        "embedding_bwd", "fft", "fill", "foreach", "gather", "gemm_epilogue", "group_norm", "group_norm_bwd",
        "im2col", "index", "index_bwd", "interpolate", "kv_cache", "layer_norm", "layer_norm_bwd", "layout_transform",
        "linalg", "linear_attention", "loss", "loss_bwd", "memcpy", "memcpy_array", "memcpy_d2d", "memcpy_d2h",
        "memcpy_h2d", "memcpy_h2h", "memcpy_p2p", "memset", "moe_finalize", "moe_routing", "multi_tensor", "optimizer",
        "pad", "persistent_reduction", "pointwise", "pool", "pool_bwd", "quantize", "radix_sort", "random", "range",
        "reduce", "reduce_scatter", "reduction", "rms_norm", "rms_norm_bwd", "rope", "rope_bwd", "scal", "scan",
        "scatter", "schedule", "search", "send_recv", "softmax", "softmax_bwd", "sort", "sparse", "spin",
        "split_scan", "splitk_reduce", "topk", "transpose", "triangular_solve", "wait",
    }
)  # fmt: skip

WORDS = GEMM | CONVOLUTION | ATTENTION | OTHERS


def heavy(op: str | None) -> bool:
    """Whether the operation multiplies matrices: products, convolutions and attention.

    >>> heavy("conv_wgrad"), heavy("softmax"), heavy(None)
    (True, False, False)
    """
    return op in GEMM or op in CONVOLUTION or op in ATTENTION
