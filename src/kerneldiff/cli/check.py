"""``kerneldiff check``: lock files, expectations and the comparison gate."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kerneldiff.checks.model import Outcome

_EXIT = {"passed": 0, "failed": 1, "inconclusive": 3}


@click.command(
    name="check",
    epilog="Exit status: 0 passed, 1 findings, 3 inconclusive or unproven (--inconclusive settles it), 2 when it could not be done.",
)
@click.argument("runs", nargs=-1, required=True, metavar="TRACE | BASELINE CANDIDATE")
@click.option("--lock", "lock", metavar="FILE", help="Hold TRACE against a lock file.")
@click.option("--other-device", is_flag=True, help="Compare with a lock of another device all the same.")
@click.option("--allow", multiple=True, metavar="KIND", help="Allow a kind of change (repeatable).")
@click.option("--inconclusive", type=click.Choice(["pass", "fail"]), help="Count what could not be decided as this.")
@click.option("--all", "everything", is_flag=True, help="Show every finding.")
def command(runs: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click
    """Check a trace against a lock file or expectations, or a candidate against a baseline."""
    outcome = _outcome(runs, options)
    from kerneldiff.reports import checks_text  # noqa: PLC0415 - start-up of --help

    checks_text.show(outcome, sys.stdout, everything=options["everything"])
    status: str = outcome.status
    if status == "inconclusive" and options["inconclusive"]:
        status = {"pass": "passed", "fail": "failed"}[options["inconclusive"]]
    raise click.exceptions.Exit(_EXIT[status])


def _outcome(runs: tuple[str, ...], options: Mapping[str, Any]) -> Outcome:
    from kerneldiff.checks.gate import check_lock  # noqa: PLC0415
    from kerneldiff.checks.locks import compare_with_lock, read  # noqa: PLC0415
    from kerneldiff.checks.policy import policy_of  # noqa: PLC0415
    from kerneldiff.checks.rules import CODES  # noqa: PLC0415
    from kerneldiff.cli.inputs import read_text  # noqa: PLC0415
    from kerneldiff.pipeline import load  # noqa: PLC0415

    policy = policy_of({"allow": list(options["allow"])} if options["allow"] else {}, where="--allow", codes=CODES)
    lock = read(read_text(options["lock"]), where=options["lock"])
    diff = compare_with_lock(lock, load(runs[0]), where=options["lock"], other_device=options["other_device"])
    return check_lock(diff, policy)
