import pytest

from kerneldiff.errors import RecordingError
from kerneldiff.recordings.hub.launching import find_hardware, new_folder
from kerneldiff.recordings.hub.model import Hardware, parse_duration


def hardware(name, usd=0.05, unit="minute"):
    return Hardware(name=name, description="", usd=usd, unit=unit)


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("30m", 1800), ("1.5h", 5400), ("2d", 172_800)])
def test_times_are_read_as_the_hub_reads_them(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "soon", "30 minutes", "-5m", "59", "nan", "inf", "1e400h"])
def test_other_times_are_refused(text):
    with pytest.raises(RecordingError, match="30m"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("usd", "unit", "price"),
    [
        (0.05, "minute", "3.00 USD per hour"),
        (2.5, "hour", "2.50 USD per hour"),
        (7, "fortnight", "7 USD per fortnight"),
    ],
)
def test_price_is_said_by_the_hour_where_the_unit_is_known(usd, unit, price):
    assert hardware("x", usd, unit).price == price


def test_unknown_flavor_is_answered_with_near_ones_and_all_prices():
    offered = [hardware("a100-large"), hardware("a10g-large"), hardware("t4-small", 0.01)]

    with pytest.raises(RecordingError) as caught:
        find_hardware(offered, "a100-larg")

    assert "did you mean a100-large" in str(caught.value)
    assert "t4-small (0.60 USD per hour)" in str(caught.value)


def test_known_flavor_is_found_and_a_missing_one_lists_all():
    offered = [hardware("h200")]

    assert find_hardware(offered, "h200") is offered[0]
    with pytest.raises(RecordingError, match=r"--flavor, one of h200"):
        find_hardware(offered, None)


def test_folders_of_two_recordings_differ():
    assert new_folder("dir/model.py:step") != new_folder("dir/model.py:step")
    assert new_folder("dir/model.py:step").startswith("model.py-step-20")
