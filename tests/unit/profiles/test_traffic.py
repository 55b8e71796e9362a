"""Compulsory traffic and arithmetic, held against hand-made sums and against what a GPU counted."""

from __future__ import annotations

import csv
from math import prod

import pytest

import builders as b
from builders import ADD, GELU, GEMM, MUL, kernel, memcpy, memset, triton
from kerneldiff.pipeline import load
from kerneldiff.profiles.arguments import Argument, broadcast, promoted
from kerneldiff.profiles.elementwise import MAY_BE_ONE
from kerneldiff.profiles.generated import IN_PLACE, LAST_WRITTEN

BF16 = "c10::BFloat16"
ACTIVATION = 64 * 128 * 3072 * 2  # bytes of the MLP's intermediate


def shapes(*dims, types=None, strides=None, concrete=None):
    """Arguments of an operator as Kineto writes them; a scalar is ()."""
    given = types or [BF16 if one else "Scalar" for one in dims]
    args = {"Input Dims": [list(one) for one in dims], "Input type": given}
    args |= {} if strides is None else {"Input Strides": [list(one) for one in strides]}
    return args | ({} if concrete is None else {"Concrete Inputs": concrete})


def moved(*kernels):
    return b.run(*kernels).explained.traffic


def one(base, *dims, **more):
    operators = more.pop("operators", base.operators)
    (found,) = moved(b.replace(base, operators=operators, operator_args=shapes(*dims, **more)))
    return found


def test_a_product_reads_its_factors_and_writes_its_result():
    found = one(GEMM, (8192, 768), (768, 3072))

    assert found.read_bytes == (8192 * 768 + 768 * 3072) * 2
    assert found.write_bytes == 8192 * 3072 * 2
    assert found.flops == 2 * 8192 * 768 * 3072
    assert (found.lower_bound, found.math_mode) == (True, "bf16")


def test_an_out_argument_of_a_product_is_not_read():
    with_out = one(GEMM, (8192, 768), (768, 3072), (8192, 3072))

    assert with_out.read_bytes == (8192 * 768 + 768 * 3072) * 2


def test_addmm_reads_its_bias_and_a_batch_counts():
    biased = one(GEMM, (64,), (1024, 32), (32, 64), (), (), operators=("aten::linear", "aten::addmm"))
    batched = one(GEMM, (8, 128, 64), (8, 64, 32), operators=("aten::bmm",))

    assert biased.read_bytes == (64 + 1024 * 32 + 32 * 64) * 2
    assert batched.flops == 2 * 8 * 128 * 64 * 32
    assert batched.write_bytes == 8 * 128 * 32 * 2


def test_a_dimension_of_stride_0_is_stored_once():
    found = one(ADD, (64, 1024), (64, 1024), (), strides=[(1024, 1), (0, 1), ()])

    assert found.read_bytes == (64 * 1024 + 1024) * 2
    assert found.write_bytes == 64 * 1024 * 2


def test_inputs_of_equal_shape_may_be_one_tensor_and_it_is_said():
    assert one(MUL, (8, 8), (8, 8)).assumptions == (MAY_BE_ONE,)
    assert one(MUL, (8, 8), (8,)).assumptions == ()


def test_comparisons_write_a_byte_an_element_and_types_are_promoted():
    compared = one(ADD, (10, 10), (10, 10), operators=("aten::eq",))
    mixed = one(ADD, (10, 10), (10, 10), types=["float", BF16])
    scaled = one(MUL, (10, 10), (), types=[BF16, "double"])

    assert compared.write_bytes == 100
    assert mixed.write_bytes == 400
    assert scaled.write_bytes == 200


def test_a_copy_reads_its_second_and_writes_its_first_argument():
    name = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}, std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1> >(int)"
    found = one(
        kernel(name, operators=("aten::to", "aten::copy_")), (10, 10), (10, 10), (), types=["float", BF16, "Scalar"]
    )

    assert (found.read_bytes, found.write_bytes) == (200, 400)


def test_copies_and_sets_move_their_bytes():
    copied, to_device, cleared = moved(memcpy(64), memcpy(80, name="Memcpy HtoD (Pageable -> Device)"), memset(16))

    assert (copied.read_bytes, copied.write_bytes) == (64, 64)
    assert (to_device.read_bytes, to_device.write_bytes) == (0, 80)
    assert (cleared.read_bytes, cleared.write_bytes) == (0, 16)


def test_generated_kernel_writes_its_last_argument():
    found = one(triton("triton_poi_fused_add_0"), (64, 64), (64, 64), (64, 64), (), types=[BF16] * 3 + ["Scalar"])

    assert (found.read_bytes, found.write_bytes) == (2 * 8192, 8192)
    assert found.assumptions == (LAST_WRITTEN,)


def test_generated_kernel_of_one_argument_writes_in_place_unless_it_only_makes_it():
    in_place = one(triton("triton_poi_fused_relu_0"), (64, 64), ())
    made = one(triton("triton_poi_fused_zeros_like_0"), (64, 64), ())

    assert (in_place.read_bytes, in_place.write_bytes) == (8192, 8192)
    assert (made.read_bytes, made.write_bytes) == (0, 8192)


def test_generated_kernel_whose_weights_stand_last_writes_its_first_argument():
    found = one(
        triton("triton_per_fused_add_native_layer_norm_6"), (2048, 768), (2048, 768), (768,), (768,), (), (),
        types=[BF16] * 4 + ["Scalar"] * 2,
    )  # fmt: skip

    assert found.write_bytes == 2048 * 768 * 2
    assert found.read_bytes == (2 * 2048 * 768 + 2 * 768) * 2


def test_generated_kernel_that_gathers_reads_no_more_of_a_table_than_it_works_on():
    found = one(
        triton("triton_poi_fused_embedding_0"), (16,), (30522, 768), (16, 768), (),
        types=["long int", BF16, BF16, "Scalar"], concrete=["", "", "", "12288"],
    )  # fmt: skip

    assert found.read_bytes == 16 * 8 + 16 * 768 * 2
    assert found.write_bytes == 16 * 768 * 2


def test_generated_kernel_that_finds_two_waiting_products_writes_in_place():
    gemm = b.replace(GEMM, operator_args=shapes((8192, 768), (768, 3072)))
    fused = triton("triton_poi_fused_gelu_mul_0")
    fused = b.replace(fused, operator_args={**fused.operator_args, **shapes((64, 128, 3072), (8192, 3072), ())})

    *_, found = moved(gemm, gemm, fused)

    assert found.assumptions == (IN_PLACE,)
    assert (found.read_bytes, found.write_bytes) == (2 * ACTIVATION, ACTIVATION)


def test_without_shapes_nothing_is_guessed():
    assert moved(GEMM, GELU, MUL, triton("triton_poi_fused_gelu_mul_0")) == (None, None, None, None)


def test_kernels_that_share_a_call_do_not_get_its_shapes_twice():
    first = b.replace(MUL, operators=("aten::native_batch_norm",), operator_args=shapes((8, 8, 8, 8), (8,)))
    second = b.replace(first, same_call_as_before=True)

    assert moved(first, second) == (None, None)


CONV = kernel(
    "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3_kernel_cudnn", 60.0
)


def convolution(image, weight, *, stride, padding, dilation, groups):
    args = shapes(
        image, weight, (), (), (), (), (),
        types=["c10::Half", "c10::Half", "ScalarList", "ScalarList", "ScalarList", "Scalar", "Scalar"],
        concrete=["", "", str(padding), str(stride), str(dilation), str(groups), "False"],
    )  # fmt: skip
    (found,) = moved(b.replace(CONV, operators=("aten::cudnn_convolution",), operator_args=args))
    return found


@pytest.mark.parametrize(
    ("image", "weight", "how", "out"),
    [
        ((32, 3, 224, 224), (64, 3, 7, 7), ([2, 2], [3, 3], [1, 1], 1), (32, 64, 112, 112)),
        ((2, 64, 56, 56), (64, 64, 3, 3), ([1, 1], [1, 1], [1, 1], 1), (2, 64, 56, 56)),
        ((2, 32, 28, 28), (64, 16, 3, 3), ([1, 1], [2, 2], [2, 2], 2), (2, 64, 28, 28)),
    ],
)
def test_flops_of_a_convolution(image, weight, how, out):
    stride, padding, dilation, groups = how
    found = convolution(image, weight, stride=stride, padding=padding, dilation=dilation, groups=groups)

    assert found.write_bytes == prod(out) * 2
    assert found.flops == 2 * prod(out) * (image[1] // groups) * weight[2] * weight[3]


def test_flops_of_attention_with_and_without_a_causal_mask():
    flash = kernel(
        "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t> >()"
    )

    def found(causal):
        args = shapes(
            *[(8, 12, 512, 64)] * 3, (), (), (), (), (),
            types=[BF16] * 3 + ["", "Scalar", "Scalar", "Scalar", "Scalar"],
            concrete=["", "", "", "", "0.", causal, "", "False"],
        )  # fmt: skip
        (one,) = moved(b.replace(flash, operators=("aten::scaled_dot_product_attention",), operator_args=args))
        return one

    assert found("False").flops == 4 * 8 * 12 * 512 * 512 * 64
    assert found("True").flops == 2 * 8 * 12 * 512 * 512 * 64
    assert "causal" in found("True").assumptions[0]


def tensor(shape, dtype):
    return Argument(shape=shape, strides=None, dtype=dtype)


def test_broadcast_and_promotion_follow_pytorch():
    assert broadcast([(8, 1, 4), (3, 1)]) == (8, 3, 4)
    assert promoted([tensor((2,), BF16), tensor((), "double")]) == BF16
    assert promoted([tensor((2,), "c10::Half"), tensor((2,), BF16)]) == "float"
    assert promoted([tensor((2,), "long int"), tensor((), "double")]) == "float"
    assert promoted([tensor((2,), "bool"), tensor((2,), "int")]) == "int"


def counters(data):
    with (data / "hardware-counters.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["cache"] == "left as the program leaves it"]
    return {(row["program"].split(",")[0], int(row["order"])): row for row in rows}


def counted(row):
    return int(row["dram_read_bytes"]), int(row["dram_write_bytes"])


ELEMENTWISE = [
    ("seed-mlp_eager_shapes", "gelu", ("mlp eager", 1)),
    ("seed-mlp_eager_shapes", "mul", ("mlp eager", 3)),
    ("seed-mlp_compile_shapes", "triton", ("mlp compiled", 2)),
]


@pytest.mark.parametrize(("trace", "kernel_name", "row"), ELEMENTWISE)
def test_elementwise_traffic_agrees_with_the_hardwares_counters(data, trace, kernel_name, row):
    run = load(data / "pairs" / "traces" / f"{trace}.json.gz")
    (found,) = [
        one for event, one in zip(run.events, run.explained.traffic, strict=True)
        if kernel_name in (event.operator or "")
    ]  # fmt: skip
    read, written = counted(counters(data)[row])

    assert abs(found.read_bytes - read) <= 0.04 * found.read_bytes
    assert abs(found.write_bytes - written) <= 0.14 * found.write_bytes


def test_handwritten_geglu_moves_what_the_compiled_one_does(data):
    read, written = counted(counters(data)["mlp with Liger's geglu kernel", 2])

    assert abs(2 * ACTIVATION - read) <= 0.04 * 2 * ACTIVATION
    assert abs(ACTIVATION - written) <= 0.14 * ACTIVATION


def test_traffic_of_products_is_a_lower_bound_of_what_is_counted(data):
    run = load(data / "pairs" / "traces" / "seed-mlp_compile_shapes.json.gz")
    products = [one for one in run.explained.traffic if one.flops]
    rows = [counted(counters(data)["mlp compiled", order]) for order in (0, 1, 3)]

    assert all(one.lower_bound for one in products)
    for one, (read, written) in zip(products, rows, strict=True):
        assert read >= one.read_bytes
        # What is written last stays in the L2 of 50 MB and reaches the memory with a later kernel's time.
        assert written >= one.write_bytes - 50 * 2**20


def test_saving_of_a_program_agrees_with_the_counters_within_4_percent(data):
    from kerneldiff.pipeline import compare

    traces = data / "pairs" / "traces"
    found = compare(traces / "seed-mlp_eager_shapes.json.gz", traces / "seed-mlp_compile_shapes.json.gz")
    rows = counters(data)
    eager = sum(sum(counted(rows["mlp eager", order])) for order in range(5))
    compiled = sum(sum(counted(rows["mlp compiled", order])) for order in range(4))
    (saved,) = [match.bytes_saved for match in found.matches if match.relation == "fused"]

    assert saved == 100_663_296
    assert abs(saved - (eager - compiled)) <= 0.04 * saved


@pytest.mark.parametrize(
    "trace", ["hf-bert_eager", "hf-bert_compile", "train-train_lm_bf16_eager", "twins-twin_chain9_eager"]
)
def test_no_kernel_of_a_real_run_seems_faster_than_caches_allow(data, trace):
    run = load(data / "pairs" / "traces" / f"{trace}.json.gz")

    for event, one in zip(run.events, run.explained.traffic, strict=True):
        if one is not None and one.total_bytes > 1_000_000:
            assert one.total_bytes / event.gpu_ns < 8_000, event.name  # bytes/ns; the L2 of an H200 gives about 10 TB/s


def test_most_kernels_of_a_transformer_have_known_traffic(data):
    run = load(data / "pairs" / "traces" / "hf-bert_eager.json.gz")

    assert all(one is not None for one in run.explained.traffic)


def test_an_out_argument_of_an_elementwise_kernel_is_not_read():
    two_pointers = b.replace(GELU, operators=("aten::relu", "aten::clamp_min"))
    found = one(two_pointers, (10, 10), (), (10, 10), types=[BF16, "Scalar", BF16])

    assert (found.read_bytes, found.write_bytes) == (200, 200)


@pytest.mark.parametrize(
    "operator", ["aten::convolution", "aten::cudnn_convolution", "aten::scaled_dot_product_attention"]
)
def test_arguments_that_are_missing_leave_the_traffic_open(operator):
    args = shapes((8, 12, 16, 64), (8, 12, 16, 64), (8, 12, 16, 64))

    assert moved(b.replace(CONV, operators=(operator,), operator_args=args)) == (None,)


@pytest.mark.parametrize("text", ["[[[[", "[" * 5000, "{}", "[1, 2]", "[[-1, 3]]", "[null]"])
def test_arguments_that_make_no_sense_leave_the_traffic_open(text):
    args = {"Input Dims": text, "Input type": [BF16]}

    assert moved(b.replace(GELU, operator_args=args)) == (None,)


def test_batch_norm_has_its_calls_shapes_although_it_computes_deviations_beside():
    beside = kernel(
        "void at::native::vectorized_elementwise_kernel<4, at::native::batch_norm_calc_invstd(at::Tensor const&, double)::{lambda()#1}, std::array<char*, 2ul> >(int)",
        operators=("aten::native_batch_norm",),
    )
    norm = kernel(
        "void at::native::batch_norm_transform_input_kernel<c10::Half, c10::Half, float, true, int>()",
        operators=("aten::native_batch_norm",),
        operator_args=shapes((8, 4, 6, 6), (4,), (4,), types=["c10::Half"] * 3),
        same_call_as_before=True,
    )
    args = norm.operator_args
    first, second = moved(b.replace(beside, operator_args=args), norm)

    assert first is None
    assert (second.read_bytes, second.write_bytes) == ((8 * 4 * 36 + 8) * 2, 8 * 4 * 36 * 2)


def test_cat_of_opaque_elements_knows_their_size():
    name = "void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 3, 128, 1, 16, 8>()"
    args = {"Input Dims": [[[4, 8], [4, 2]], []], "Input type": ["TensorList", "Scalar"]}
    (found,) = moved(kernel(name, operators=("aten::cat",), operator_args=args))

    assert (found.read_bytes, found.write_bytes) == (80, 80)


def test_max_pool_writes_its_result_and_an_index_each():
    name = "void at::native::(anonymous namespace)::max_pool_forward_nchw<c10::Half>(int, c10::Half const*)"
    args = shapes(
        (32, 64, 112, 112), (), (), (), (), (), types=["c10::Half"] + ["ScalarList"] * 4 + ["Scalar"],
        concrete=["", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False"],
    )  # fmt: skip
    (found,) = moved(kernel(name, operators=("aten::max_pool2d_with_indices",), operator_args=args))

    assert found.write_bytes == 32 * 64 * 56 * 56 * (2 + 8)
