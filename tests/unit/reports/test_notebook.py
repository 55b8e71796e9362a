"""Rich display: registered by the notebook module alone, without script, and hostile names stay text."""

from __future__ import annotations

import subprocess
import sys

import pytest
from reading import Page
from samples import HOSTILE, SAMPLES, fusion, hostile

import kerneldiff.notebook
from kerneldiff.names import decode
from kerneldiff.reports.escape import terminal


@pytest.mark.parametrize("name", SAMPLES)
def test_comparisons_and_runs_have_a_form_without_script(name):
    found = SAMPLES[name]()
    for value in (found, found.baseline):
        page = Page(value._repr_html_())
        assert page.misnested == []
        assert not page.all("script")
        assert not [attrs for _, attrs in page.elements if any(key.startswith("on") for key in attrs)]


def test_the_form_of_a_comparison_gives_verdict_times_and_changes():
    page = Page(fusion()._repr_html_())

    for text in ("GPU work changed", "gelu + mul", "GPU time", fusion().verdict.summary[:40]):
        assert text in page.text


def test_the_form_of_a_name_explains_its_parts():
    page = Page(decode("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT")._repr_html_())

    assert "pipeline stages" in page.text


@pytest.mark.parametrize("name", HOSTILE.values())
def test_hostile_names_stay_text(name):
    page = Page(decode(name)._repr_html_())

    assert " ".join(terminal(name).split())[:40] in page.text
    assert not page.all("script")


def test_pictures_do_not_share_the_anchors_of_a_report():
    assert 'id="nb-' in hostile()._repr_html_()


def test_values_have_no_form_until_the_module_is_imported():
    code = "from kerneldiff.diffs import Diff; import sys; sys.exit(hasattr(Diff, '_repr_html_'))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_load_ext_registers_too():
    kerneldiff.notebook.load_ipython_extension(None)

    assert hasattr(type(fusion()), "_repr_html_")
