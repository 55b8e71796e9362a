import shutil

import pytest

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.hub.results import (
    OUTCOME,
    REPORT,
    Outcome,
    Report,
    read_comparison,
    read_outcome,
    write_report,
)
from kerneldiff.recordings.model import Failure, OutputCheck


@pytest.fixture
def traces(data, tmp_path):
    """What a Job sent back: two variants of one program, two recordings each."""
    sources = sorted((data / "replicates").rglob("*.json.gz"))[:2]
    for variant in ("eager", "compile-mode=max-autotune"):
        (tmp_path / variant).mkdir()
        for number, source in enumerate(sources):
            shutil.copy(source, tmp_path / variant / f"{number:02d}.pt.trace.json.gz")
    return tmp_path


def test_variants_are_compared_in_the_order_of_the_report(traces):
    check = OutputCheck(variant="compile:mode=max-autotune", build=1, equal=True, text="equal")
    failure = Failure(variant="third", message="variant third: out of memory")
    report = Report(
        variants=("eager", "compile:mode=max-autotune", "third"),
        outputs=(check,),
        failures=(failure,),
        notes={"eager": "a note"},
    )
    write_report(traces, report)

    found = read_comparison(traces, traces)

    assert found.labels == ("eager", "compile:mode=max-autotune")
    assert [len(one.files) for one in found.recordings] == [2, 2]
    assert found.recordings[0].note == "a note"
    assert found.diffs[0].verdict.gpu_work == "same"
    assert (found.outputs, found.failures) == ((check,), (failure,))


def test_without_a_report_folders_are_variants(traces):
    assert read_comparison(traces, traces).labels == ("compile-mode=max-autotune", "eager")


def test_broken_recording_is_a_failure_of_its_variant(traces):
    (traces / "eager" / "00.pt.trace.json.gz").write_bytes(b"not a trace")
    write_report(traces, Report(variants=("eager", "compile:mode=max-autotune")))

    found = read_comparison(traces, traces)

    assert found.labels == ("compile:mode=max-autotune",)
    assert "variant eager" in found.failures[0].message


def test_nothing_recorded_is_none(tmp_path):
    write_report(tmp_path, Report(variants=("eager",)))

    assert read_comparison(tmp_path, tmp_path) is None
    assert read_comparison(tmp_path, tmp_path / "absent") is None


def test_report_of_another_version_is_refused_with_its_path(tmp_path):
    (tmp_path / REPORT).write_text('{"variants": 3}')

    with pytest.raises(RecordingError, match=r"session.json.*another version"):
        read_comparison(tmp_path, tmp_path)


def test_outcome_is_read_and_missing_when_the_job_was_killed(tmp_path):
    assert read_outcome(tmp_path) is None
    (tmp_path / OUTCOME).write_text('{"status": 124, "ended": "time"}')
    assert read_outcome(tmp_path) == Outcome(status=124, ended="time")


def test_builds_lie_in_folders_of_their_own_and_make_one_spread(traces):
    for build in (1, 2):
        for variant in ("eager", "compile-mode=max-autotune"):
            shutil.copytree(traces / variant, traces / "all" / f"build-{build}" / variant)
    write_report(traces, Report(variants=("eager", "compile:mode=max-autotune"), builds=2))

    found = read_comparison(traces, traces / "all")

    assert [(one.variant, one.build) for one in found.recordings] == [
        ("eager", 1),
        ("compile:mode=max-autotune", 1),
        ("eager", 2),
        ("compile:mode=max-autotune", 2),
    ]
    assert len(found.diffs) == len(found.spreads) == 1
