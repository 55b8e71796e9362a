"""The page in a browser: what stands where, what the script does, and that nothing is asked of any network."""

from __future__ import annotations

import pytest
from samples import HOSTILE, fusion, hostile, irregular, large

from kerneldiff import pipeline
from kerneldiff.reports import html
from kerneldiff.reports.escape import terminal


@pytest.fixture(scope="session")
def train(data):
    traces = data / "pairs" / "traces"
    return html.render(
        [pipeline.compare(traces / "train-train_lm_bf16_eager.json.gz", traces / "train-train_lm_bf16_compile.json.gz")]
    )


@pytest.fixture(scope="session")
def mlp(data):
    traces = data / "pairs" / "traces"
    return html.render(
        [pipeline.compare(traces / "seed-mlp_eager_shapes.json.gz", traces / "seed-mlp_compile_shapes.json.gz")]
    )


VISIBLE_ROWS = (
    "document.querySelectorAll('table.events tr[data-m]').values().filter(r => r.offsetParent !== null).toArray()"
)


def bottom(page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


@pytest.mark.parametrize("which", ["train", "mlp"])
def test_the_answer_stands_above_900_pixels_at_1280(show, request, which):
    page = show(request.getfixturevalue(which)).page

    for selector in (
        ".verdict h1",
        ".summary",
        ".card.times tbody tr:last-child",
        ".card.step .big",
        ".card.changed .top li:first-child",
        ".card.kinds table",
    ):
        assert bottom(page, selector) < 900


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_nothing_is_wider_than_the_window(show, train, width, theme):
    page = show(train, width=width, theme=theme).page

    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_theme_follows_the_system_and_can_be_chosen(show, mlp):
    page = show(mlp, theme="dark").page
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.locator("label:has(#theme-light)").click()
    light = page.evaluate(ground)
    page.locator("label:has(#theme-dark)").click()

    assert dark != light
    assert page.evaluate(ground) == dark


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_have_the_contrast_that_wcag_asks_for(show, mlp, theme):
    page = show(mlp, theme=theme).page
    worst = page.evaluate(
        """() => {
        const probe = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
        const rgba = c => { probe.clearRect(0, 0, 1, 1); probe.fillStyle = c; probe.fillRect(0, 0, 1, 1); return [...probe.getImageData(0, 0, 1, 1).data]; };
        const light = c => { const [r, g, b] = rgba(c).slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
        const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgba(c)[3] === 255) return c; } return "white"; };
        const found = [];
        for (const e of document.querySelectorAll("main *")) {
          if (!e.offsetParent || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.closest("svg, script, .away")) continue;
          const a = light(getComputedStyle(e).color), b = light(ground(e)), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
          found.push([ratio, e.className + " " + e.textContent.slice(0, 30)]);
        }
        return found.sort((x, y) => x[0] - y[0])[0];
        }"""
    )

    assert worst[0] >= 4.5, worst


def test_filter_by_text_and_by_relation(show, train):
    page = show(train).page
    search = page.locator(".filters input[type=search]")
    search.fill("gelu_backward")
    page.wait_for_function(f"() => {VISIBLE_ROWS}.length < 20")
    by_text = page.evaluate(f"{VISIBLE_ROWS}.map(r => r.dataset.r)")
    shown = page.locator(".shown").inner_text()
    search.fill("")
    page.wait_for_function(f"() => {VISIBLE_ROWS}.length > 20")
    for relation in ("same", "fused"):
        page.locator(f".chip:has(input[value={relation}])").click()
    by_relation = page.evaluate(f"{VISIBLE_ROWS}.map(r => r.dataset.r)")

    assert by_text
    assert set(by_text) == {"fused"}
    assert " of " in shown
    assert by_relation
    assert not {"same", "fused"} & set(by_relation)


def test_sort_by_change_and_back(show, train):
    page = show(train).page
    before = page.evaluate(f"{VISIBLE_ROWS}.map(r => r.id)")
    button = page.locator("th[data-sort=d] button")
    button.click()
    down = page.evaluate(f"{VISIBLE_ROWS}.map(r => Math.abs(r.dataset.c - r.dataset.b))")
    button.click()
    up = page.evaluate(f"{VISIBLE_ROWS}.map(r => Math.abs(r.dataset.c - r.dataset.b))")
    page.locator("th[data-sort=i] button").click()

    assert down == sorted(down, reverse=True)
    assert up == sorted(up)
    assert page.evaluate(f"{VISIBLE_ROWS}.map(r => r.id)") == before
    assert page.locator("th[data-sort=i]").get_attribute("aria-sort") == "ascending"


def test_a_folded_stretch_opens_into_its_repetitions_which_add_up(show, train):
    page = show(train).page
    fold = page.locator("tbody.fold").first
    times = int(fold.get_attribute("data-times"))
    sums = fold.evaluate("f => [...f.querySelectorAll('tr[data-m]')].map(r => [+r.dataset.b, +r.dataset.c])")
    fold.locator(".unfold").click()
    each = fold.evaluate("f => [...f.nextElementSibling.rows].map(r => [+r.dataset.m, +r.dataset.b, +r.dataset.c])")

    assert len(each) == times * len(sums)
    assert [m for m, _, _ in each] == list(range(each[0][0], each[0][0] + len(each)))
    for at, (before, after) in enumerate(sums):
        assert sum(row[1] for row in each[at :: len(sums)]) == before
        assert sum(row[2] for row in each[at :: len(sums)]) == after
    fold.locator(".unfold").click()
    assert page.evaluate("document.querySelector('tbody.each').hidden")


def test_a_row_opens_its_details(show, mlp):
    page = show(mlp).page
    button = page.locator("tr[data-r=fused] .open")
    button.press("Enter")
    detail = page.locator("tr.detail").inner_text()

    assert button.get_attribute("aria-expanded") == "true"
    for text in ("several kernels became fewer", "aten::gelu", "triton_poi_fused__unsafe_view_gelu_mul_0", "100.7 MB"):
        assert text in detail
    button.press("Enter")
    assert page.locator("tr.detail").count() == 0


def picture_point(page, label: str) -> tuple[float, float]:
    page.evaluate("document.querySelector('.stage').scrollIntoView({block: 'center'})")
    box = page.locator(".labels svg", has_text=label).first.bounding_box()
    assert box is not None
    return box["x"] + 8, box["y"] + 8


def test_hover_names_an_event_and_a_click_goes_to_its_row(show, mlp):
    page = show(mlp).page
    page.mouse.move(*picture_point(page, "gelu mul"))
    tip = page.locator(".tip").inner_text()
    page.mouse.down()
    page.mouse.up()

    assert "inductor pointwise" in tip
    assert "fused" in tip
    assert "aten gelu_tanh" in tip
    assert page.evaluate("document.querySelector('.r-hit').dataset.r") == "fused"
    assert page.evaluate("document.activeElement.closest('tr').dataset.r") == "fused"


def test_hover_over_the_cpu_lane_names_the_call(show, mlp):
    page = show(mlp).page
    page.evaluate("document.querySelector('.stage').scrollIntoView({block: 'center'})")
    box = page.locator(".canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + 54)

    assert "CPU, " in page.locator(".tip").inner_text()


def test_zoom_by_wheel_keeps_what_is_under_the_pointer_and_drag_moves_it(show, mlp):
    page = show(mlp).page
    width = "document.querySelector('.labels svg').width.baseVal.value"
    at = picture_point(page, "gelu")
    before = page.evaluate(width)
    page.mouse.move(*at)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    page.wait_for_function(f"before => {width} > before * 1.2", arg=before)
    page.mouse.move(at[0] + 1, at[1])
    tip = page.locator(".tip").inner_text()
    places = "[...document.querySelectorAll('.grid text')].map(t => t.textContent + t.getAttribute('x'))"
    ticks = page.evaluate(places)
    page.mouse.down()
    page.mouse.move(at[0] - 120, at[1], steps=4)
    page.mouse.up()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    moved = page.evaluate(places)
    page.locator(".tools [data-do=all]").click()
    page.wait_for_function(f"before => Math.abs({width} - before) < 1", arg=before)

    assert "gelu" in tip
    assert moved != ticks


def test_the_picture_is_used_by_keyboard_alone(show, mlp):
    page = show(mlp).page
    page.locator(".stage").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    first = page.locator(".live").inner_text()
    page.keyboard.press("ArrowDown")
    other = page.locator(".live").inner_text()
    page.keyboard.press("+")
    page.keyboard.press("0")
    page.keyboard.press("Enter")

    assert "baseline" in first
    assert "gelu" in first
    assert "candidate" in other
    assert page.evaluate("document.activeElement.closest('tr').dataset.r") == "fused"


def test_a_link_to_a_name_opens_its_explanation(show, mlp):
    page = show(mlp).page
    page.locator("table.events p a", has_text="nvjet").first.click()
    page.wait_for_function("() => document.querySelector('details.name:target')?.open")

    assert "pipeline stages" in page.locator("details.name:target").inner_text()


def test_a_change_in_the_head_leads_to_its_row(show, train):
    page = show(train).page
    page.locator(".top a").nth(1).click()

    assert page.locator("tr.r-hit").count() == 1
    assert page.evaluate("document.querySelector('tr.r-hit').getBoundingClientRect().top") < 900


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_names_show_as_text_in_table_details_and_tooltip(show, what):
    page = show(html.render([hostile()])).page
    wanted = " ".join(terminal(HOSTILE[what]).split())[:40]
    for button in page.locator("table.events .open").all():
        button.click()
    texts = page.evaluate("[...document.querySelectorAll('table.events')].map(e => e.textContent).join(' ')")

    assert wanted in " ".join(texts.split())
    assert (
        page.evaluate(
            "document.querySelectorAll('table.events script, table.events [onmouseover], table.events b b').length"
        )
        == 0
    )


def test_page_reads_with_script_switched_off(context, tmp_path, mlp):
    browser = context.browser or context
    path = tmp_path / "page.html"
    path.write_text(mlp.replace("<script>", "<script type='text/plain'>"), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())

    assert page.locator(".needs-script:visible").count() == 0
    assert page.locator("table.events tr[data-m]:visible").count() == 4
    assert page.locator(".block").count() == 2
    assert page.locator(".labels svg").count() > 4
    page.close()


def test_thousands_of_events_are_a_few_shapes_and_a_few_rows(show):
    text = html.render([large()])
    page = show(text).page

    assert page.locator(".shapes path").count() < 20
    assert page.evaluate("document.querySelectorAll('*').length") < 12_000
    assert page.evaluate(f"{VISIBLE_ROWS}.length") < 100


def test_of_a_long_table_only_what_is_near_the_window_is_laid_out(show):
    page = show(html.render([irregular()])).page
    rows = page.evaluate("document.querySelectorAll('table.events tr[data-m]').length")
    shown = "document.querySelectorAll('table.events tr[data-m]').values().filter(r => r.checkVisibility({contentVisibilityAuto: true})).toArray().length"
    before = page.evaluate(shown)
    page.evaluate("document.querySelector('table.events tbody:last-of-type tr:last-child').scrollIntoView()")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    assert rows > 600
    assert before < 300
    assert page.evaluate(
        "document.querySelector('table.events tbody:last-of-type tr:last-child').checkVisibility({contentVisibilityAuto: true})"
    )


def test_print_hides_the_controls_and_opens_what_is_folded(show, mlp):
    page = show(mlp).page
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    assert page.locator(".bar:visible").count() == 0
    assert page.locator(".filters:visible").count() == 0
    assert page.locator("details.drawer:not([open])").count() == 0


def test_several_comparisons_keep_their_scripts_apart(show):
    page = show(html.render([fusion(), fusion()])).page
    page.locator("#d1-events .open").first.click()

    assert page.locator("#d1-events tr.detail").count() == 1
    assert page.locator("#d0-events tr.detail").count() == 0
