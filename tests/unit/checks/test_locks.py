"""Lock files: what is written is read back, and a trace is unlike its own lock in nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import GELU, GEMM, MUL, Kernel, kernel, memcpy, memset, run, triton
from kerneldiff.checks.locks import Lock, compare_with_lock, lock_of, read, write
from kerneldiff.checks.locks.model import STEPS, decoded_as
from kerneldiff.errors import PolicyError
from kerneldiff.names import normalise
from kerneldiff.pipeline import compare, load
from kerneldiff.profiles.model import GpuEvent

DATA = Path(__file__).parents[2] / "data"
TRACES = sorted((DATA / "pairs" / "traces").glob("*.json.gz"))
CASES = sorted((DATA / "cases").glob("*/[ab]*.json"))

TEXTS = st.text(max_size=24)
DIMS = st.lists(st.integers(0, 10**6), max_size=4).map(tuple)
SHAPES = st.lists(st.none() | DIMS, max_size=4).map(tuple)
NUMBERS = st.none() | st.integers(0, 10**9)
NAMES = st.sampled_from(
    [
        "Memset (Device)",
        "nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT",
        "~tilde",
        "triton_poi_fused_gelu_mul_0",
        "-",
        "a" * 200,
    ]
) | st.text(min_size=1, max_size=90)


@st.composite
def events(draw: st.DrawFn) -> GpuEvent:
    name = normalise(draw(NAMES))
    chain = tuple(draw(st.lists(st.text(min_size=1, max_size=20) | st.just("aten::mm"), max_size=3)))
    return GpuEvent(
        name=name,
        normalised=name,
        decoded=decoded_as(name, chain, cut=draw(st.booleans())),
        kind=draw(st.sampled_from(["kernel", "memcpy", "memset"])),
        grid=draw(st.none() | DIMS),
        block=draw(st.none() | DIMS),
        registers=draw(NUMBERS),
        shared_memory=draw(NUMBERS),
        code_hash=draw(st.none() | TEXTS),
        configuration=draw(st.none() | TEXTS),
        content_digest=draw(st.none() | TEXTS),
        chain=chain,
        replayed=draw(st.booleans()),
        input_shapes=draw(st.none() | SHAPES),
        input_types=draw(st.none() | st.tuples(TEXTS)),
        problem_size=draw(st.none() | DIMS),
        size_bytes=draw(NUMBERS),
        collective=draw(st.none() | TEXTS),
        gpu_ns=draw(st.integers(0, 10**9)),
    )


@st.composite
def locks(draw: st.DrawFn) -> Lock:
    drawn = draw(st.lists(events(), max_size=5))
    numbered: list[GpuEvent] = []
    for index, event in enumerate(drawn):
        first = draw(st.integers(0, index)) if event.chain else -1
        same = first >= 0 and first < index and numbered[first].call >= 0
        numbered.append(replace(event, call=numbered[first].call if same else (index if event.chain else -1)))
    return Lock(
        device=draw(st.none() | TEXTS.filter(bool)),
        environment=tuple(draw(st.lists(st.tuples(TEXTS.filter(bool), TEXTS.filter(bool)), max_size=2))),
        steps=draw(st.sampled_from(STEPS)),
        cut_off=draw(st.booleans()),
        missing=tuple(draw(st.lists(st.sampled_from(["shapes", "code_hashes"]), unique=True))),
        events=tuple(numbered),
    )


@given(lock=locks())
@settings(max_examples=150, deadline=None)
def test_a_written_lock_is_read_back_whole(lock: Lock) -> None:
    assert read(write(lock), where="x.lock") == lock


@given(
    text=st.text(max_size=200)
    | st.text(max_size=60).map(lambda tail: f"kerneldiff-lock: 1\nsteps: alike\n[events]\n{tail}")
)
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused_with_the_file_named(text: str) -> None:
    said = "x.lock"
    try:
        read(text, where="x.lock")
    except PolicyError as error:
        said = str(error)
    assert said.startswith("x.lock")


@given(lock=locks())
@settings(max_examples=60, deadline=None)
def test_a_lock_holds_nothing_that_cannot_be_seen(lock: Lock) -> None:
    assert all(line.isprintable() for line in write(lock).split("\n"))


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_a_trace_has_no_change_against_its_own_lock(path: Path) -> None:
    run_ = load(path)
    lock = lock_of(run_)

    against = compare_with_lock(read(write(lock), where="own.lock"), run_, where="own.lock")

    assert against.verdict.changes == ()
    assert against.verdict.gpu_work in ("same", "unproven")
    if against.verdict.gpu_work == "unproven":
        assert against.verdict.reasons


PARTS = st.sampled_from(
    [
        GEMM,
        GELU,
        MUL,
        memset(),
        memset(same_call_as_before=True),
        memcpy(64),
        kernel("k"),
        triton("triton_poi_fused_mul_0"),
    ]
)


@given(parts=st.lists(PARTS, min_size=1, max_size=12))
@settings(max_examples=40, deadline=None)
def test_any_run_has_no_change_against_its_own_lock(parts: list[Kernel]) -> None:
    any_run = run(kernel("first"), *parts)

    against = compare_with_lock(read(write(lock_of(any_run)), where="own.lock"), any_run, where="own.lock")

    assert against.verdict.changes == ()
    assert {match.relation for match in against.matches} <= {"same", "unproven"}


def pairs() -> list[tuple[Path, Path]]:
    def trace(name: str) -> Path:
        return DATA / "pairs" / "traces" / name

    return [
        (trace("seed-mlp_eager_shapes.json.gz"), trace("seed-mlp_compile_shapes.json.gz")),
        (trace("hf-bert_eager.json.gz"), trace("hf-bert_compile.json.gz")),
        (trace("fp_versions-mlp_fp32_high.json.gz"), trace("fp_versions-mlp_fp32_highest.json.gz")),
        (trace("twins-twin_mul2_add1_compile.json.gz"), trace("twins-twin_mul3_add5_compile.json.gz")),
        (trace("vision-resnet18_nchw_eager.json.gz"), trace("vision-resnet18_nchw_compile.json.gz")),
    ]


@pytest.mark.parametrize(("one", "other"), pairs(), ids=lambda path: path.name)
def test_a_lock_finds_the_relations_that_its_trace_finds(one: Path, other: Path) -> None:
    baseline, candidate = load(one), load(other)
    lock = read(write(lock_of(baseline)), where="x.lock")

    with_lock = compare_with_lock(lock, candidate, where="x.lock")

    whole = compare(baseline, candidate)
    assert with_lock.verdict.gpu_work == whole.verdict.gpu_work
    assert with_lock.verdict.changes == whole.verdict.changes
    assert [(m.relation, m.baseline, m.candidate, m.facets) for m in with_lock.matches] == [
        (m.relation, m.baseline, m.candidate, m.facets) for m in whole.matches
    ]


def test_recording_the_same_program_again_gives_the_same_lock() -> None:
    again = run(kernel("gemm", 10.4), memset(), kernel("relu", 2.3))

    assert write(lock_of(run(kernel("gemm", 10), memset(), kernel("relu", 2)))) == write(lock_of(again))


def test_a_changed_kernel_changes_its_own_line_alone() -> None:
    before = write(lock_of(run(kernel("gemm"), kernel("relu"), kernel("add")))).splitlines()
    after = write(lock_of(run(kernel("gemm"), kernel("relu", registers=40), kernel("add")))).splitlines()

    assert [(one, other) for one, other in zip(before, after, strict=True) if one != other] == [
        (line, line.replace("regs=32", "regs=40")) for line in before if "| relu" in line
    ]


def test_an_event_has_one_line_with_label_operators_facts_and_name() -> None:
    text = write(lock_of(run(kernel("my_kernel", operators=("aten::linear", "aten::mm"), grid=(2, 66, 1)))))

    assert "my_kernel | aten::linear > aten::mm | grid=2x66x1 block=128x1x1 regs=32 smem=0 | my_kernel" in text


def test_generated_code_with_another_hash_is_no_match() -> None:
    lock = lock_of(run(triton("triton_poi_fused_mul_0", code="one")))

    against = compare_with_lock(lock, run(triton("triton_poi_fused_mul_0", code="two")), where="x.lock")

    assert against.verdict.changes == ("recompiled",)


def test_generated_code_without_hash_is_unproven_with_a_remedy() -> None:
    lone = run(triton("triton_poi_fused_mul_0", code=None))

    against = compare_with_lock(lock_of(lone), lone, where="x.lock")

    assert against.verdict.gpu_work == "unproven"
    assert "record_shapes=True" in against.verdict.reasons[0]


def test_a_copy_of_another_size_is_no_match() -> None:
    against = compare_with_lock(lock_of(run(memcpy(64))), run(memcpy(128)), where="x.lock")

    assert against.verdict.changes == ("resized",)


def test_steps_that_deviate_from_the_locked_one_are_not_taken_for_proved() -> None:
    lone = run(GEMM)
    against = compare_with_lock(replace(lock_of(lone), steps="deviating"), lone, where="x.lock")

    assert against.verdict.gpu_work == "unproven"


def test_a_lock_of_another_device_is_refused_unless_asked_for() -> None:
    lock = replace(lock_of(run(GEMM)), device="NVIDIA A100")

    with pytest.raises(PolicyError, match=r"x\.lock: locked on NVIDIA A100.*--other-device"):
        compare_with_lock(lock, run(GEMM), where="x.lock")
    asked = compare_with_lock(lock, run(GEMM), where="x.lock", other_device=True)
    assert not asked.comparable.ok


def test_another_version_of_cuda_is_compared_and_said() -> None:
    lock = replace(lock_of(run(GEMM)), environment=(("cuda_driver_version", "12000"),))
    newer = replace(run(GEMM), environment=(("cuda_driver_version", "13000"),))

    against = compare_with_lock(lock, newer, where="x.lock")

    assert against.verdict.gpu_work == "same"
    assert any("cuda_driver_version: 12000 against 13000" in note.text for note in against.notes)


HEAD = "kerneldiff-lock: 1\nsteps: alike\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"line 1: this is no lock file"),
        ("{}", r"line 1: this is no lock file"),
        ("kerneldiff-lock: 2\nsteps: alike\n[events]\n", r"line 1: lock format '2', and this release reads format 1"),
        ("kerneldiff-lock: 1\n[events]\n", r"lacks 'steps'"),
        (HEAD, r"no \[events\]"),
        (HEAD + "colour: red\n[events]\n", r"line 3: not understood: 'colour'"),
        (HEAD + "[events]\nlabel | - | -\n", r"line 4: 3 fields between bars"),
        (HEAD + "[events]\nlabel | - | colour=red | name\n", r"line 4: unknown fact 'colour'; known are kind"),
        (HEAD + "[events]\nlabel | - | regs=many | name\n", r"line 4: regs='many' cannot be read"),
        (HEAD + "[events]\nlabel | - | - | ~0123456789\n", r"line 4: ~0123456789 is not in \[names\]"),
        (HEAD + "[events]\nlabel | op | same_call=3 | name\n", r"line 4: same_call=3 points before"),
        (HEAD + "[events]\n<<<<<<< HEAD\n", r"line 4: an unresolved merge conflict"),
        (HEAD + "[events]\n[events]\n", r"line 4: a second \[events\]"),
        (HEAD + "[events]\n[names]\nno digest\n", r"line 5: not understood"),
    ],
)
def test_a_damaged_lock_is_refused_with_file_line_and_remedy(text: str, said: str) -> None:
    with pytest.raises(PolicyError, match=r"^x\.lock.*" + said):
        read(text, where="x.lock")


def test_a_lock_with_windows_line_ends_is_read() -> None:
    lock = lock_of(run(GEMM))

    assert read(write(lock).replace("\n", "\r\n"), where="x.lock") == lock
