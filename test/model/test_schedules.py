"""The schedules of the machine: which orders of two threads each kind reaches, and how often."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import math

import pytest

from cudasync_tools import model, nvrtc

# Two threads, two steps each: the order of the steps.
ORDER = """
extern "C" __global__ void rule(unsigned*, unsigned char* order) {
  unsigned* const count = reinterpret_cast<unsigned*>(order + 64);
  for (int step = 0; step < 2; ++step) order[atomicAdd(count, 1u)] = 1 + blockIdx.x;
}
"""
PLACES = 8  # each thread: two atomic additions, two stores
ALL_ORDERS = {bytes(order) for order in ((1, 1, 2, 2), (1, 2, 1, 2), (1, 2, 2, 1), (2, 1, 1, 2), (2, 1, 2, 1), (2, 2, 1, 1))}
# A thread counts to 10, and another one looks once: at 5 if it is let in there.
BETWEEN = """
extern "C" __global__ void rule(unsigned* failures, unsigned* words) {
  if (blockIdx.x == 0) {
    for (unsigned step = 1; step <= 10; ++step) atomicExch(words, step);
  } else if (atomicAdd(words, 0u) == 5) {
    atomicAdd(failures, 1u);
  }
}
"""
# One thread waits for the other one without sleeping.
POLLS = """
extern "C" __global__ void rule(unsigned*, unsigned* words) {
  if (blockIdx.x == 0)
    while (atomicAdd(words, 0u) == 0) {}
  else
    atomicExch(words, 1u);
}
"""
# The same, and counts how often it has looked.
COUNTS = POLLS.replace("{}", "atomicAdd(words + 1, 1u);")
# One lane polls, and the others wait for it.
LANE_POLLS = POLLS.replace("blockIdx.x == 0)", "blockIdx.x == 0) { if (threadIdx.x == 0)").replace("else", "} else if (threadIdx.x == 0)")
LANE_POLLS = LANE_POLLS.replace("1u);\n}", "1u);\n  __syncwarp();\n}")
# A warp whose lanes exchange values as if they went together.
LANES = """
extern "C" __global__ void rule(unsigned* failures, unsigned*) {
  __shared__ volatile unsigned words[32];
  words[threadIdx.x] = 0;
  __syncwarp();
  words[threadIdx.x] = 1;
  if (words[31 - threadIdx.x] != 1) atomicAdd(failures, 1u);
}
"""
TWO_BLOCKS = model.Kernel("rule", grid=(2, 1, 1))


@functools.cache
def module(source):
    ptx, log = nvrtc.compile(source, "rule.cu", "90", ("-lineinfo",))
    assert ptx is not None, log
    return model.Module(ptx, 90)


def orders(seeds):
    return {module(ORDER).run(TWO_BLOCKS, seed, reads=4)[3].to_bytes(4, "little") for seed in seeds}


def failures(source, kernel, seeds):
    """How many seeds have one."""
    found = 0
    for seed in seeds:
        end, count, said = module(source).run(kernel, seed)
        assert end == "finished", said
        found += count > 0
    return found


def test_search_reaches_every_order(monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "search:3")
    assert orders(range(4 * math.comb(PLACES + 3, 3))) == ALL_ORDERS


def test_search_without_changes_has_one_order(monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "search:0")
    assert orders(range(4)) == {bytes((1, 1, 2, 2))}
    assert model.machine().model_places() == PLACES


def test_search_with_one_change_reaches_what_it_says(monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "search:1")
    assert orders(range(4 * (PLACES + 1))) == {bytes(order) for order in ((1, 1, 2, 2), (1, 2, 2, 1), (2, 2, 1, 1))}


@pytest.mark.parametrize("schedule", ["random", "priority", "mixed"])
def test_seeds_reach_every_order(schedule, monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", schedule)
    assert orders(range(1, 1000)) == ALL_ORDERS


@pytest.mark.parametrize("schedule", ["random", "priority", "priority:2:20", "search", "mixed"])
def test_a_seed_is_repeated(schedule, monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", schedule)
    for seed in range(1, 20):
        assert orders([seed]) == orders([seed])


def test_priorities_keep_their_guarantee(monkeypatch):
    """One change among 12 places, and one of two threads first: 1 of 24 seeds, which is 50, with a standard deviation of 7."""
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "priority:1:12")
    assert failures(BETWEEN, TWO_BLOCKS, range(1, 1201)) >= 29
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "priority:0:12")
    assert failures(BETWEEN, TWO_BLOCKS, range(1, 101)) == 0


def test_lanes_of_a_warp_do_not_always_go_together(monkeypatch):
    kernel = model.Kernel("rule", block=(32, 1, 1))
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "priority")
    assert failures(LANES, kernel, range(1, 41)) > 0
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "search:0")
    assert failures(LANES, kernel, range(4)) == 0


@pytest.mark.parametrize(("source", "lanes"), [(POLLS, 1), (COUNTS, 1), (LANE_POLLS, 32)], ids=["polls", "counts", "lanes"])
@pytest.mark.parametrize("schedule", ["priority", "search"])
def test_threads_that_poll_give_way(schedule, source, lanes, monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", schedule)
    assert failures(source, TWO_BLOCKS._replace(block=(lanes, 1, 1)), range(20)) == 0


def test_unknown_schedule_is_refused(monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "prority")
    end, _, said = module(ORDER).run(TWO_BLOCKS, 1)
    assert end == "faulted" and "CUDASYNC_MACHINE_SCHEDULE is random" in said
