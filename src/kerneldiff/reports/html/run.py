"""One run as the values that its page lays out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from markupsafe import Markup

from kerneldiff.notes import Note
from kerneldiff.profiles.explained import Epilogue
from kerneldiff.profiles.limits import Limit, Limits
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.reports import phrases
from kerneldiff.reports.escape import json_in_page
from kerneldiff.reports.html import calls, names, sections, views
from kerneldiff.reports.html.data import script_data
from kerneldiff.reports.html.picture import Picture, picture_of
from kerneldiff.units import bytes_text, time_text

MOST_KERNELS = 200
_PLACES = {
    "gemm-epilogue": "in the product's epilogue",
    "one-kernel": "in the one kernel that ran",
    "copied-and-accumulated": "copied into the output, then accumulated on",
    "split-k-reduction": "in the split-k reduction",
    "separate-kernel": "in a kernel of its own",
    "unknown": "not known",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """Alike GPU events of the step, added up; ``share`` of the step's GPU time in percent."""

    text: str
    name: int | None
    calls: int
    time: str
    share: float
    bandwidth: str
    rate: str
    limiter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where bias or activation of some alike products was done."""

    what: str
    operator: str
    place: str
    count: int
    saves: str
    proof: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """All of one run."""

    prefix: str
    run: views.Run
    figures: tuple[tuple[str, str], ...]
    picture: Picture | None
    kernels: tuple[Kernel, ...]
    more_kernels: int
    places: tuple[Place, ...]
    tree: calls.Tree | None
    rewrites: tuple[calls.View, ...]
    chains: tuple[sections.Chain, ...]
    more_chains: int
    names: tuple[names.Name, ...]
    more_names: int
    notes: tuple[Note, ...]
    data: Markup


def run_page_view(run: Profile, limits: Limits | None) -> RunView:
    """Gather the values of one run."""
    numbers = names.numbers((run,))
    picture = picture_of((run,), ())
    kernels, more_kernels = _kernels(run, limits, numbers)
    chains, more_chains = sections.chains((run,))
    explained, more_names = names.explained((run,))
    return RunView(
        prefix="r-",
        run=views.run_view("run", run),
        figures=tuple(_figures(run, limits)),
        picture=picture,
        kernels=tuple(kernels),
        more_kernels=more_kernels,
        places=tuple(_places(run)),
        tree=calls.tree(run),
        rewrites=tuple(calls.views((run,))),
        chains=tuple(chains),
        more_chains=more_chains,
        names=tuple(explained),
        more_names=more_names,
        notes=run.notes,
        data=json_in_page(script_data((run,), (), picture, numbers)),
    )


def _figures(run: Profile, limits: Limits | None) -> list[tuple[str, str]]:
    """List what sets the pace, in a few figures."""
    figures: list[tuple[str, str]] = [("sets the pace, profiled", run.bound)]
    pace = run.explained.pace if run.explained else None
    if pace is not None:
        if pace.step_ns is not None:
            figures.append(("step time", time_text(pace.step_ns)))
        if pace.busy_share is not None:
            figures.append(("GPU busy in a step", f"{100 * pace.busy_share:.0f} %"))
        figures.append(("GPU busy, idle", f"{time_text(pace.busy_ns)}, {time_text(pace.idle_ns)}"))
        figures += [(f"idle: {cause.replace('-', ' ')}", time_text(spent)) for cause, spent in pace.gap_ns[:4]]
        if pace.delays_ns is not None:
            figures.append(("launch to start, median", time_text(pace.delays_ns[0])))
    if limits is not None and limits.limiter != "unknown":
        figures.append(("limits most GPU time", limits.limiter))
    return figures


def _kernels(run: Profile, limits: Limits | None, numbers: dict[str, int]) -> tuple[list[Kernel], int]:
    groups: dict[str, list[tuple[GpuEvent, Limit]]] = {}
    judged = limits.events if limits is not None else (Limit(),) * len(run.events)
    for event, limit in zip(run.events, judged, strict=True):
        groups.setdefault(phrases.event_text(event), []).append((event, limit))
    total = sum(event.gpu_ns for event in run.events) or 1
    ranked = sorted(groups.items(), key=lambda item: (-sum(event.gpu_ns for event, _ in item[1]), item[0]))
    return [_kernel(text, found, total, numbers) for text, found in ranked[:MOST_KERNELS]], max(
        0, len(ranked) - MOST_KERNELS
    )


def _kernel(text: str, found: list[tuple[GpuEvent, Limit]], total: int, numbers: dict[str, int]) -> Kernel:
    spent = sum(event.gpu_ns for event, _ in found)
    longest = max(found, key=lambda one: one[0].gpu_ns)[1]
    return Kernel(
        text=text,
        name=numbers.get(found[0][0].name),
        calls=len(found),
        time=time_text(spent),
        share=round(100 * spent / total, 2),
        bandwidth=_of_peak(
            None if longest.bandwidth is None else f"{bytes_text(longest.bandwidth)}/s", longest.memory_share
        ),
        rate=_of_peak(None if longest.rate is None else f"{longest.rate / 1e12:.1f} TFLOP/s", longest.compute_share),
        limiter="" if longest.limiter == "unknown" else longest.limiter,
    )


def _of_peak(text: str | None, share: float | None) -> str:
    if text is None:
        return ""
    return text if share is None else f"{text} ({100 * share:.0f} %)"


def _places(run: Profile) -> list[Place]:
    """List where bias and activation of the products were done, alike ones together."""
    found = run.explained.epilogues if run.explained else ()
    counts = Counter((one.what, one.operator, one.place) for one in found)
    first: dict[tuple[str, str, str], Epilogue] = {}
    for one in found:
        first.setdefault((one.what, one.operator, one.place), one)
    return [
        Place(
            what=what,
            operator=operator,
            place=_PLACES.get(place, place),
            count=count,
            saves=bytes_text(saved) if (saved := first[what, operator, place].bytes_to_save) else "",
            proof=first[what, operator, place].proof,
        )
        for (what, operator, place), count in counts.most_common()
    ]
