"""The tree of dispatch chains, and the operators that only rewrote metadata."""

from __future__ import annotations

import pytest
from cpu_traces import call, gpu, note, op, run_of, step, trace_of

from kerneldiff.pipeline import load
from kerneldiff.traces.model import Kind


def linear_step(at: float = 0):
    return (
        step(1, at, 100),
        op("aten::linear", at + 10, 60),
        op("aten::t", at + 12, 10),
        op("aten::transpose", at + 14, 6, **{"Input Dims": [[64, 32]], "Input type": ["float"]}),
        op("aten::addmm", at + 30, 30),
        call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", at + 32, 3, link_id=90),
        call("cuLaunchKernelEx", at + 40, 5, link_id=1),
        gpu("nvjet_sm90_tst_64x8_64x16_1x2_h_bz_bias_TNT", at + 50, 3, link_id=1),
    )


def paths(run):
    nodes = run.explained.nodes
    found = {}
    for node in nodes:
        names, at = [node.name], node.parent
        while at >= 0:
            names.append(nodes[at].name)
            at = nodes[at].parent
        found[" > ".join(reversed(names))] = node
    return found


def test_chain_goes_from_the_outermost_operator_to_the_kernel():
    found = paths(run_of(*linear_step()))

    assert list(found) == [
        "aten::linear",
        "aten::linear > aten::t",
        "aten::linear > aten::t > aten::transpose",
        "aten::linear > aten::addmm",
        "aten::linear > aten::addmm > cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        "aten::linear > aten::addmm > cuLaunchKernelEx",
        "aten::linear > aten::addmm > cuLaunchKernelEx > nvjet gemm bf16 tn 64x8x64 s16 +bias",
    ]


def test_own_times_and_launches_of_the_tree_add_up():
    found = paths(run_of(*linear_step()))

    outer = found["aten::linear"]
    assert (outer.calls, outer.own_ns, outer.total_ns, outer.launches, outer.gpu_ns) == (1, 20_000, 60_000, 1, 3_000)
    assert found["aten::linear > aten::addmm"].own_ns == 22_000
    assert found["aten::linear > aten::t"].launches == 0
    assert outer.total_ns == sum(node.own_ns for node in found.values())


def test_calls_of_one_path_are_counted_together_and_of_another_path_apart():
    run = run_of(
        step(1, 0, 100), op("aten::linear", 0, 10), op("aten::t", 2, 2), op("aten::linear", 20, 10), op("aten::t", 22, 2),
        op("aten::t", 40, 2),
    )  # fmt: skip

    found = paths(run)

    assert found["aten::linear > aten::t"].calls == 2
    assert found["aten::t"].calls == 1


@pytest.mark.parametrize("name", ["hf-bert_eager", "train-train_lm_bf16_eager", "modes-mlp_cuda_graph_manual"])
def test_tree_of_a_real_step_holds_every_gpu_event_once(data, name):
    run = load(data / "pairs" / "traces" / f"{name}.json.gz")
    nodes = run.explained.nodes

    leaves = [node for node in nodes if node.kind == "gpu"]
    tops = [node for node in nodes if node.parent < 0]
    assert sum(leaf.calls for leaf in leaves) == len(run.events)
    assert sum(top.gpu_ns for top in tops) == sum(event.gpu_ns for event in run.events)
    assert sum(top.launches for top in tops) == len(run.events)
    assert all(node.parent < index for index, node in enumerate(nodes))


def test_tree_of_a_real_step_holds_every_operator_call(data):
    trace_run = load(data / "pairs" / "traces" / "hf-bert_eager.json.gz")

    by_name: dict[str, int] = {}
    for node in trace_run.explained.nodes:
        if node.kind == "operator":
            by_name[node.name] = by_name.get(node.name, 0) + node.calls
    assert by_name == {stat.operator: stat.calls for stat in trace_run.operators}


def test_events_launched_before_the_recording_stand_under_a_name_of_their_own():
    run = run_of(
        op("aten::mm", 0, 10),
        call("cudaLaunchKernel", 2, 2, link_id=1),
        gpu("k", 5, 3, link_id=1),
        gpu("old", 1, 1, link_id=77),
    )

    assert "launched before the recording > other old" in paths(run) or any(
        path.startswith("launched before the recording") for path in paths(run)
    )


def test_view_operators_are_counted_with_their_time_and_proof():
    views = {view.operator: view for view in run_of(*linear_step()).explained.views}

    assert set(views) == {"aten::t", "aten::transpose"}
    assert (views["aten::t"].calls, views["aten::t"].own_ns, views["aten::t"].copied) == (1, 4_000, 0)
    assert "no GPU event at or below it" in views["aten::t"].proof


def test_an_operator_that_may_copy_is_split_into_calls_that_did_and_did_not():
    run = run_of(
        step(1, 0, 100),
        op("aten::reshape", 10, 10),
        op("aten::view", 12, 2),
        op("aten::reshape", 30, 30),
        op("aten::clone", 35, 20),
        call("cudaLaunchKernel", 40, 2, link_id=1),
        gpu("copy", 45, 5, link_id=1),
    )

    views = {view.operator: view for view in run.explained.views}

    assert (views["aten::reshape"].calls, views["aten::reshape"].copied) == (1, 1)
    assert views["aten::reshape"].own_ns == 8_000
    assert "aten::clone" not in views


def test_strides_before_and_after_come_from_as_strided():
    args = {
        "Input Dims": [[64, 32], [], [], []],
        "Input Strides": [[32, 1], [], [], []],
        "Input type": ["float", "ScalarList", "ScalarList", ""],
        "Concrete Inputs": ["", "[32, 64]", "[1, 32]", ""],
    }
    run = run_of(
        step(1, 0, 100), op("aten::t", 10, 10), op("aten::transpose", 11, 8), op("aten::as_strided", 13, 3, **args)
    )

    view = run.explained.views[0]

    assert view.operator == "aten::t"
    assert [(one.before, one.after, one.calls) for one in view.changes] == [
        ("[64, 32] strides [32, 1]", "[32, 64] strides [1, 32]", 1)
    ]


def test_a_view_says_the_sizes_that_were_asked_for():
    args = {
        "Input Dims": [[64, 128, 768], []],
        "Input Strides": [[98304, 768, 1], []],
        "Input type": ["float", "ScalarList"],
        "Concrete Inputs": ["", "[8192, 768]"],
    }
    run = run_of(step(1, 0, 100), op("aten::reshape", 10, 10), op("aten::view", 12, 3, **args))

    outer, inner = run.explained.views
    assert [(one.before, one.after) for one in inner.changes] == [
        ("[64, 128, 768] strides [98304, 768, 1]", "[8192, 768]")
    ]
    assert outer.changes == inner.changes


def test_views_of_case_01_are_the_operators_that_compiling_removes(data):
    run = load(data / "cases" / "01-linear-eager-vs-compiled" / "eager.json")

    assert [view.operator for view in run.explained.views] == ["aten::t", "aten::transpose", "aten::as_strided"]
    assert all(view.calls == 1 and view.copied == 0 for view in run.explained.views)


def test_steps_marks_are_no_part_of_the_tree():
    run = run_of(step(1, 0, 100), note("forward", 1, 90), op("aten::mm", 10, 10))

    assert list(paths(run)) == ["forward", "forward > aten::mm"]
    assert Kind.ANNOTATION in trace_of(step(1, 0, 100), op("aten::mm", 1, 2)).cpu.kind
