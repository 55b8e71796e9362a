import sys

from kerneldiff.recordings.hub import bootstrap


def python(text):
    return [sys.executable, "-c", text]


def test_program_that_ends_keeps_its_status(tmp_path):
    assert bootstrap.watch(python("import sys; sys.exit(3)"), tmp_path, 60, 9) == (3, "itself")


def test_program_that_takes_too_long_is_told_to_stop_and_may_tidy_up(tmp_path):
    text = (
        "import pathlib, time\n"
        "try:\n    pathlib.Path('began').touch(); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    pathlib.Path('tidied').touch()\n"
    )

    assert bootstrap.watch(python(text), tmp_path, 1.0, 9) == (124, "time")
    assert (tmp_path / "tidied").exists() or not (tmp_path / "began").exists()


def test_program_that_does_not_stop_is_killed(tmp_path):
    text = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(60)"

    assert bootstrap.watch(python(text), tmp_path, 0.5, 0.2) == (124, "time")


def test_without_time_nothing_is_run(tmp_path, capsys):
    assert bootstrap.watch(["no-such-program"], tmp_path, 0, 9) == (124, "time")
    assert "--timeout" in capsys.readouterr().out


def test_time_to_send_is_kept_free(monkeypatch):
    """Of a minute a fifth, of which a part is for stopping; of long times a minute and a half."""
    asked = []
    monkeypatch.setattr(bootstrap, "is_installed", lambda *_: True)
    monkeypatch.setattr(bootstrap, "install", lambda _: None)
    monkeypatch.setattr(bootstrap.signal, "signal", lambda *_: None)
    monkeypatch.setattr(bootstrap, "send", lambda *_: None)
    monkeypatch.setattr(bootstrap, "watch", lambda _command, _folder, *times: asked.append(times) or (0, "itself"))

    def fetch(_, to):
        to.mkdir(parents=True)
        (to / "job.json").write_text('{"wheel": "w", "requirements": []}')
        return to

    monkeypatch.setattr(bootstrap, "fetch", fetch)
    for whole in (60, 1800):
        assert bootstrap.main({"seconds": whole, "hub": "1"}) == 0

    assert [(round(seconds), round(grace, 1)) for seconds, grace in asked] == [(48, 3.6), (1710, 27.0)]


def test_text_needs_the_standard_library_alone():
    text = f"import sys\nsys.modules['kerneldiff'] = None\nsys.argv = ['x']\n__name__ = 'job'\nexec(open({bootstrap.__file__!r}).read())"

    assert bootstrap.subprocess.run([sys.executable, "-S", "-c", text], check=False).returncode == 0
