"""The page: everything is there without script, nothing from a trace is markup, nothing comes from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reading import Page, boxes, digest
from samples import HOSTILE, SAMPLES, fusion, hostile, identical, irregular, large

from builders import ADD, GELU, GELU_MUL, GEMM, MUL, compare, run
from kerneldiff import pipeline
from kerneldiff.diffs import Diff
from kerneldiff.reports import html
from kerneldiff.reports.escape import terminal
from kerneldiff.reports.html.rows import event_table
from kerneldiff.reports.joins import joins


@pytest.fixture(scope="module")
def pages() -> dict[str, tuple[str, Page]]:
    return {name: (text := html.render([make()]), Page(text)) for name, make in SAMPLES.items()}


def train(data: Path) -> Diff:
    traces = data / "pairs" / "traces"
    return pipeline.compare(
        traces / "train-train_lm_bf16_eager.json.gz", traces / "train-train_lm_bf16_compile.json.gz"
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_page_is_well_nested_with_unique_ids_and_links_that_lead_somewhere(pages, name):
    page = pages[name][1]
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    links = [attrs["href"][1:] for attrs in page.all("a")]

    assert page.misnested == []
    assert len(ids) == len(set(ids))
    assert set(links) <= set(ids)


@pytest.mark.parametrize("name", SAMPLES)
def test_policy_allows_this_style_and_this_script_and_nothing_else(pages, name):
    page = pages[name][1]
    scripts = [one for one, attrs in zip(page.raw["script"], page.all("script"), strict=True) if "type" not in attrs]

    assert [f"'{digest(one)}'" in page.policy for one in (*scripts, *page.raw["style"])] == [True, True]
    assert page.policy.startswith("default-src 'none'; ")
    assert "unsafe" not in page.policy
    assert not [attrs for _, attrs in page.elements if "style" in attrs or any(key.startswith("on") for key in attrs)]


@pytest.mark.parametrize("name", SAMPLES)
def test_page_asks_for_nothing_from_elsewhere(pages, name):
    page = pages[name][1]
    places = [attrs[key] for _, attrs in page.elements for key in ("src", "href", "data", "action") if key in attrs]

    assert all(place.startswith(("#", "data:,")) for place in places)


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_name_shows_as_text(pages, what):
    text, page = pages["hostile"]
    shown = " ".join(terminal(HOSTILE[what]).split())[:60]

    assert shown in page.text
    assert not [char for char in text if char in "\x1b\u202e\u2066\u200f\u2028\x07\r"]
    assert len(page.all("script")) == 2
    assert not page.all("b") or all(not attrs for attrs in page.all("b"))


def test_script_data_cannot_end_its_element_and_reads_back(pages):
    page = pages["hostile"][1]
    raw = next(one for one, attrs in zip(page.raw["script"], page.all("script"), strict=True) if "type" in attrs)

    assert "<" not in raw
    assert terminal(HOSTILE["script"]) in json.loads(raw)["texts"]


def drawn_and_wanted(page: Page, found: Diff) -> tuple[dict[str, int], dict[str, int]]:
    paths = [
        attrs for tag, attrs in page.elements if tag == "path" and attrs["data-p"].startswith(("block-", "ribbon-"))
    ]
    wanted: dict[str, int] = {}
    for match in found.matches:
        for name, count in (("block", len(match.baseline) + len(match.candidate)), ("ribbon", len(joins(match)))):
            wanted[f"{name}-{match.relation}"] = wanted.get(f"{name}-{match.relation}", 0) + count
    return {attrs["data-p"]: boxes(attrs["d"]) for attrs in paths}, {
        name: count for name, count in wanted.items() if count
    }


@pytest.mark.parametrize("name", ["empty", "identical", "fusion", "hostile"])
def test_every_gpu_event_is_drawn_once_and_every_join_is_a_ribbon(pages, name):
    drawn, wanted = drawn_and_wanted(pages[name][1], SAMPLES[name]())

    assert drawn == wanted


def test_of_thousands_of_events_only_those_that_can_be_seen_are_drawn(pages):
    drawn, wanted = drawn_and_wanted(pages["large"][1], large())

    assert drawn.keys() == wanted.keys()
    assert all(drawn[name] < wanted[name] for name in ("block-same", "ribbon-same"))


@pytest.mark.parametrize("name", SAMPLES)
def test_rows_of_the_table_stand_for_every_match_once(name):
    found = SAMPLES[name]()
    table = event_table(found, {})

    assert sum(row.times for group in table.groups for row in group.rows) == len(found.matches)
    assert sum(row.delta_ns for group in table.groups for row in group.rows) == sum(m.delta_ns for m in found.matches)
    assert table.left_out == 0
    assert table.folded == len(found.matches) - sum(len(group.rows) for group in table.groups)


def test_repeated_layers_fold_to_one_layer():
    table = event_table(large(), {})
    longest = max(table.groups, key=lambda group: group.times)

    assert longest.times * len(longest.rows) > 3000
    assert len(longest.rows) < 20
    assert table.folded > 3000


def test_what_does_not_fit_the_table_is_counted_and_the_page_says_where_it_is():
    found = irregular()
    table = event_table(found, {}, most=100)

    assert sum(len(group.rows) for group in table.groups) == 100
    assert table.left_out == len(found.matches) - 100


def test_page_reads_without_script(pages):
    page = pages["fusion"][1]

    for text in (
        fusion().verdict.summary.split(". ")[0],
        "gelu + mul",
        "GPU time",
        "CPU dispatch",
        fusion().times.gpu.call,
        "baseline",
    ):
        assert text in page.text
    assert len([a for a in page.all("tr") if "data-m" in a]) == len(fusion().matches)
    assert all(
        "needs-script" in a.get("class", "") for t, a in page.elements if t == "div" and "tools" in a.get("class", "")
    )


def test_each_relation_has_a_sign_beside_its_colour(pages):
    page = pages["fusion"][1]
    badges = page.classed("badge")

    assert badges
    assert len(page.classed("sign")) >= len(badges)


def test_identical_runs_say_that_nothing_changed(pages):
    assert "GPU work is the same" in pages["identical"][1].text
    assert "Nothing: every GPU event" in pages["identical"][1].text


def test_runs_without_gpu_events_have_neither_events_nor_fusions(pages):
    page = pages["empty"][1]

    assert "GPU work is not known" in page.text
    assert not page.classed("events")
    assert not page.classed("fusion")


def test_bars_of_the_waterfalls_lie_between_both_totals():
    from kerneldiff.reports.html.charts import waterfalls_of

    for fall in waterfalls_of(fusion()):
        assert fall.note
        assert fall.bars[0].total
        assert fall.bars[-1].total
        assert all(bar.left >= -1e-6 and bar.left + bar.width <= 100 + 1e-6 for bar in fall.bars)


def test_page_of_a_training_step_is_under_a_megabyte(data):
    text = html.render([train(data)])

    assert len(text.encode()) < 1_000_000
    assert "embedding_dense_backward" in text


def test_several_runs_stand_on_one_page_with_anchors_of_their_own():
    text = html.render(
        [compare([GEMM, GELU, MUL], [GEMM, GELU_MUL]), compare([GEMM, GELU, MUL], [GEMM, GELU, MUL, ADD])]
    )
    page = Page(text)

    assert len(page.all("article")) == 2
    assert len(page.all("h1")) == 3
    assert len({a["id"] for _, a in page.elements if "id" in a}) == len([a for _, a in page.elements if "id" in a])


def test_page_of_one_run_lists_kernels_tree_and_names(data):
    profile = pipeline.load(data / "pairs" / "traces" / "seed-mlp_eager_shapes.json.gz")
    page = Page(html.render_run(profile))

    assert page.misnested == []
    for text in (
        "nvjet gemm bf16 tn 256x128x64 s4",
        "aten gelu_tanh bf16",
        "aten::linear",
        "pipeline stages",
        "in a kernel of its own",
    ):
        assert text in page.text


def test_run_without_gpu_events_has_a_page(data):
    page = Page(html.render_run(run()))

    assert page.misnested == []
    assert "0" in page.text


def test_rendering_twice_gives_the_same_bytes():
    assert html.render([hostile()]) == html.render([hostile()])
    assert html.render([identical()]) == html.render([identical()])
