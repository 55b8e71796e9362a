"""Each relation holds when DESIGN says so, and only then."""

from __future__ import annotations

import pytest

import builders as b
from builders import ADD, GELU, GELU_MUL, GEMM, MUL, compare, kernel, memcpy, memset, relations, triton

CUTLASS = kernel(
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>"
    "(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8::Params)",
    60.0,
    operators=("aten::linear", "aten::matmul", "aten::mm"),
)
SHAPES = {"Input Dims": [[1024, 32], [32, 64]], "Input type": ["c10::BFloat16", "c10::BFloat16"]}
OTHER_SHAPES = {"Input Dims": [[2048, 32], [32, 64]], "Input type": ["c10::BFloat16", "c10::BFloat16"]}


def only(found: b.Diff) -> b.Diff:
    assert len(found.matches) == 1
    return found


def changed(one: b.Kernel, **changes: object) -> b.Kernel:
    return b.replace(one, **changes)


def test_a_library_kernel_with_equal_name_and_geometry_is_the_same() -> None:
    found = compare([GEMM], [GEMM])

    assert relations(found) == ["same"]
    assert found.verdict.gpu_work == "same"
    assert found.verdict.changes == ()
    assert {"name", "grid", "block", "registers", "shared_memory"} <= set(found.matches[0].evidence)


@pytest.mark.parametrize(
    ("change", "relation", "field"),
    [
        ({"grid": (4, 66, 1)}, "resized", "grid"),
        ({"block": (256, 1, 1)}, "resized", "block"),
        ({"shared_memory": 1}, "resized", "shared_memory"),
        ({"registers": 170}, "reselected", "registers"),
    ],
)
def test_a_library_kernel_that_differs_in_one_field_says_which(
    change: dict[str, object], relation: str, field: str
) -> None:
    found = only(compare([GEMM], [changed(GEMM, **change)]))

    assert relations(found) == [relation]
    assert field in [difference.field for difference in found.matches[0].differences]


def test_a_missing_field_is_no_difference() -> None:
    found = compare([GEMM], [changed(GEMM, registers=None, shared_memory=None, grid=None, block=None)])

    assert relations(found) == ["same"]


def test_a_persistent_kernel_with_another_problem_size_is_resized() -> None:
    found = compare([changed(GEMM, operator_args=SHAPES)], [changed(GEMM, operator_args=OTHER_SHAPES)])

    assert relations(found) == ["resized"]
    assert found.matches[0].differences[0].field == "problem_size"


def test_a_persistent_kernel_of_unknown_size_with_times_far_apart_is_unproven() -> None:
    found = compare([GEMM], [b.with_time(GEMM, 201.0)])

    assert relations(found) == ["unproven"]
    assert found.verdict.gpu_work == "unproven"
    assert "record_shapes" in str(found.matches[0].reason)


def test_an_elementwise_kernel_with_times_far_apart_is_the_same() -> None:
    assert relations(compare([GELU], [b.with_time(GELU, 90.0)])) == ["same"]


def test_lambda_numbers_are_not_spelling() -> None:
    erf = changed(GELU, name=GELU.name.replace("GeluType)::{lambda()#1}", "GeluType)::{lambda()#2}"))

    found = compare([GELU], [erf])

    assert relations(found) == ["reselected"]


def test_spelling_is_no_difference() -> None:
    older = changed(GELU, name=GELU.name.replace("std::array<char*, 2ul> >", "at::detail::Array<char*, 2>>"))

    assert relations(compare([GELU], [older])) == ["same"]


def test_copies_and_sets_compare_their_bytes() -> None:
    assert relations(compare([memcpy(64)], [memcpy(64)])) == ["same"]
    assert relations(compare([memcpy(64)], [memcpy(128)])) == ["resized"]
    assert relations(compare([memset(4)], [changed(memset(4), name="Memset (Unknown)")])) == ["same"]


class TestJit:
    def test_equal_hash_and_configuration_prove_equal_code(self) -> None:
        found = compare([triton("triton_poi_fused_add_0")], [triton("triton_poi_fused_add_0")])

        # Two recordings of builders are equal to the bit, so the clock of one is made to run otherwise.
        assert relations(found) == ["same"]

    def test_another_hash_under_the_same_name_is_other_code(self) -> None:
        found = compare(
            [triton("triton_poi_fused_add_mul_0", code="c1")], [triton("triton_poi_fused_add_mul_0", code="c2")]
        )

        assert relations(found) == ["recompiled"]
        assert found.verdict.gpu_work == "changed"

    def test_without_hash_an_equal_name_proves_nothing(self) -> None:
        found = compare(
            [triton("triton_poi_fused_add_0", code=None)], [triton("triton_poi_fused_add_0", 1.1, code=None)]
        )

        assert relations(found) == ["unproven"]
        assert "record_shapes" in found.verdict.reasons[0]

    def test_one_recording_on_both_sides_is_the_same_even_without_hash(self) -> None:
        assert relations(
            compare([triton("triton_poi_fused_add_0", code=None)], [triton("triton_poi_fused_add_0", code=None)])
        ) == ["same"]

    def test_another_configuration_is_other_code(self) -> None:
        found = compare([triton("triton_poi_fused_add_0")], [triton("triton_poi_fused_add_0", config="XBLOCK=1024")])

        assert relations(found) == ["recompiled"]

    def test_equal_hash_without_configuration_is_unproven(self) -> None:
        bare = {"operator_args": {"kernel_hash": "c1", "stream": 0}}

        found = compare([triton("triton_poi_fused_add_0", **bare)], [triton("triton_poi_fused_add_0", 1.1, **bare)])

        assert relations(found) == ["unproven"]

    def test_a_moved_number_changes_the_hash_and_proves_nothing(self) -> None:
        found = compare([triton("triton_poi_fused_relu_0", code="c1")], [triton("triton_poi_fused_relu_1", code="c2")])

        assert relations(found) == ["unproven"]
        assert "number" in str(found.matches[0].reason)

    def test_a_moved_number_with_other_registers_is_other_code(self) -> None:
        found = compare([triton("triton_poi_fused_relu_0")], [triton("triton_poi_fused_relu_1", registers=40)])

        assert relations(found) == ["recompiled"]

    def test_another_grid_alone_is_another_amount_of_work(self) -> None:
        found = compare([triton("triton_poi_fused_relu_0")], [triton("triton_poi_fused_relu_0", grid=(2, 1, 1))])

        assert relations(found) == ["resized"]

    def test_hand_written_triton_is_unproven(self) -> None:
        one = kernel("_geglu_tanh_forward_kernel", 40.0, operators=("LigerGELUMulFunction",))

        found = compare([one], [b.with_time(one, 41.0)])

        assert relations(found) == ["unproven"]
        assert "hand-written" in str(found.matches[0].reason)


class TestOtherKernels:
    def test_another_kernel_of_the_library_is_reselected_and_says_what_differs(self) -> None:
        found = only(compare([GEMM], [CUTLASS]))

        assert relations(found) == ["reselected"]
        fields = {
            difference.field: (difference.baseline, difference.candidate) for difference in found.matches[0].differences
        }
        assert fields["tile"] == ("256x128x64", "64x64x64")

    def test_a_template_instead_of_cublas_is_reimplemented(self) -> None:
        found = compare([GEMM], [triton("triton_tem_fused_mm_0", 70.0)])

        assert relations(found) == ["reimplemented"]

    def test_other_operand_types_are_a_facet(self) -> None:
        fp16 = changed(GEMM, name=GEMM.name.replace("_tst_", "_hsh_"))

        found = compare([GEMM], [fp16])

        assert found.matches[0].facets == ("precision",)
        assert "precision" in found.verdict.changes

    def test_tf32_instead_of_fp32_is_another_precision(self) -> None:
        plain = kernel("ampere_sgemm_128x64_tn", 100.0, operators=("aten::addmm",))
        tf32 = kernel(
            "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align4>"
            "(cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align4::Params)",
            40.0,
            operators=("aten::addmm",),
        )

        assert "precision" in compare([plain], [tf32]).verdict.changes

    def test_another_operand_layout_is_a_facet(self) -> None:
        nn = changed(GEMM, name=GEMM.name.replace("_TNT", "_NNT"))

        assert compare([GEMM], [nn]).matches[0].facets == ("layout",)

    def test_the_third_letter_of_nvjet_is_not_layout(self) -> None:
        other = changed(GEMM, name=GEMM.name.replace("_TNT", "_TNN"))

        assert compare([GEMM], [other]).matches[0].facets == ()

    def test_types_inside_elementwise_kernels_are_no_facet(self) -> None:
        found = compare([GELU], [triton("triton_poi_fused_gelu_0", 30.0)])

        assert relations(found) == ["reimplemented"]
        assert found.verdict.changes == ("reimplemented",)


class TestGroups:
    def test_gelu_and_mul_across_a_gemm_become_one_kernel(self) -> None:
        found = compare([GEMM, GELU, GEMM, MUL, GEMM], [GEMM, GEMM, GELU_MUL, GEMM])

        assert sorted(relations(found)) == ["fused", "same", "same", "same"]
        fused = next(match for match in found.matches if match.relation == "fused")
        assert fused.fused_operators == ("aten::gelu", "aten::mul")
        assert fused.baseline == (1, 3)
        assert fused.candidate == (2,)
        assert fused.delta_ns == 37_000 - 69_000

    def test_the_reverse_is_a_split(self) -> None:
        found = compare([GEMM, GEMM, GELU_MUL, GEMM], [GEMM, GELU, GEMM, MUL, GEMM])

        assert sorted(relations(found)) == ["same", "same", "same", "split"]

    def test_a_hand_written_kernel_that_names_its_operators_is_a_fusion_too(self) -> None:
        liger = kernel("_geglu_tanh_forward_kernel", 40.0, operators=("LigerGELUMulFunction",))

        assert "fused" in relations(compare([GEMM, GELU, GEMM, MUL, GEMM], [GEMM, GEMM, liger, GEMM]))

    def test_an_unknown_kernel_in_the_place_of_two_is_paired_by_position(self) -> None:
        opaque = kernel("my_extension_kernel(float*, int)", 40.0, operators=())

        found = compare([GEMM, GELU, MUL, GEMM], [GEMM, opaque, GEMM])

        fused = next(match for match in found.matches if match.relation == "fused")
        assert fused.confidence == "position"

    def test_two_named_kernels_without_a_common_operator_are_no_pair(self) -> None:
        exp = triton("triton_poi_fused_exp_0")

        found = compare([GEMM, GELU, GEMM], [GEMM, exp, GEMM])

        assert sorted(relations(found)) == ["added", "removed", "same", "same"]

    def test_a_generic_operator_alone_does_not_bridge_a_gemm(self) -> None:
        found = compare([ADD, GEMM], [GEMM, triton("triton_poi_fused_add_0")])

        assert sorted(relations(found)) == ["added", "removed", "same"]

    def test_a_separate_addition_that_went_into_the_epilogue_is_fused(self) -> None:
        with_bias = changed(
            GEMM, name="nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT", operators=("aten::linear", "aten::addmm")
        )

        found = compare([GEMM, ADD], [with_bias])

        assert relations(found) == ["fused"]
        assert found.matches[0].fused_operators == ("aten::mm", "aten::add")

    def test_the_very_same_gemm_took_nothing_over(self) -> None:
        same = changed(GEMM, operators=("aten::addmm",))

        found = compare([GEMM, ADD], [memcpy(operators=("aten::addmm",)), same])

        assert sorted(relations(found)) == ["added", "removed", "same"]
        assert "addend-copied" in [note.code for note in found.notes]

    def test_a_pointwise_kernel_does_no_matrix_product_whatever_it_lists(self) -> None:
        found = compare([GEMM], [triton("triton_poi_fused_mm_0")])

        assert sorted(relations(found)) == ["added", "removed"]

    def test_products_that_changed_places_are_the_same_and_moved(self) -> None:
        small = changed(GEMM, name=GEMM.name.replace("256x128", "128x64"), grid=(1, 1, 1))

        found = compare([GEMM, small], [small, GEMM])

        assert relations(found) == ["same", "same"]
        assert [match.moved for match in found.matches].count(True) == 1
        assert found.verdict.gpu_work == "same"

    def test_three_products_stay_paired_although_two_became_templates(self) -> None:
        template = triton("triton_tem_fused_mm_0", 70.0)

        found = compare([GEMM, GEMM, GEMM], [template, GEMM, template])

        assert relations(found) == ["reimplemented", "same", "reimplemented"]


class TestHelpers:
    REDUCE = kernel(
        "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16, false, float, __nv_bfloat16, "
        "__nv_bfloat16, true, false, false, false>(cublasLt::cublasSplitKParams<float>)",
        1.5,
        same_call_as_before=True,
    )

    def test_a_split_k_reduction_belongs_to_its_gemm(self) -> None:
        found = compare([GEMM, self.REDUCE], [CUTLASS])

        assert relations(found) == ["reselected"]
        assert found.matches[0].baseline == (0, 1)

    def test_a_helper_that_went_from_an_equal_kernel_is_removed_on_its_own(self) -> None:
        found = compare([GEMM, self.REDUCE], [GEMM])

        assert sorted(relations(found)) == ["removed", "same"]
        assert found.verdict.gpu_work == "changed"


def test_small_kernels_of_a_heavy_operator_call_are_its_helpers() -> None:
    attention = kernel(
        "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x64x64_4x1x1_kernel0_0",
        6.0,
        operators=("aten::_cudnn_attention_forward",),
    )
    unpack = kernel(
        "void at::cuda::philox::unpack_cudnn(at::PhiloxCudaState, long*, long*)", 0.8, same_call_as_before=True
    )
    flash = kernel(
        "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t> >(int)",
        7.0,
        operators=("aten::_flash_attention_forward",),
    )

    found = compare([attention, unpack], [flash])

    assert relations(found) == ["reimplemented"]
    assert found.matches[0].baseline == (0, 1)


def test_a_compiled_optimizer_without_operators_in_its_name_pairs_with_foreach_kernels() -> None:
    lerp = kernel(
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<int>(int)",
        30.0,
        operators=("aten::_foreach_lerp_",),
    )

    found = compare([lerp, b.replace(lerp, operators=("aten::_foreach_mul_",))], [triton("triton_for_fused_0", 20.0)])

    assert relations(found) == ["fused"]


def test_a_copy_across_the_bus_is_not_done_by_a_kernel() -> None:
    to_host = memcpy(name="Memcpy DtoH (Device -> Pageable)", operators=("aten::item", "aten::_local_scalar_dense"))

    found = compare([GEMM, to_host], [GEMM, triton("triton_poi_fused_clone_0")])

    assert sorted(relations(found)) == ["added", "removed", "same"]
