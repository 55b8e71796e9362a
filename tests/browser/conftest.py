"""A real browser, headless and without network; the tests skip, saying why, where there is none."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "unit" / "reports"))

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(slots=True)
class Opened:
    """A page in the browser, with what it asked of the network and what it logged."""

    page: object
    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        pytest.skip("playwright is not installed (requirements-test.txt)")
    if BROWSER is None:
        pytest.skip("no Chromium here; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        try:
            made = playwright.chromium.launch_persistent_context(
                str(tmp_path_factory.mktemp("profile")),
                executable_path=BROWSER,
                headless=True,
                args=FLAGS,
                offline=True,
                reduced_motion="reduce",
                viewport={"width": 1280, "height": 900},
            )
        except Error as error:
            pytest.skip(f"Chromium does not start here: {str(error).splitlines()[0]}")
        yield made
        made.close()


@pytest.fixture
def show(context, tmp_path) -> Iterator[Callable[..., Opened]]:
    """Open a page from disk: ``show(text)``; fails at the end when anything was asked or logged."""
    opened: list[Opened] = []

    def open_page(text: str, *, width: int = 1280, height: int = 900, theme: str = "light") -> Opened:
        path = tmp_path / f"page{len(opened)}.html"
        path.write_text(text, encoding="utf-8")
        one = Opened(page=context.new_page())
        one.page.set_viewport_size({"width": width, "height": height})
        one.page.emulate_media(color_scheme=theme)
        one.page.on("request", lambda request: one.requests.append(request.url))
        one.page.on("console", lambda message: one.messages.append(message.text))
        one.page.on("pageerror", lambda error: one.messages.append(str(error)))
        one.page.on("dialog", lambda dialog: one.messages.append(f"dialog {dialog.message}"))
        one.page.goto(path.as_uri())
        # One frame, so that the script has drawn.
        one.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        opened.append(one)
        return one

    yield open_page
    for one in opened:
        asked = [url for url in one.requests if not url.startswith("data:")]
        one.page.close()
        assert len(asked) == 1
        assert asked[0].startswith("file:")
        assert one.messages == []
