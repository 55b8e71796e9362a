from kerneldiff.recordings.environment import job_facts


def test_job_says_its_hardware(monkeypatch):
    for name, value in {"JOB_ID": "1a", "ACCELERATOR": "a100-large", "KERNELDIFF_FOLDER": "mlp-1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("MEMORY", raising=False)
    monkeypatch.delenv("CPU_CORES", raising=False)

    assert job_facts() == {"hf_job": "1a", "hf_flavor": "a100-large"}


def test_job_of_another_kind_is_none(monkeypatch):
    monkeypatch.setenv("JOB_ID", "slurm-7")
    monkeypatch.delenv("KERNELDIFF_FOLDER", raising=False)

    assert job_facts() == {}
