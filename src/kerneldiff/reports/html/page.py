"""The frame of a page: templates, the one style, the one script, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kerneldiff import __version__
from kerneldiff.reports.escape import html_attribute, html_text


def fill(template: str, **values: object) -> str:
    """Render a template to a whole page."""
    style, script = _asset("page.css"), _asset("page.js")
    return (
        _environment()
        .get_template(template)
        .render(
            **values,
            style=Markup(style),  # noqa: S704 - our own files
            script=Markup(script),  # noqa: S704
            policy=policy(style, script),
            version=__version__,
        )
    )


def policy(style: str, script: str) -> str:
    """Write the Content-Security-Policy: this style and this script, and nothing from anywhere."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """Make the environment: every value passes through the one escaping function for HTML text."""
    environment = Environment(
        loader=PackageLoader("kerneldiff.reports.html", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters["attribute"] = html_attribute
    return environment


def _shown(value: object) -> object:
    """Escape a value for the page; what is markup already stays."""
    if value is None:
        return ""
    return html_text(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@lru_cache(maxsize=4)
def _asset(name: str) -> str:
    text = (files("kerneldiff.reports.html") / "assets" / name).read_text(encoding="utf-8")
    return "\n" + text.strip() + "\n"


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
