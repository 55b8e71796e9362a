"""Each hand-checked name decodes as its entry says, by exactly one grammar."""

from __future__ import annotations

import pytest

from kerneldiff.names import decode
from kerneldiff.names.demangling import demangled
from kerneldiff.names.families import FAMILIES
from kerneldiff.names.operations import WORDS

from .corpus import entries, expectations, real_names


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: f"{entry['file']}-{entry['name'][:60]}")
def test_name_decodes_as_the_corpus_says(entry):
    decoded = decode(entry["name"])

    assert decoded.name == entry["name"]
    for field, expected in expectations(entry):
        assert getattr(decoded, field) == expected, field


def test_every_entry_says_where_its_name_was_seen():
    assert all(entry["seen"] for entry in entries())


def test_every_grammar_has_a_table():
    tables = {entry["file"] for entry in entries()}

    assert tables >= {
        "aiter", "aten", "attention", "composable_kernel", "cublas_helpers", "cublas_legacy", "cudnn", "cutlass",
        "deepseek", "device_primitives", "fbgemm", "inductor", "memory", "miopen", "nccl", "nvjet", "others",
        "serving", "tensile", "tensorrt_llm", "transformer_engine", "triton_kernels", "user_triton", "xmma",
    }  # fmt: skip


def test_exactly_one_grammar_answers():
    # hand-written Triton is the last resort: any plain identifier could be one
    special = FAMILIES[:-1]
    several = []
    for name, _ in real_names():
        text = demangled(name) or name
        claims = [family.name for family in special if family.parse(text) is not None]
        if len(claims) > 1:
            several.append((name[:80], claims))

    assert several == []


def test_operation_words_come_from_the_list():
    assert {decode(name).op for name, _ in real_names()} - {None} <= WORDS


def test_families_are_those_of_the_list():
    agree = sum(decode(name).family == family for name, family in real_names())

    assert agree / len(real_names()) > 0.99


def test_parts_are_in_order_and_inside_the_name():
    for name, _ in real_names():
        decoded = decode(name)
        text = decoded.demangled or name
        ends = [0]
        for part in decoded.parts:
            assert ends[-1] <= part.start < part.end <= len(text)
            assert part.meaning
            ends.append(part.end)


def test_names_of_gemms_are_explained():
    for name, _ in real_names():
        decoded = decode(name)
        if decoded.op == "gemm":
            assert decoded.parts, name
