"""The algorithms keep what they promise, and each order, fence and scope in them is there for something."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from dataclasses import replace

import pytest

import algorithms
import table
from scenarios import DOUBTS, SCENARIOS, SUPERFLUOUS


def name(scenario):
    return f"{scenario.algorithm}: {scenario.title}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name)
def test_scenario(scenario):
    result = table.result_of(scenario)
    assert result.can_happen, "nothing of the kind can happen: the scenario is wrong"
    assert result.is_forbidden, "the outcome can happen"
    assert any(is_possible for _, _, is_possible in result.weakened), "the outcome is forbidden whatever is weaker"


def test_what_is_superfluous():
    assert table.superfluous() == set(SUPERFLUOUS)


@pytest.mark.parametrize("doubt", DOUBTS, ids=name)
def test_doubt(doubt):
    assert not algorithms.check(replace(doubt, wider={})).is_forbidden
    assert algorithms.check(doubt).is_forbidden


@pytest.mark.parametrize("home", [0, 1])
def test_a_fence_for_shared_memory_covers_its_own_block(home):
    """Of the thread that copies to several blocks: what it has read itself, or what a thread of another block has read."""
    scenario = algorithms.Scenario(
        "",
        "",
        (
            "cluster_ring_copy_after_fence: wait empty, proxy_fence, arrive full, proxy_fence, proxy_fence, copy source>stage full",
            "read stage; remote_arrive: arrive empty",
        ),
        {"1.stage": "0.copy.write"},
        {"0.wait": "1.arrive"},
        "cluster",
        shared=("stage", "empty", "full"),
        homes={"stage": home},
    )
    result = algorithms.check(scenario)
    assert result.can_happen
    assert result.is_forbidden == (home == 0)


FAULTS = [
    (
        "the wait of a latch does not acquire",
        "backend/atomic/await_value_device.h",
        "  if constexpr (acquires(Order) && !is_at_access) fence<Scope>(target::here{}, memory_order_acquire_t{});\n  return true;\n",
        "  return true;\n",
        "latch: a wait sees",
    ),
    (
        "arrivals at a counter_phase are relaxed",
        "backend/atomic/word_device.h",
        "ptx::atom(sem_on_device<Order>{}, scope, Operation{}, at, value)",
        "ptx::atom(ptx::sem_relaxed_t{}, scope, Operation{}, at, value)",
        "counter_phase: a wait sees",
    ),
    (
        "no proxy fence for shared memory",
        "backend/order/proxy_device.h",
        "  ptx::fence_proxy_async(ptx::space_shared_t{});\n",
        "  ptx::fence_proxy_async(ptx::space_global_t{});\n",
        "bulk_pipeline: a copy of the next round",
    ),
]


@pytest.mark.parametrize(
    ("header", "text", "replacement", "test"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_fault_is_found(header, text, replacement, test, with_fault):
    with_fault(header, text, replacement)
    scenario = next(scenario for scenario in SCENARIOS if name(scenario).startswith(test))
    try:
        result = algorithms.check(scenario)
    except algorithms.NoPath:
        return
    assert not result.is_forbidden
