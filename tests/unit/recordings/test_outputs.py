"""Whether two variants compute the same."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="recording needs PyTorch")

from kerneldiff.recordings.model import Program  # noqa: E402
from kerneldiff.recordings.outputs import Results, compare, first_step, tolerance  # noqa: E402


def results(*tensors, gradients=()):
    return Results(
        outputs=tuple((f"output[{index}]", one) for index, one in enumerate(tensors)),
        gradients=tuple((f"weight{index}", one) for index, one in enumerate(gradients)),
    )


def check(other, reference):
    return compare("compile", 1, other, reference, "eager")


@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_rounding_of_the_type_is_allowed_and_ten_times_the_tolerance_is_not(kind):
    one = torch.linspace(1, 2, 1000, dtype=torch.float64)
    allowed = tolerance(one.to(kind))

    near, far = ((one * (1 + factor * allowed)).to(kind) for factor in (0.1, 10))

    assert check(results(near), results(one.to(kind))).equal is True
    assert check(results(far), results(one.to(kind))).equal is False


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (results(torch.ones(3)), "shape"),
        (results(torch.ones(2, dtype=torch.float64)), "type float32 against float64"),
        (results(torch.tensor([1.0, float("nan")])), "not-a-number"),
        (results(torch.ones(2), torch.ones(2)), "1 outputs against 2"),
        (results(torch.ones(2), gradients=[torch.ones(2)]), "0 gradients against 1"),
        (results(torch.zeros(2)), "apart"),
    ],
)
def test_what_differs_is_said(other, said):
    found = check(other, results(torch.ones(2)))

    assert found.equal is False
    assert said in found.text
    assert "compile" in found.text


def test_whole_numbers_must_be_equal():
    assert check(results(torch.tensor([1, 2])), results(torch.tensor([1, 3]))).equal is False
    assert check(results(torch.tensor([1, 2])), results(torch.tensor([1, 2]))).equal is True


def test_not_a_number_in_the_same_place_on_both_sides_is_no_difference():
    odd = torch.tensor([1.0, float("nan"), float("inf")])

    assert check(results(odd), results(odd.clone())).equal is True


def test_a_step_that_returns_nothing_is_not_called_equal():
    assert check(results(), results()).equal is None


def test_imaginary_parts_count():
    assert check(results(torch.tensor([1 + 2j])), results(torch.tensor([1 + 1j]))).equal is False


def test_outputs_are_found_in_nested_results_and_gradients_in_modules():
    model = torch.nn.Linear(2, 1, bias=False)

    def step():
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        return {"loss": loss, "parts": [loss, (loss,)], "text": "x"}

    found = first_step(Program(step=step, modules=(model,)))

    assert [place for place, _ in found.outputs] == ["output['loss']", "output['parts'][0]", "output['parts'][1][0]"]
    assert [name for name, _ in found.gradients] == ["weight"]


def test_results_are_copies_that_a_later_step_does_not_change():
    kept = torch.zeros(2)

    def step():
        return kept.add_(1)

    found = first_step(Program(step=step))
    step()

    assert found.outputs[0][1].tolist() == [1.0, 1.0]
