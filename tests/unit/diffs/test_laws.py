"""Laws that every comparison obeys, whatever the two runs are."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

import builders as b
from builders import ADD, GELU, GELU_MUL, GEMM, MUL, kernel, memcpy, memset, triton
from kerneldiff.diffs import Diff, diff

MIRROR = {"fused": "split", "split": "fused", "added": "removed", "removed": "added"}
POOL = [
    GEMM,
    GELU,
    MUL,
    ADD,
    GELU_MUL,
    memset(),
    memcpy(),
    b.replace(GEMM, grid=(4, 66, 1)),
    b.replace(GEMM, name=GEMM.name.replace("256x128", "128x64")),
    triton("triton_poi_fused_add_0", code=None),
    triton("triton_poi_fused_add_1"),
    triton("triton_red_fused_native_layer_norm_2", 9.0),
    triton("triton_tem_fused_mm_3", 50.0),
    kernel("my_extension_kernel(float*, int)", 4.0, operators=()),
    kernel("_geglu_tanh_forward_kernel", 40.0, operators=("LigerGELUMulFunction",)),
]
kernels = st.lists(st.sampled_from(POOL), min_size=1, max_size=12)
quick = settings(max_examples=60, deadline=None)


def both(found: Diff) -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    return [(match.relation, match.baseline, match.candidate) for match in found.matches]


@quick
@given(kernels)
def test_a_run_compared_with_itself_is_the_same(ours: list[b.Kernel]) -> None:
    one = b.run(*ours)

    found = diff(one, one)

    assert found.verdict.gpu_work == "same"
    assert found.verdict.changes == ()
    assert all(match.delta_ns == 0 and not match.moved for match in found.matches)


@quick
@given(kernels, kernels)
def test_every_event_is_in_exactly_one_match_and_times_add_up(ours: list[b.Kernel], theirs: list[b.Kernel]) -> None:
    one, other = b.run(*ours), b.run(*theirs)

    found = diff(one, other)

    assert sorted(i for match in found.matches for i in match.baseline) == list(range(len(one.events)))
    assert sorted(i for match in found.matches for i in match.candidate) == list(range(len(other.events)))
    expected = sum(event.gpu_ns for event in other.events) - sum(event.gpu_ns for event in one.events)
    assert sum(match.delta_ns for match in found.matches) == expected


@quick
@given(kernels, kernels)
def test_swapping_the_sides_mirrors_relations_and_negates_deltas(ours: list[b.Kernel], theirs: list[b.Kernel]) -> None:
    one, other = b.run(*ours), b.run(*theirs)

    there, back = diff(one, other), diff(other, one)

    assert there.verdict.gpu_work == back.verdict.gpu_work
    assert sum(match.delta_ns for match in there.matches) == -sum(match.delta_ns for match in back.matches)
    mirrored = {MIRROR.get(match.relation, match.relation) for match in there.matches}
    assert mirrored == {match.relation for match in back.matches}


@quick
@given(kernels, kernels, st.integers(0, 10**9), st.randoms(use_true_random=False))
def test_clock_stream_names_and_order_in_the_file_change_nothing(
    ours: list[b.Kernel], theirs: list[b.Kernel], shift: int, chance: random.Random
) -> None:
    plain = diff(b.run(*ours), b.run(*theirs))
    renamed = [b.replace(one, stream=20) for one in theirs]
    value = b.document(renamed, renamed, renamed, shift_ns=shift)
    chance.shuffle(value["traceEvents"])

    other = diff(b.run(*ours), b.run_of(value))

    # A recording is recognised as itself by its times, which a renamed stream does not change.
    assert both(other) == both(plain)
    assert other.verdict.gpu_work == plain.verdict.gpu_work


@quick
@given(kernels, st.integers(0, 12))
def test_adding_a_kernel_adds_exactly_its_time(ours: list[b.Kernel], place: int) -> None:
    extra = kernel("something_new_entirely(int)", 7.0, operators=("custom::thing",))
    more = [*ours[:place], extra, *ours[place:]]

    found = diff(b.run(*ours), b.run(*more))

    assert sum(match.delta_ns for match in found.matches) == 7_000
    assert found.verdict.gpu_work == "changed"
