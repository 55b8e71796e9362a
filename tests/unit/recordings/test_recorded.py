"""What a recording carries besides the profiler's events, read back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kerneldiff.profiles.recorded import recorded_of

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["session", "variant", "environment", "unprofiled", "kernels", "other"])


def recorded(**facts):
    return recorded_of(json.dumps(facts))


def kernel(code, **facts):
    return {"name": "triton_poi_0", "code": code, **facts}


def content(kernels, registers=32, shared=0, block=(128, 1, 1)):
    return recorded(kernels=kernels).content("triton_poi_0", registers, shared, block)


@given(st.dictionaries(KEYS, JSON_VALUES))
def test_whatever_stands_there_never_raises(facts):
    recorded_of(json.dumps(facts))


@pytest.mark.parametrize(
    "text", [None, "", "{", "[]", "3", '{"kernels": 3}', '{"unprofiled": {"cpu_ns": ["x"]}}', "[" * 100_000]
)
def test_what_has_another_form_is_as_if_it_were_not_there(text):
    assert recorded_of(text) is None


def test_device_is_no_condition_of_a_comparison_and_null_is_no_fact():
    found = recorded(environment={"device": "cuda", "device_name": "H", "torch": "2.11", "cudnn": None, "seed": 0})

    assert found.environment == (("seed", "0"), ("torch", "2.11"))
    assert (found.device, found.device_name) == ("cuda", "H")


def test_times_below_zero_or_beyond_all_bounds_are_left_out():
    found = recorded(unprofiled={"cpu_ns": [5, -1, 2**62, 7], "step_ns": [9]})

    assert found.unprofiled.cpu_ns.tolist() == [5, 7]
    assert found.unprofiled.step_ns.tolist() == [9]


def test_one_kernel_of_the_name_is_the_one():
    assert content([kernel("a")]) == "a"


def test_a_kernel_of_another_name_is_not():
    assert content([{"name": "triton_poi_1", "code": "a"}]) is None


@pytest.mark.parametrize("facts", [{"registers": 15}, {"registers": 33}, {"warps": 8}])
def test_a_digest_that_the_launch_contradicts_is_not_believed(facts):
    assert content([kernel("a", **facts)]) is None


def test_a_launch_takes_sixteen_registers_at_least():
    assert content([kernel("a", registers=15, warps=4)], registers=16) == "a"


def test_a_warp_of_amd_has_64_threads():
    assert content([kernel("a", warps=4)], block=(256, 1, 1)) == "a"


def test_kernels_of_one_name_are_told_apart_by_registers_warps_and_shared_memory():
    both = [kernel("a", registers=32, warps=4, shared_memory=0), kernel("b", registers=32, warps=4, shared_memory=64)]

    assert content(both) == "a"
    assert content(both, shared=64) == "b"
    assert content([*both, kernel("c", registers=40)], registers=40) == "c"


def test_two_that_could_be_meant_prove_nothing():
    assert content([kernel("a"), kernel("b")]) is None


def test_two_of_equal_code_are_one():
    assert content([kernel("a"), kernel("a", registers=32)]) == "a"
