import sys

import pytest

from kerneldiff.recordings.hub import bootstrap


def python(text):
    return [sys.executable, "-c", text]


def test_program_that_ends_keeps_its_status(tmp_path):
    assert bootstrap.watch(python("import sys; sys.exit(3)"), tmp_path, 60) == (3, "itself")


def test_program_that_takes_too_long_is_told_to_stop_and_may_tidy_up(tmp_path):
    text = (
        "import pathlib, time\n"
        "try:\n    pathlib.Path('began').touch(); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    pathlib.Path('tidied').touch()\n"
    )

    assert bootstrap.watch(python(text), tmp_path, 1.0) == (124, "time")
    assert (tmp_path / "tidied").exists() or not (tmp_path / "began").exists()


def test_program_that_does_not_stop_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(bootstrap, "GRACE_SECONDS", 0.2)
    text = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(60)"

    assert bootstrap.watch(python(text), tmp_path, 0.5) == (124, "time")


def test_without_time_nothing_is_run(tmp_path, capsys):
    assert bootstrap.watch(["no-such-program"], tmp_path, 0) == (124, "time")
    assert "--timeout" in capsys.readouterr().out


@pytest.mark.parametrize(("whole", "left"), [(60, 48), (300, 240), (1800, 1710)])
def test_time_to_send_is_kept_free(whole, left):
    assert bootstrap.reserve(whole) == left


def test_text_needs_the_standard_library_alone():
    text = f"import sys\nsys.modules['kerneldiff'] = None\nsys.argv = ['x']\n__name__ = 'job'\nexec(open({bootstrap.__file__!r}).read())"

    assert bootstrap.subprocess.run([sys.executable, "-S", "-c", text], check=False).returncode == 0
