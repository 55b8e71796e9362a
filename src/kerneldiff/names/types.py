"""Element types: how each library spells them, and the one word that is shown for each."""

from __future__ import annotations

CPP: dict[str, str] = {
    "float": "f32",
    "double": "f64",
    "__half": "f16",
    "half": "f16",
    "_Float16": "f16",
    "half_t": "f16",
    "c10::Half": "f16",
    "at::Half": "f16",
    "cutlass::half_t": "f16",
    "ck_tile::fp16_t": "f16",
    "__nv_bfloat16": "bf16",
    "__hip_bfloat16": "bf16",
    "hip_bfloat16": "bf16",
    "c10::BFloat16": "bf16",
    "at::BFloat16": "bf16",
    "torch::headeronly::BFloat16": "bf16",
    "torch::headeronly::Half": "f16",
    "cutlass::bfloat16_t": "bf16",
    "std::bfloat16_t": "bf16",
    "std::float16_t": "f16",
    "bfloat16_t": "bf16",
    "cutlass::tfloat32_t": "tf32",
    "cutlass::float_e4m3_t": "e4m3",
    "cutlass::float_e5m2_t": "e5m2",
    "cutlass::float_e2m1_t": "e2m1",
    "__nv_fp8_e4m3": "e4m3",
    "__nv_fp8_e5m2": "e5m2",
    "__hip_fp8_e4m3": "e4m3",
    "__hip_fp8_e5m2": "e5m2",
    "__hip_fp8_e4m3_fnuz": "e4m3",
    "__hip_fp8_e5m2_fnuz": "e5m2",
    "c10::Float8_e4m3fn": "e4m3",
    "c10::Float8_e5m2": "e5m2",
    "c10::Float8_e4m3fnuz": "e4m3",
    "c10::Float8_e5m2fnuz": "e5m2",
    "c10::Float8_e8m0fnu": "e8m0",
    "c10::Float4_e2m1fn_x2": "e2m1",
    "c10::complex<float>": "c64",
    "c10::complex<double>": "c128",
    "c10::complex<c10::Half>": "c32",
    "float2": "c64",
    "double2": "c128",
    "cuComplex": "c64",
    "cuDoubleComplex": "c128",
    "bool": "bool",
    "signed char": "i8",
    "char": "i8",
    "int8_t": "i8",
    "unsigned char": "u8",
    "uint8_t": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "int": "i32",
    "unsigned int": "u32",
    "long": "i64",
    "long long": "i64",
    "unsigned long": "u64",
    "unsigned long long": "u64",
}

SHORT: dict[str, str] = {
    "bf16": "bf16",
    "fp16": "f16",
    "f16": "f16",
    "h": "f16",
    "half": "f16",
    "fp32": "f32",
    "f32": "f32",
    "float": "f32",
    "fp64": "f64",
    "f64": "f64",
    "double": "f64",
    "tf32": "tf32",
    "e4m3": "e4m3",
    "e5m2": "e5m2",
    "ue4m3": "e4m3",
    "fp8": "fp8",
    "bf8": "e5m2",
    "i8": "i8",
    "s8": "i8",
    "u8": "u8",
    "int8": "i8",
    "int8_t": "i8",
    "uint8_t": "u8",
    "s32": "i32",
    "i32": "i32",
    "u32": "u32",
    "u64": "u64",
    "i64": "i64",
    "f8e4m3": "e4m3",
    "f8e5m2": "e5m2",
    "fp4": "fp4",
    "c64": "c64",
    "cf32": "c64",
    "cf64": "c128",
}

POINTER_NOISE = ("const", "volatile", "__restrict__", "*", "&")


def cpp_type(text: str | None) -> str | None:
    """The word for a C++ element type, None for anything else (an opaque type, a functor)."""
    if text is None:
        return None
    bare = text.strip()
    for noise in POINTER_NOISE:
        bare = bare.removesuffix(noise).removeprefix(noise + " ").strip()
    return CPP.get(bare)


def short_type(text: str | None) -> str | None:
    """The word for a short spelling such as ``fp16`` in an underscored kernel name."""
    return None if text is None else SHORT.get(text.lower())
