"""Joined operator names of Inductor are taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kerneldiff.names.operators import known_operators, split_operators

KNOWN = sorted(
    {
        "_to_copy", "_unsafe_view", "_softmax", "_log_softmax", "_native_batch_norm_legit_functional", "add", "addmm",
        "amax", "arange", "bmm", "cat", "clone", "convolution", "div", "embedding", "embedding_dense_backward", "gelu",
        "gelu_backward", "mul", "native_dropout", "native_layer_norm", "native_layer_norm_backward", "pow", "relu",
        "rsqrt", "select", "select_backward", "silu", "silu_backward", "slice", "slice_backward", "sum", "tanh",
        "threshold_backward", "unsqueeze", "view", "where",
    }
)  # fmt: skip


@pytest.mark.parametrize(
    ("joined", "expected"),
    [
        ("", ()),
        ("relu", ("relu",)),
        ("gelu_mul_split", ("gelu", "mul", "split")),
        ("_unsafe_view_add_native_layer_norm_backward", ("_unsafe_view", "add", "native_layer_norm_backward")),
        ("_scaled_dot_product_flash_attention_cat", ("_scaled_dot_product_flash_attention", "cat")),
        ("_to_copy__unsafe_view_clone", ("_to_copy", "_unsafe_view", "clone")),
        ("prepare_softmax_online_sub", ("prepare_softmax_online", "sub")),
        ("inductor_lookup_seed_inductor_random", ("inductor_lookup_seed", "inductor_random")),
        ("convert_element_type_mul", ("convert_element_type", "mul")),
        ("add_copy_", ("add", "copy_")),
        ("copy__mul", ("copy_", "mul")),
        ("_to_copy_add_cat_fmha_v3_fwd_mul", ("_to_copy", "add", "cat", "fmha_v3_fwd", "mul")),
        ("constant_pad_nd_moe_forward", ("constant_pad_nd", "moe_forward")),
        ("add_aiter_sage_attn_cat", ("add", "aiter_sage_attn", "cat")),
        # the order is ascending: one operator, not select and backward
        ("mul_select_backward", ("mul", "select_backward")),
        ("_softmax_backward_data_mul", ("_softmax_backward_data", "mul")),
        ("bitwise_and_bitwise_not_bitwise_or", ("bitwise_and", "bitwise_not", "bitwise_or")),
    ],
)
def test_operators_are_told_apart(joined, expected):
    assert split_operators(joined) == expected


@given(st.sets(st.sampled_from(KNOWN), min_size=1, max_size=9))
def test_what_inductor_joins_is_split_into_known_operators_in_order(operators):
    joined = "_".join(sorted(operators))
    found = split_operators(joined)

    assert "_".join(found) == joined
    assert list(found) == sorted(set(found))


@given(st.lists(st.sampled_from(["", "add", "zz", "to", "copy", "_"]), max_size=12))
def test_nothing_is_lost(words):
    joined = "_".join(words)

    assert "_".join(split_operators(joined)) == joined


def test_list_of_operators_is_complete_enough():
    assert sum(len(lengths) for lengths in known_operators().values()) > 500
