"""KD100 changed-work: the GPU work changed in a way that is not allowed.

What it does
    Lists every match whose relation or facet is a kind of change that ``allow`` does not name. Without ``allow``
    a comparison of two traces may bring any change, and a lock file none.

Why it matters
    An upgrade of PyTorch, CUDA, a driver or a model can choose other kernels without anybody asking for it.

Example
    expected  nvjet gemm bf16 tn 256x128x64 s4 · mm
    found     nvjet gemm bf16 tn 128x256x64 s4 · mm
    tile: 256x128x64 -> 128x256x64

What to do
    If the change is wanted, write the lock anew (``kerneldiff lock TRACE -o FILE``) or allow its kind
    (``allow = ["reselected"]``). If not, look at what else changed: versions are in the notes.
"""

from __future__ import annotations

from kerneldiff.checks.describing import match_finding
from kerneldiff.checks.facts import on_cpu
from kerneldiff.checks.model import Finding, Judged
from kerneldiff.checks.policy import Policy
from kerneldiff.checks.rules.model import Rule, gpu_unknown
from kerneldiff.diffs.model import Diff, Match


def _judge(diff: Diff, policy: Policy) -> Judged:
    if policy.allow is None:
        return Judged()
    if (unknown := gpu_unknown(diff)) is not None:
        return unknown
    findings = [match_finding(diff, match) for match in diff.matches if _kinds(match) - set(policy.allow)]
    if "captured" in diff.verdict.changes and "captured" not in policy.allow:
        who = ["replays a graph" if run.captured else "launches each kernel" for run in (diff.baseline, diff.candidate)]
        findings.append(Finding(text="only one side replays a graph", expected=(who[0],), found=(who[1],)))
    # Of two runs on the CPU there is no verdict on GPU work; their matches are all there is to say.
    reasons = () if on_cpu(diff.baseline) and on_cpu(diff.candidate) else diff.verdict.reasons
    reasons = reasons or tuple(dict.fromkeys(match.reason for match in diff.matches if match.reason))
    return Judged(findings=tuple(findings), open=reasons)


def _kinds(match: Match) -> set[str]:
    return ({match.relation} - {"same", "unproven"}) | set(match.facets)


RULE = Rule(code="KD100", name="changed-work", document=__doc__, judge=_judge, limit="allow")
