"""A comparison, or one run, as the values that the templates lay out."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from kerneldiff.diffs.model import Diff, Incomparable, Verdict
from kerneldiff.notes import Note
from kerneldiff.profiles.model import Profile
from kerneldiff.reports import phrases
from kerneldiff.reports.escape import json_in_page
from kerneldiff.reports.html import calls, charts, names, rows, sections
from kerneldiff.reports.html.data import script_data
from kerneldiff.reports.html.picture import Picture, of_diff
from kerneldiff.reports.text.setups import changed, stayed
from kerneldiff.units import time_text

WORK_WORDS = {
    "same": "is the same",
    "changed": "changed",
    "unproven": "is not proved equal",
    "unknown": "is not known",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run in the head of the page."""

    who: str
    name: str
    paths: tuple[str, ...]
    facts: tuple[str, ...]
    kernels: str
    others: int
    gpu: str
    bound: str
    busy: str | None
    coverage: str | None
    environment: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView:
    """All of one comparison; ``prefix`` keeps the anchors of several comparisons on a page apart."""

    prefix: str
    verdict: Verdict
    work: str
    points: tuple[str, ...]
    subject: str
    changed: str
    stayed: str
    runs: tuple[Run, Run]
    times: tuple[charts.TimeRow, ...]
    kinds: tuple[sections.Kind, ...]
    changes: tuple[sections.Change, ...]
    more_changes: int
    picture: Picture | None
    table: rows.Table
    fusions: tuple[sections.Change, ...]
    more_fusions: int
    waterfalls: tuple[charts.Waterfall, ...]
    operators: tuple[sections.Operator, ...]
    more_operators: int
    trees: tuple[calls.Tree | None, ...]
    rewrites: tuple[calls.View, ...]
    chains: tuple[sections.Chain, ...]
    more_chains: int
    names: tuple[names.Name, ...]
    more_names: int
    differences: tuple[Incomparable, ...]
    comparable: bool
    notes: tuple[Note, ...]
    data: Markup


def diff_view(diff: Diff, prefix: str) -> DiffView:
    """Gather the values of one comparison."""
    runs = (diff.baseline, diff.candidate)
    numbers = names.numbers(runs)
    picture = of_diff(diff)
    changes, more_changes = sections.top_changes(diff)
    fusions, more_fusions = sections.fusions(diff)
    operators, more_operators = sections.operators(diff)
    chains, more_chains = sections.chains(runs)
    explained, more_names = names.explained(runs)
    return DiffView(
        prefix=prefix,
        verdict=diff.verdict,
        work=WORK_WORDS[diff.verdict.gpu_work],
        points=tuple(phrases.points(diff)),
        subject=phrases.subject(diff),
        changed="; ".join(changed(diff)),
        stayed="; ".join(stayed(diff)),
        runs=(run_view("baseline", diff.baseline), run_view("candidate", diff.candidate)),
        times=tuple(charts.time_rows(diff.times)),
        kinds=tuple(sections.kinds(diff)),
        changes=tuple(changes),
        more_changes=more_changes,
        picture=picture,
        table=rows.event_table(diff, numbers),
        fusions=tuple(fusions),
        more_fusions=more_fusions,
        waterfalls=tuple(charts.waterfalls_of(diff)),
        trees=tuple(calls.tree(run) for run in runs),
        rewrites=tuple(calls.views(runs)),
        operators=tuple(operators),
        more_operators=more_operators,
        chains=tuple(chains),
        more_chains=more_chains,
        names=tuple(explained),
        more_names=more_names,
        differences=diff.comparable.differences,
        comparable=diff.comparable.ok,
        notes=diff.notes,
        data=json_in_page(script_data(runs, diff.matches, picture, numbers)),
    )


def run_view(who: str, run: Profile) -> Run:
    """Gather the head of one run."""
    return Run(
        who=who,
        name=phrases.run_name(run),
        paths=run.paths,
        facts=tuple(phrases.run_facts(run)),
        kernels=phrases.kernels_text(run),
        others=len(run.events) - run.kernels,
        gpu=time_text(sum(event.gpu_ns for event in run.events)),
        bound=run.bound,
        busy=_busy(run),
        coverage=_coverage(run),
        environment=run.environment,
        missing=run.missing,
    )


def _coverage(run: Profile) -> str | None:
    """Say what share of the file's GPU time lies in steps, None for a file without GPU time."""
    whole = run.coverage.gpu_ns
    return f"{100 * run.coverage.gpu_ns_in_steps / whole:.1f} %" if whole else None


def _busy(run: Profile) -> str | None:
    """Say in what share of the step time the GPU was busy, None where that is not known."""
    pace = run.explained.pace if run.explained else None
    return None if pace is None or pace.busy_share is None else f"{100 * pace.busy_share:.0f} %"
