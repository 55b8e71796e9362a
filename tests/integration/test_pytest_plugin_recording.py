"""Recording inside pytest, and the plug-in in the workers of xdist."""

from __future__ import annotations

import pytest

import kerneldiff.pytest_plugin.fixture  # noqa: F401 - imported once here, not anew in each run of pytester
from plugin_folder import inside, locks

__all__ = ["inside"]  # the fixture

pytest_plugins = ["pytester"]


def test_recording_skips_with_a_reason_without_torch_or_gpu(inside: pytest.Pytester) -> None:
    inside.makepyfile(
        test_it="""
        import sys

        def test_no_torch(kerneldiff, monkeypatch):
            monkeypatch.setitem(sys.modules, "torch", None)
            kerneldiff.record(lambda: None)

        def test_no_gpu(kerneldiff, monkeypatch):
            class cuda:
                is_available = staticmethod(lambda: False)

            class torch:
                pass

            torch.cuda = cuda
            monkeypatch.setitem(sys.modules, "torch", torch)
            kerneldiff.record(lambda: None)
        """
    )

    result = inside.runpytest("-rs")

    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["*torch is not installed*", "*no GPU here; --kerneldiff-device=cpu*"])


def test_the_cpu_is_recorded_when_asked_for(inside: pytest.Pytester) -> None:
    pytest.importorskip("torch", reason="torch is an extra")
    inside.makepyfile(
        test_it="""
        import pytest
        import torch

        @pytest.mark.kerneldiff(active=2)
        def test_linear(kerneldiff):
            layer, x = torch.nn.Linear(4, 4), torch.ones(2, 4)
            run = kerneldiff.record(lambda: layer(x))
            assert run.calls("aten::addmm") == 1
            assert run.profile.complete_steps == 2
            kerneldiff.expect(run, views=["aten::t"], recompilations=0)
            kerneldiff.check(run)
            assert run.same_gpu_work_as(kerneldiff.record(lambda: layer(x)))
            assert not run.same_gpu_work_as(kerneldiff.record(lambda: layer(x).relu()))
        """
    )

    result = inside.runpytest_subprocess("--kerneldiff-device=cpu", "--kerneldiff-update")

    result.assert_outcomes(passed=1)
    assert "aten::addmm" in locks(inside)[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_plug_in_works_in_workers_of_xdist(inside: pytest.Pytester, workers: str) -> None:
    pytest.importorskip("xdist")
    inside.makepyfile(
        test_it="""
        def test_one(kerneldiff):
            kerneldiff.check(kerneldiff.load("eager.json"))

        def test_other(kerneldiff):
            kerneldiff.check(kerneldiff.load("compiled.json"))

        def test_failing(kerneldiff):
            assert kerneldiff.load("eager.json").fused("gelu", "mul")
        """
    )

    result = inside.runpytest_subprocess("-n", workers, "--kerneldiff-update")

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*no one kernel does gelu and mul*"])
    assert len(locks(inside)) == 2
