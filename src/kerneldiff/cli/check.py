"""``kerneldiff check``: lock files, expectations and the comparison gate."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kerneldiff.checks.model import Outcome
    from kerneldiff.checks.policy import Policy

# Flags that judge a comparison of two traces, and those that judge one with a lock.
_OF_TWO = ("slower-gpu", "slower-step", "more-launches", "select", "ignore")
_OF_LOCK = ("allow", "other-device")
_EXIT = {"passed": 0, "failed": 1, "inconclusive": 3}


@click.command(
    name="check",
    epilog="Exit status: 0 passed, 1 findings, 3 inconclusive or unproven (--inconclusive settles it), "
    "2 when it could not be done.",
)
@click.argument("runs", nargs=-1, required=True, metavar="TRACE | BASELINE CANDIDATE")
@click.option("--lock", metavar="FILE", help="Hold TRACE against a lock file.")
@click.option("--expect", metavar="FILE", help="Hold TRACE against a file of expectations.")
@click.option("--policy", metavar="FILE", help="A policy; else [tool.kerneldiff] of the nearest pyproject.toml.")
@click.option("--allow", multiple=True, metavar="KIND", help="Allow a kind of change (repeatable), and no other.")
@click.option("--slower-gpu", metavar="LIMIT", help="How much longer GPU time may be, such as 5%.")
@click.option("--slower-step", metavar="LIMIT", help="How much longer a step may take, such as 10%.")
@click.option("--more-launches", metavar="LIMIT", help="How many more GPU events a step may have: 2, or 5%.")
@click.option("--select", multiple=True, metavar="RULE", help="Apply these rules only (repeatable).")
@click.option("--ignore", multiple=True, metavar="RULE", help="Do not apply this rule (repeatable).")
@click.option("--other-device", is_flag=True, help="Compare with a lock of another device all the same.")
@click.option("--inconclusive", type=click.Choice(["pass", "fail"]), help="Count what could not be decided as this.")
@click.option("--junit", metavar="FILE", help="Write the outcome as JUnit XML to FILE, or - for stdout.")
@click.option("--github", is_flag=True, help="Write annotations, and the job summary to $GITHUB_STEP_SUMMARY.")
@click.option("--all", "everything", is_flag=True, help="Show every finding.")
def command(runs: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click
    """Check a trace against a lock file or expectations, or a candidate against a baseline.

    kerneldiff explain CODE says what a rule looks for.
    """
    outcome = _outcome(runs, options)
    _write(outcome, options)
    status: str = outcome.status
    if status == "inconclusive" and options["inconclusive"]:
        status = {"pass": "passed", "fail": "failed"}[options["inconclusive"]]
    raise click.exceptions.Exit(_EXIT[status])


def _write(outcome: Outcome, options: Mapping[str, Any]) -> None:
    """Write the outcome everywhere it is wanted."""
    from kerneldiff.cli.output import write  # noqa: PLC0415 - start-up of --help
    from kerneldiff.reports import checks_text, github, junit  # noqa: PLC0415

    if options["junit"]:
        write(options["junit"], junit.render(outcome, inconclusive=options["inconclusive"]))
    if options["github"]:
        click.echo(github.shielded(checks_text.plain(outcome, everything=options["everything"])), nl=False)
        click.echo(github.commands(outcome), nl=False)
        _append_summary(outcome)
    elif options["junit"] != "-":
        checks_text.show(outcome, sys.stdout, everything=options["everything"])


def _append_summary(outcome: Outcome) -> None:
    """Append to the job summary, which may hold the words of earlier commands of the step."""
    from kerneldiff.errors import KerneldiffError  # noqa: PLC0415
    from kerneldiff.reports import github  # noqa: PLC0415

    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if not target:
        click.echo("kerneldiff: no job summary written, since GITHUB_STEP_SUMMARY is not set", err=True)
        return
    path = Path(target)
    try:
        used = path.stat().st_size if path.exists() else 0
        with path.open("a", encoding="utf-8") as file:
            file.write(github.summary(outcome, budget=max(8_000, github.SUMMARY_BYTES - used)))
    except OSError as error:
        msg = f"{target}: the job summary cannot be written ({error.strerror or error})"
        raise KerneldiffError(msg) from error


def _outcome(runs: tuple[str, ...], options: Mapping[str, Any]) -> Outcome:
    if options["lock"] or options["expect"]:
        if len(runs) != 1:
            msg = "--lock and --expect take one TRACE"
            raise click.UsageError(msg)
        _refuse_flags(options, _OF_TWO if options["lock"] else (*_OF_TWO, *_OF_LOCK), "says nothing about one TRACE")
        return _of_one(runs[0], options)
    if len(runs) != 2:
        msg = "give a BASELINE and a CANDIDATE, or one TRACE with --lock or --expect"
        raise click.UsageError(msg)
    _refuse_flags(options, ("other-device",), "needs --lock")
    policy = _policy(options)
    from kerneldiff.checks.gate import check_diff  # noqa: PLC0415
    from kerneldiff.pipeline import compare  # noqa: PLC0415

    return check_diff(compare(*runs), policy)


def _refuse_flags(options: Mapping[str, Any], flags: tuple[str, ...], why: str) -> None:
    """Refuse flags that would have no effect: who gives one believes that it is checked."""
    for flag in flags:
        if options[flag.replace("-", "_")]:
            msg = f"--{flag} {why}"
            raise click.UsageError(msg)


def _of_one(trace: str, options: Mapping[str, Any]) -> Outcome:
    """Check one run; what is wrong with the files to hold it against is said before the trace is read."""
    from kerneldiff.checks.expectations import expectations_of, judge  # noqa: PLC0415
    from kerneldiff.checks.gate import check_lock  # noqa: PLC0415
    from kerneldiff.checks.locks import compare_with_lock, read  # noqa: PLC0415
    from kerneldiff.checks.model import joined  # noqa: PLC0415
    from kerneldiff.cli.inputs import read_text, read_toml  # noqa: PLC0415
    from kerneldiff.pipeline import load  # noqa: PLC0415

    where, expect = options["lock"], options["expect"]
    lock = read(read_text(where), where=where) if where else None
    policy = _policy(options)
    expected = expectations_of(read_toml(expect), where=expect) if expect else None
    run = load(trace)
    outcomes = []
    if lock is not None:
        diff = compare_with_lock(lock, run, where=where, other_device=options["other_device"])
        outcomes.append(check_lock(diff, policy))
    if expected is not None:
        outcomes.append(judge(run, expected))
    return joined(outcomes)


def _policy(options: Mapping[str, Any]) -> Policy:
    """Read the policy: the file's settings, then the flags in their place."""
    from kerneldiff.checks.policy import KEYS, policy_of  # noqa: PLC0415
    from kerneldiff.checks.rules import CODES  # noqa: PLC0415
    from kerneldiff.cli.inputs import find_settings  # noqa: PLC0415

    where, table = find_settings(options["policy"])
    policy_of(table, where=where, codes=CODES)
    if options["lock"]:
        table = {key: value for key, value in table.items() if key == "allow"}  # a lock is judged by that alone
    given = {key: value for key in KEYS if (value := options[key.replace("-", "_")])}
    settings = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}
    if not settings:
        return policy_of(table, where=where, codes=CODES)
    flags = ", ".join(f"--{key}" for key in settings)
    return policy_of({**table, **settings}, where=f"{where} with {flags}" if table else flags, codes=CODES)
