"""The plug-in inside pytest, with and without xdist."""

from __future__ import annotations

from pathlib import Path

import pytest

import kerneldiff.pytest_plugin.fixture  # noqa: F401 - imported once here, not anew in each run of pytester
from plugin_folder import CHECK, inside, locks, with_lock

__all__ = ["inside"]  # the fixture

pytest_plugins = ["pytester"]


def test_counts_and_fusions_of_a_trace_can_be_asserted(inside: pytest.Pytester) -> None:
    inside.makepyfile("""
        def test_eager(kerneldiff):
            run = kerneldiff.load("eager.json")
            assert (run.kernels, run.gemms, run.copies) == (3, 1, 0)
            assert run.launches("aten::linear") == 1
            assert run.calls("aten::gelu") == 1
            assert not run.fused("gelu", "mul")

        def test_compiled(kerneldiff):
            run = kerneldiff.load("compiled.json")
            assert run.fused("gelu", "mul")
            assert not run.same_gpu_work_as(kerneldiff.load("eager.json"))

        def test_again(kerneldiff):
            assert kerneldiff.load("again.json").same_gpu_work_as(kerneldiff.load("eager.json"))
    """)

    inside.runpytest().assert_outcomes(passed=3)


def test_expectations_are_given_by_name_or_as_a_file(inside: pytest.Pytester) -> None:
    inside.makefile(".toml", mlp='[step]\nkernels = 2\nfused = [["gelu", "mul"]]\n')
    inside.makepyfile("""
        def test_by_name(kerneldiff):
            run = kerneldiff.load("compiled.json")
            kerneldiff.expect(run, kernels=2, no_launch=["aten::t"], gemm=[{"type": "bf16", "count": 1}])

        def test_file(kerneldiff):
            kerneldiff.expect(kerneldiff.load("compiled.json"), "mlp.toml")

        def test_mismatch(kerneldiff):
            kerneldiff.expect(kerneldiff.load("eager.json"), "mlp.toml")
    """)

    result = inside.runpytest()

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["*kerneldiff: expect kernels: kernels: 3, not 2*", "*expect fused (gelu + mul): gelu and mul are not*"]
    )
    result.stdout.fnmatch_lines(["*expected*found*", "*kernels: 2*kernels: 3*"])


def test_a_failed_assertion_says_why_and_lists_what_ran(inside: pytest.Pytester) -> None:
    inside.makepyfile("""
        def test_eager(kerneldiff):
            assert kerneldiff.load("eager.json").fused("gelu", "mul")
    """)

    result = inside.runpytest()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*no one kernel does gelu and mul: gelu in aten gelu_tanh bf16*mul in*"])
    result.stdout.fnmatch_lines(["*kerneldiff: <run eager.json: 3 kernels, 0 copies, 0 sets a step>*", "*nvjet gemm*"])


def test_a_missing_lock_fails_and_is_written_only_when_asked_for(inside: pytest.Pytester) -> None:
    inside.makepyfile(test_it=CHECK.format(trace="eager"))

    result = inside.runpytest()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*no lock file*test_mlp?NVIDIA-H200?.lock; write it with: pytest --kerneldiff-update*"]
    )
    assert locks(inside) == []


def test_a_lock_is_written_beside_the_test_file_with_its_device(inside: pytest.Pytester) -> None:
    with_lock(inside)

    assert [path.relative_to(inside.path) for path in locks(inside)] == [
        Path("__kerneldiff__/test_it/test_mlp[NVIDIA-H200].lock")
    ]
    inside.runpytest().assert_outcomes(passed=1)


def test_a_lock_that_still_holds_is_not_rewritten(inside: pytest.Pytester) -> None:
    with_lock(inside)
    (lock,) = locks(inside)
    lock.write_text("# kept\n" + lock.read_text(encoding="utf-8"), encoding="utf-8")

    inside.runpytest("--kerneldiff-update").assert_outcomes(passed=1)

    assert lock.read_text(encoding="utf-8").startswith("# kept\n")


def test_a_change_fails_with_expectation_and_finding_in_a_section(inside: pytest.Pytester) -> None:
    with_lock(inside)
    inside.makepyfile(test_it=CHECK.format(trace="compiled"))

    result = inside.runpytest()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*KD100 changed-work: 2 kernels became 1 kernel (gelu, mul)*",
            "*if that is wanted: pytest --kerneldiff-update*",
        ]
    )
    result.stdout.fnmatch_lines(
        ["*Captured kerneldiff call*", "*expected*found*", "*aten gelu_tanh bf16 · gelu*inductor pointwise gelu,mul*"]
    )


def test_update_writes_the_changed_lock_anew(inside: pytest.Pytester) -> None:
    with_lock(inside)
    inside.makepyfile(test_it=CHECK.format(trace="compiled"))

    inside.runpytest("--kerneldiff-update").assert_outcomes(passed=1)

    inside.runpytest().assert_outcomes(passed=1)
    assert "inductor pointwise gelu,mul" in locks(inside)[0].read_text(encoding="utf-8")


def test_nothing_is_written_in_ci_unless_told(inside: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    inside.makepyfile(test_it=CHECK.format(trace="eager"))

    refused = inside.runpytest("--kerneldiff-update")

    refused.assert_outcomes(failed=1)
    refused.stdout.fnmatch_lines(["*CI is set, and lock files are not written there unless --kerneldiff-allow-ci*"])
    assert locks(inside) == []
    inside.runpytest("--kerneldiff-update", "--kerneldiff-allow-ci").assert_outcomes(passed=1)
    assert len(locks(inside)) == 1


def test_another_device_has_a_lock_of_its_own(inside: pytest.Pytester) -> None:
    with_lock(inside)
    inside.makepyfile(test_it=CHECK.format(trace="a100"))

    result = inside.runpytest()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*no lock file*NVIDIA-A100*"])


def test_parametrised_tests_and_several_checks_have_a_lock_each(inside: pytest.Pytester) -> None:
    inside.makepyfile(
        test_it="""
        import pytest

        class TestMlp:
            @pytest.mark.parametrize("name", ["eager", "com/piled"])
            def test_run(self, kerneldiff, name):
                run = kerneldiff.load(name.replace("/", "") + ".json")
                kerneldiff.check(run)
                kerneldiff.check(run)
        """
    )

    inside.runpytest("--kerneldiff-update").assert_outcomes(passed=2)

    names = [path.name for path in locks(inside)]
    assert len(names) == 4
    assert "TestMlp.test_run[eager][NVIDIA-H200].lock" in names
    assert "TestMlp.test_run[eager].2[NVIDIA-H200].lock" in names
    inside.runpytest().assert_outcomes(passed=2)


def test_the_marker_allows_a_kind_of_change(inside: pytest.Pytester) -> None:
    with_lock(inside)
    marked = 'import pytest\n\n@pytest.mark.kerneldiff(allow=["fused"])\ndef test_mlp(kerneldiff):\n    kerneldiff.check(kerneldiff.load("compiled.json"))\n'
    inside.makepyfile(test_it=marked)

    inside.runpytest("--strict-markers").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ('allow=["fusd"]', "*unknown value 'fusd'; did you mean 'fused'?*"),
        ("alow=[]", "*unknown setting 'alow'; did you mean 'allow'?*"),
        ('device="gpu"', "*unknown value 'gpu'*"),
    ],
)
def test_a_wrong_setting_is_an_error_with_the_right_one(inside: pytest.Pytester, marker: str, said: str) -> None:
    inside.makepyfile(f"import pytest\n\n@pytest.mark.kerneldiff({marker})\ndef test_mlp(kerneldiff):\n    pass\n")

    result = inside.runpytest()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])


def test_what_is_unproven_fails_unless_it_may_pass(inside: pytest.Pytester) -> None:
    with_lock(inside, "unproven")

    strict = inside.runpytest()

    strict.assert_outcomes(failed=1)
    strict.stdout.fnmatch_lines(["*hand-written Triton*"])
    inside.runpytest("--kerneldiff-inconclusive=pass").assert_outcomes(passed=1)
    inside.runpytest("-o", "kerneldiff_inconclusive=pass").assert_outcomes(passed=1)


def test_no_name_reaches_the_terminal_as_it_is(inside: pytest.Pytester) -> None:
    with_lock(inside)
    inside.makepyfile(
        test_it="""
        def test_mlp(kerneldiff):
            kerneldiff.check(kerneldiff.load("hostile.json"))

        def test_answer(kerneldiff):
            assert kerneldiff.load("hostile.json").same_gpu_work_as(kerneldiff.load("eager.json"))

        def test_expect(kerneldiff):
            kerneldiff.expect(kerneldiff.load("hostile.json"), kernels=1)
        """
    )

    result = inside.runpytest()

    result.assert_outcomes(failed=3)
    output = result.stdout.str()
    assert "\x1b" not in output
    assert not any(line.lstrip().startswith("::error") for line in output.split("\n"))


def test_a_damaged_lock_is_an_error_with_its_line(inside: pytest.Pytester) -> None:
    with_lock(inside)
    locks(inside)[0].write_text("kerneldiff-lock: 9\n", encoding="utf-8")

    result = inside.runpytest()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*line 1: lock format '9'*"])


def test_the_fixture_can_be_turned_off(inside: pytest.Pytester) -> None:
    inside.makepyfile(test_it=CHECK.format(trace="eager"))

    result = inside.runpytest("--kerneldiff-disable", "-rs")

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*turned off by --kerneldiff-disable*"])
