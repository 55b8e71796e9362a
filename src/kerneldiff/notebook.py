"""Rich display in notebooks: importing this module gives comparisons, runs and decoded names an HTML form.

The values themselves never draw: without this import they show as plain text. ``%load_ext kerneldiff.notebook``
does the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kerneldiff.diffs.model import Diff
from kerneldiff.names.model import KernelName
from kerneldiff.profiles.model import Profile
from kerneldiff.reports.html.fragments import diff_fragment, name_fragment, run_fragment

FORMS: Final[tuple[tuple[type, Callable[[Any], str]], ...]] = (
    (Diff, diff_fragment),
    (Profile, run_fragment),
    (KernelName, name_fragment),
)


def register() -> None:
    """Give each kind of value the method that notebooks ask for."""
    for kind, form in FORMS:
        setattr(kind, _METHOD, form)


def load_ipython_extension(ipython: object) -> None:  # noqa: ARG001 - the signature is IPython's
    """Do the same for ``%load_ext``."""
    register()


_METHOD: Final = "_repr_html_"
register()
