"""One run in a test: counts, and questions with readable answers."""

from __future__ import annotations

from kerneldiff.checks import facts
from kerneldiff.checks.describing import event_text, match_text, sides
from kerneldiff.diffs.model import Diff
from kerneldiff.pipeline import compare
from kerneldiff.profiles.model import GpuEvent, Profile
from kerneldiff.pytest_plugin.answers import Answer
from kerneldiff.reports.escape import terminal


class Recorded:
    """A recorded or loaded run; all counts are of its representative step."""

    def __init__(self, profile: Profile) -> None:
        """Wrap a run; ``profile`` holds everything that is known of it."""
        self.profile = profile

    def __repr__(self) -> str:
        where = self.profile.paths[0].rpartition("/")[2]
        what = "CPU kernels" if facts.on_cpu(self.profile) else "kernels"
        return f"<run {terminal(where)}: {self.kernels} {what}, {self.copies} copies, {self.sets} sets a step>"

    @property
    def events(self) -> tuple[GpuEvent, ...]:
        """GPU events in launch order."""
        return self.profile.events

    @property
    def kernels(self) -> int:
        """Number of kernels; copies and sets do not count. Of a program on the CPU, the CPU's."""
        return sum(event.kind in ("kernel", "cpu_kernel") for event in self.events)

    @property
    def copies(self) -> int:
        """Number of memory copies."""
        return sum(event.kind == "memcpy" for event in self.events)

    @property
    def sets(self) -> int:
        """Number of memory sets."""
        return sum(event.kind == "memset" for event in self.events)

    @property
    def gemms(self) -> int:
        """Number of matrix products."""
        return len(facts.gemms(self.profile))

    @property
    def labels(self) -> tuple[str, ...]:
        """What ran, one decoded label an event."""
        return tuple(event_text(event) for event in self.events)

    def launches(self, operator: str) -> int:
        """Count the GPU events that an operator launched, itself or by operators inside it."""
        return len(facts.launched_by(self.profile, operator))

    def calls(self, operator: str) -> int:
        """Count the calls of an operator on the CPU."""
        return facts.calls(self.profile, operator)

    def fused(self, *operators: str) -> Answer:
        """Ask whether one kernel does the work of all these operators (``fused("gelu", "mul")``)."""
        shown = " and ".join(operators)
        if not facts.work_recorded(self.profile):
            return Answer(False, f"no GPU events were recorded, so nothing shows where {shown} ran", decided=False)
        found = facts.fused(self.profile, operators)
        if found:
            return Answer(True, f"{event_text(self.events[found[0]])} does {shown}")
        apart = [
            f"{operator} in {', '.join(event_text(self.events[i]) for i in at[:3])}" if at else f"{operator} nowhere"
            for operator in operators
            for at in [facts.doing(self.profile, operator)]
        ]
        return Answer(False, f"no one kernel does {shown}: {'; '.join(apart)}")

    def same_gpu_work_as(self, other: Recorded | Profile) -> Answer:
        """Ask whether the GPU did the same work in another run; what is not proved is no, with the reason.

        Of two runs on the CPU, whether the CPU did.
        """
        diff = compare(other if isinstance(other, Profile) else other.profile, self.profile)
        changed = [match for match in diff.matches if match.relation not in ("same", "unproven")]
        if not changed:
            return self._not_changed(diff)
        said = [f"{match.relation}: {match_text(match, *sides(diff, match))}" for match in changed]
        more = f" ... and {len(said) - 3} more" if len(said) > 3 else ""
        return Answer(False, f"{'; '.join(said[:3])}{more}")

    def _not_changed(self, diff: Diff) -> Answer:
        """Answer where no match changed: proved, or not."""
        on_cpu = facts.on_cpu(diff.baseline) and facts.on_cpu(diff.candidate)
        open_ = tuple(dict.fromkeys(match.reason for match in diff.matches if match.reason))
        if diff.verdict.gpu_work == "same" or (on_cpu and not open_):
            return Answer(True, diff.verdict.summary)
        reasons = open_ if on_cpu else diff.verdict.reasons
        return Answer(False, "; ".join(reasons) or diff.verdict.summary, decided=False)
