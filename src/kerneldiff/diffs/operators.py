"""One table of operator names: which names are the same work, and which are too common to link anything.

Names are written bare: without ``aten::``, the trailing underscore of in-place forms and leading underscores.
Sources: PyTorch's native_functions.yaml, torch/_decomp/decompositions.py and torch/_inductor/lowering.py
(what a name becomes when it is decomposed).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from kerneldiff.profiles.model import GpuEvent

# A name becomes this set of basic operations.
_BECOMES: dict[str, str] = {
    "addmm": "mm add",
    "addmm_activation": "mm add relu gelu",
    "baddbmm": "bmm add",
    "addbmm": "bmm add",
    "addmv": "mv add",
    "scaled_mm": "mm",
    "int_mm": "mm",
    "grouped_mm": "mm",
    "clamp_min": "relu",
    "threshold_backward": "relu_backward",
    "native_batch_norm": "batch_norm",
    "native_batch_norm_legit": "batch_norm",
    "native_batch_norm_legit_functional": "batch_norm",
    "native_batch_norm_legit_no_training": "batch_norm",
    "batch_norm_with_update": "batch_norm",
    "batch_norm_with_update_functional": "batch_norm",
    "batch_norm_impl_index": "batch_norm",
    "cudnn_batch_norm": "batch_norm",
    "miopen_batch_norm": "batch_norm",
    "native_batch_norm_backward": "batch_norm_backward",
    "cudnn_batch_norm_backward": "batch_norm_backward",
    "miopen_batch_norm_backward": "batch_norm_backward",
    "batch_norm_impl_index_backward": "batch_norm_backward",
    "copy": "copy",
    "clone": "copy",
    "to_copy": "copy",
    "contiguous": "copy",
    "convert_element_type": "copy",
    "direct_copy": "copy",
    "copy_from": "copy",
    "foreach_copy": "copy",
    "index_select": "embedding",
    "embedding": "embedding",
    "embedding_dense_backward": "embedding_backward",
    "index_put": "index_put",
    "index_put_impl": "index_put",
    "unsafe_index_put": "index_put",
    "index_add": "index_put",
    "unsafe_index": "index",
    "ones": "fill",
    "zeros": "fill",
    "full": "fill",
    "full_like": "fill",
    "ones_like": "fill",
    "zeros_like": "fill",
    "new_zeros": "fill",
    "new_ones": "fill",
    "new_full": "fill",
    "zero": "fill",
    "fill": "fill",
    "foreach_zero": "fill",
    "scalar_tensor": "fill",
    "native_layer_norm": "layer_norm var_mean rsqrt",
    "layer_norm": "layer_norm var_mean rsqrt",
    "native_layer_norm_backward": "layer_norm_backward",
    "native_group_norm": "group_norm var_mean rsqrt",
    "group_norm": "group_norm var_mean rsqrt",
    "fused_rms_norm": "rms_norm pow mean rsqrt",
    "rms_norm": "rms_norm pow mean rsqrt",
    "fused_rms_norm_backward": "rms_norm_backward",
    "softmax": "softmax amax exp",
    "safe_softmax": "softmax amax exp",
    "softmax_backward_data": "softmax_backward",
    "prepare_softmax_online": "softmax amax exp log_softmax",
    "masked_softmax": "softmax amax exp",
    "log_softmax": "log_softmax amax exp",
    "log_softmax_backward_data": "log_softmax_backward",
    "silu": "silu sigmoid",
    "silu_backward": "silu_backward",
    "swish": "silu sigmoid",
    "gelu_tanh": "gelu",
    "gelu_erf": "gelu",
    "gelu_tanh_backward": "gelu_backward",
    "gelu_erf_backward": "gelu_backward",
    "geglu": "gelu mul",
    "swiglu": "silu sigmoid mul",
    "native_dropout": "dropout random",
    "fused_dropout": "dropout random",
    "dropout": "dropout random",
    "bernoulli": "random dropout",
    "rand": "random",
    "rand_like": "random",
    "uniform": "random",
    "randn": "random",
    "normal": "random",
    "inductor_random": "random dropout",
    "random": "seeds",
    "randint": "seeds",
    "inductor_seeds": "seeds",
    "inductor_seed": "seeds",
    "inductor_lookup_seed": "random dropout",
    "native_dropout_backward": "dropout_backward",
    "cross_entropy": "log_softmax nll_loss",
    "cross_entropy_loss": "log_softmax nll_loss",
    "nll_loss_forward": "nll_loss",
    "nll_loss_nd": "nll_loss",
    "nll_loss2d": "nll_loss",
    "nll_loss2d_forward": "nll_loss",
    "nll_loss2d_backward": "nll_loss_backward",
    "stack": "cat",
    "select_backward": "cat",
    "slice_backward": "cat",
    "split_backward": "cat",
    "unbind_backward": "cat",
    "split_with_sizes_backward": "cat",
    "chunk_cat": "cat",
    "cat": "cat",
    "fused_adam": "optimizer foreach",
    "fused_adamw": "optimizer foreach",
    "fused_sgd": "optimizer foreach",
    "fused_adagrad": "optimizer foreach",
    "adam": "optimizer",
    "adamw": "optimizer",
    "sgd": "optimizer",
    "conv1d": "convolution",
    "conv2d": "convolution",
    "conv3d": "convolution",
    "conv": "convolution",
    "conv_fprop": "convolution",
    "cudnn_convolution": "convolution",
    "cudnn_convolution_relu": "convolution relu",
    "cudnn_convolution_add_relu": "convolution add relu",
    "miopen_convolution": "convolution",
    "slow_conv2d_forward": "convolution",
    "conv_depthwise2d": "convolution",
    "convolution_overrideable": "convolution",
    "convolution_backward": "convolution_backward",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool2d_with_indices_backward": "max_pool2d_backward",
    "low_memory_max_pool_with_offsets": "max_pool2d",
    "adaptive_avg_pool2d": "avg_pool2d mean",
    "mean": "mean",
    "scaled_dot_product_attention": "attention bmm softmax",
    "scaled_dot_product_attention_math": "attention bmm softmax",
    "scaled_dot_product_flash_attention": "attention bmm softmax",
    "scaled_dot_product_efficient_attention": "attention bmm softmax",
    "scaled_dot_product_cudnn_attention": "attention bmm softmax",
    "scaled_dot_product_fused_attention_overrideable": "attention bmm softmax",
    "flash_attention_forward": "attention bmm softmax",
    "efficient_attention_forward": "attention bmm softmax",
    "cudnn_attention_forward": "attention bmm softmax",
    "flex_attention": "attention bmm softmax",
    "attention_fwd": "attention bmm softmax",
    "attention_bwd": "attention_backward bmm softmax_backward",
    "scaled_dot_product_flash_attention_backward": "attention_backward bmm softmax_backward",
    "scaled_dot_product_efficient_attention_backward": "attention_backward bmm softmax_backward",
    "scaled_dot_product_cudnn_attention_backward": "attention_backward bmm softmax_backward",
    "flash_attention_backward": "attention_backward bmm softmax_backward",
    "efficient_attention_backward": "attention_backward bmm softmax_backward",
    "flex_attention_backward": "attention_backward bmm softmax_backward",
    "reciprocal": "div",
    "true_divide": "div",
    "rsub": "sub",
    "square": "pow",
    "max": "amax",
    "mse_loss": "mse_loss",
}
# Families of names that one foreach or fused call covers: _foreach_add -> add.
_FOREACH = re.compile(r"foreach_(?P<operator>\w+)")
# Containers say nothing that the operators inside do not say better.
_CONTAINERS = frozenset(
    "linear matmul einsum to reshape flatten tensordot bilinear conv_transpose2d type_as result_type resolve_conj".split()
)
# They only rewrite shape and stride; an Inductor kernel lists them, and does nothing for them.
VIEWS = frozenset(
    """alias as_strided broadcast_to chunk conj detach diagonal expand expand_as lift_fresh movedim narrow permute
    reshape_alias select slice split split_with_sizes squeeze swapaxes t transpose unbind unflatten unfold unsafe_view
    unsqueeze view view_as view_as_complex view_as_real adjoint mT empty empty_like empty_strided new_empty
    new_empty_strided getitem""".split()
)
# Present nearly everywhere: alone they link nothing across an anchor.
GENERIC = frozenset(
    "copy add mul sub div fill where arange sum neg expand_copy le ge lt gt eq ne logical_and bitwise_and".split()
)
# Of those, the ones that stand in every stretch: they link even there only where sizes agree.
UBIQUITOUS = frozenset("copy add mul fill".split())
# They make a tensor out of nothing.
CREATED = frozenset("fill arange seeds".split())
# A generated pointwise or reduction kernel lists these because it reads or feeds them; it does not do them.
_NOT_IN_POINTWISE = frozenset("mm bmm mv convolution attention attention_backward convolution_backward".split())
_AUTOGRAD = re.compile(r"(?:autograd::engine::evaluate_function: )?(?P<name>\w+?)Backward\d*$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def bare(operator: str) -> str:
    """Strip what does not tell operators apart.

    >>> bare("aten::_unsafe_view"), bare("aten::add_"), bare("prims::convert_element_type")
    ('unsafe_view', 'add', 'convert_element_type')
    """
    return operator.rpartition("::")[2].strip("_").partition(".")[0]


@lru_cache(maxsize=8192)
def basics(operator: str) -> frozenset[str]:
    """Give the basic operations of one operator name; empty for views, containers and unknown wrappers.

    >>> sorted(basics("aten::addmm")), sorted(basics("aten::gelu")), sorted(basics("aten::t"))
    (['add', 'mm'], ['gelu'], [])
    """
    if found := _AUTOGRAD.fullmatch(operator):
        name = _CAMEL.sub("_", found["name"]).lower()
        if f"{name}_backward" in _BECOMES:
            return frozenset(_BECOMES[f"{name}_backward"].split())
        return frozenset(f"{basic}_backward" for basic in basics(name) if basic not in GENERIC)
    name = bare(operator)
    if name in _BECOMES:
        return frozenset(_BECOMES[name].split())
    if found := _FOREACH.fullmatch(name):
        return basics(found["operator"]) | {"foreach"}
    if not name or name in VIEWS or name in _CONTAINERS or " " in name or not name.isidentifier():
        return frozenset()
    return frozenset({name})


@lru_cache(maxsize=4096)
def _all(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*(basics(name) for name in names))


def _beside_heavy(name: str) -> frozenset[str]:
    """Give what is left of an operator for a pointwise or reduction kernel: of ``addmm`` the addition, of attention nothing."""
    found = basics(name)
    return found if not found & _NOT_IN_POINTWISE else found & {"add", "relu", "gelu"}


def of_event(event: GpuEvent) -> frozenset[str]:
    """Give the basic operations that an event does, from its dispatch chain and its name.

    The operators that launched it go first; a precompiled kernel's name only says whose code runs (layer norm's for
    RMS norm, say). A generated pointwise or reduction kernel is named by what it does, but does no matrix product and
    no convolution, whatever its name lists; of ``addmm`` it does the addition. A copy is a copy, whoever asked for it.
    """
    if event.kind == "memcpy":
        return frozenset({"copy"})
    if event.kind == "memset":
        return frozenset({"fill"})
    if event.decoded.family in ("inductor_triton", "inductor_cpp") and event.decoded.op != "template":
        listed = frozenset().union(*map(_beside_heavy, event.decoded.fused_ops))
        # The kernels of a compiled optimizer name no operators.
        return listed or (frozenset({"foreach"}) if event.decoded.op == "foreach" else listed)
    return _all(tuple(name for name in event.chain if "::" in name or _AUTOGRAD.fullmatch(name))) or _all(
        event.decoded.fused_ops
    )


def names_of(events: Iterable[GpuEvent]) -> tuple[str, ...]:
    """List the operators that launched some events, each once, in order."""
    return tuple(dict.fromkeys(event.operator for event in events if event.operator))
