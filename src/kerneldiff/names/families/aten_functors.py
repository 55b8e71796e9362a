"""What an ATen elementwise functor says: the operator and its types.

A functor is a named template (``BinaryFunctor<float, float, float, MulFunctor<float>>``) or a lambda inside
the operator's own function (``silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::...{lambda(float)#1}``):
aten/src/ATen/native/cuda/*.cu of pytorch/pytorch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kerneldiff.names.cxx import closing, split, template
from kerneldiff.names.patterns import Pattern
from kerneldiff.names.types import cpp_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Functor:
    """An operator and its element types, as far as the functor names them."""

    operator: str | None
    dtype_in: str | None = None
    dtype_acc: str | None = None
    dtype_out: str | None = None
    is_copy: bool = False


_LAMBDA = Pattern(r"(?:\{lambda|\[lambda)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_COPY = Pattern(
    r"(?:^|::)(?:(?P<source>[a-z]+\d+\w*?)to)?(?P<target>bfloat16|float16|float32|float8_\w+?|half)?_?(?:direct_)?copy_kernel_cuda$"
)
_WORDS = {"bfloat16": "bf16", "float16": "f16", "half": "f16", "float32": "f32"}
_BOOLEAN = frozenset(
    {
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "compare",
        "logical_and",
        "logical_or",
        "logical_xor",
        "logical_not",
        "isnan",
        "isinf",
        "isneginf",
        "isposinf",
        "signbit",
    }
)
_RENAMED = {
    "compare_eq": "eq",
    "mse": "mse_loss",
    "mse_backward": "mse_loss_backward",
    "smooth_l1": "smooth_l1_loss",
    "huber": "huber_loss",
    "where": "where",
    "launch_clamp_scalar": "clamp",
    "clamp_scalar": "clamp",
    "clamp_min_scalar": "clamp_min",
    "clamp_max_scalar": "clamp_max",
    "pow_tensor_scalar": "pow",
    "pow_tensor_tensor": "pow",
    "pow_scalar_tensor": "pow",
    "compare_scalar": "compare",
    "mul_scalar": "mul",
    "launch_log_sigmoid_forward": "log_sigmoid_forward",
    "bitwise_and": "bitwise_and",
    "masked_scale": "masked_scale",
    "gelu": "gelu",
    "reciprocal": "reciprocal",
}
_SUFFIXES = (
    "_kernel_cuda_impl",
    "_cuda_kernel_impl",
    "_cuda_kernel",
    "_kernel_cuda",
    "_kernel_impl",
    "_cuda_impl",
    "_kernel",
    "_impl",
    "_cuda",
)


def read_functor(text: str) -> Functor:
    """The operator and types of a functor's text."""
    text = without_anonymous(text.strip())
    if "{lambda" in text or "[lambda" in text:
        wrapped = _wrapper(text)
        return wrapped if wrapped is not None else _from_lambda(text)
    return _wrapper(text) or _named(text)


def without_anonymous(text: str) -> str:
    """The text without its anonymous namespaces, in both spellings."""
    return text.replace("(anonymous namespace)::", "").replace("<unnamed>::", "")


def snake(name: str) -> str:
    """``BitwiseAnd`` as ``bitwise_and``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _bare(text: str) -> str:
    """The last name before the first bracket: ``at::native::binary_internal::MulFunctor``."""
    head = re.match(r"[\w:~$]*", text)
    return (head[0] if head else "").rpartition("::")[2]


def _arguments(text: str) -> list[str]:
    start = text.find("<")
    return [argument.text for argument in split(text, start + 1, closing(text, start))] if start >= 0 else []


def _joined(words: list[str | None]) -> str | None:
    known = [word for word in words if word]
    return ",".join(dict.fromkeys(known)) if known and len(known) == len(words) else None


def _wrapper(text: str) -> Functor | None:
    """``BinaryFunctor<in, in, out, op>``, ``AUnaryFunctor``, ``BUnaryFunctor``: one side may be a scalar."""
    name = _bare(text)
    if name not in ("BinaryFunctor", "AUnaryFunctor", "BUnaryFunctor"):
        return None
    parts = _arguments(text)
    inner = read_functor(parts[-1]) if parts else Functor(operator=None)
    if len(parts) < 4:
        return inner
    first, second, out = (cpp_type(part) for part in parts[:3])
    inputs = {"BinaryFunctor": [first, second], "AUnaryFunctor": [second], "BUnaryFunctor": [first]}[name]
    dtype_in = _joined(inputs)
    acc = inner.dtype_acc or inner.dtype_in
    return Functor(
        operator=inner.operator, dtype_in=dtype_in, dtype_acc=acc if acc != dtype_in else None, dtype_out=out
    )


def _named(text: str) -> Functor:
    """``CUDAFunctor_add<T>``, ``FillFunctor<T>``, ``AbsFunctor<T>``."""
    name = _bare(text)
    types = [cpp_type(part) for part in _arguments(text)]
    element = types[0] if types else None
    if name == "FillFunctor":
        return Functor(operator="fill", dtype_out=element)
    if name.startswith("CUDAFunctor"):
        return Functor(operator=name.rpartition("_")[2], dtype_in=element, dtype_out=element)
    operator = _renamed(snake(name.removesuffix("Functor").removesuffix("Op")))
    return Functor(operator=operator, dtype_in=element, dtype_out="bool" if operator in _BOOLEAN else element)


def _renamed(name: str) -> str:
    return _RENAMED.get(name, name)


def _stripped(name: str) -> str:
    for suffix in _SUFFIXES:
        if name.endswith(suffix) and len(name) > len(suffix):
            return name.removesuffix(suffix)
    return name


def _from_lambda(text: str) -> Functor:
    function = _bare(text)
    parameters = [argument.strip() for argument in _LAMBDA.findall(text)]
    typed = [part for part in parameters if part]
    words = [cpp_type(piece.text) for piece in split(typed[-1], 0, len(typed[-1]))] if typed else []
    copy = _COPY.search(function)
    if copy or function == "copy_device_to_device":
        return _copy(function, copy, words)
    operator = _gelu(text, function) or _renamed(_stripped(function).removeprefix("_").removesuffix("_gpu"))
    out = (
        "bool"
        if operator in _BOOLEAN
        else next((word for word in words if word and word != "bool"), (words or [None])[0])
    )
    return Functor(operator=operator, dtype_in=_joined(words), dtype_out=out)


def _copy(function: str, copy: re.Match[str] | None, words: list[str | None]) -> Functor:
    """A copy names the type it writes; what it reads is only known when the function has both in its name."""
    element = (words or [None])[0]
    target = copy["target"] if copy else None
    if target:
        return Functor(
            operator="copy", dtype_in=element, dtype_out=_WORDS.get(target) or _eight_bits(target), is_copy=True
        )
    return Functor(operator="copy", dtype_out=element, is_copy=function != "copy_device_to_device")


def _eight_bits(word: str) -> str | None:
    found = re.match(r"float8_(e\dm\d)", word)
    return found[1] if found else None


def _gelu(text: str, function: str) -> str | None:
    """In ATen's GELU the first lambda is the tanh form and the second the exact one (ActivationGeluKernel.cu)."""
    if function not in ("GeluCUDAKernelImpl", "GeluBackwardCUDAKernelImpl"):
        return None
    outer = re.search(r"lambda\(\)(?:#| \(instance )(\d+)", text)
    form = {"1": "tanh", "2": "erf"}.get(outer[1]) if outer else None
    suffix = "_backward" if "Backward" in function else ""
    return f"gelu_{form}{suffix}" if form else f"gelu{suffix}"


def inner_functor(text: str) -> str | None:
    """The functor inside ``gpu_kernel_impl<...>`` and its kin."""
    for head in ("gpu_kernel_impl_nocast", "gpu_kernel_impl"):
        parts = template(text, head)
        if parts:
            return parts[0].text
    if "type_specialized_broadcast_kernel_launcher" in text:
        parts = template(text, "apply")
        return parts[0].text if parts else None
    return None
