"""The programs of test/explore/bugs on the machine: it reports each bug, in the lines that are marked, and nothing of the twin."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import math

import pytest

from cudasync_tools import model, planted_bugs, toolchain

TWIN_SEEDS = 40 if toolchain.THOROUGH else 2
MOST_SEEDS = 4000  # until the bug is found: the longest search takes a second

BUGS = [pytest.param(bug, id=bug.name) for bug in planted_bugs.bugs()]


@pytest.mark.parametrize("bug", BUGS)
def test_bug_is_found(bug, monkeypatch):
    if bug.name in planted_bugs.SLOW and not toolchain.THOROUGH:
        pytest.skip("a run that is not thorough")
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", bug.schedule)
    for seed in range(1, 3 if bug.why_not else MOST_SEEDS):
        end, said = planted_bugs.run(bug, bug.wrong, seed)
        if end != "finished":
            assert planted_bugs.is_found(bug, end, said), f"seed {seed}: {end}\n{said}"
            return
    assert bug.why_not, "not found"


@pytest.mark.parametrize("bug", BUGS)
def test_twin_is_clean(bug, monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", bug.schedule)
    for seed in range(1, TWIN_SEEDS + 1):
        end, said = planted_bugs.run(bug, bug.right, seed)
        assert end == "finished", f"seed {seed}: {end}\n{said}"


# Bugs that depend on the schedule, and whose kernels are small enough for all schedules with two changes.
SEARCHED = ("check_then_act", "done_before_last_item", "lost_update", "missed_signal", "three_locks", "two_locks")


def search(bug, which):
    """The number of schedules until one does not end as it should, or of all; and whether all do."""
    number = most_places = 0
    while number == 0 or number < 4 * math.comb(most_places + 2, 2):
        end, _ = planted_bugs.run(bug, which, number)
        number += 1
        if end != "finished":
            return number, False
        most_places = max(most_places, model.machine().model_places())
    return number, True


@pytest.mark.parametrize("name", SEARCHED)
def test_complete_search(name, monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "search:2")
    if name == "three_locks" and not toolchain.THOROUGH:
        pytest.skip("a run that is not thorough: two_locks is of the same kind")
    bug = next(each for each in planted_bugs.bugs() if each.name == name)
    number, is_clean = search(bug, bug.right)
    assert is_clean and number > 100
    number, is_clean = search(bug, bug.wrong)
    assert not is_clean and number > 1


# Bugs that depend on the schedule, but that the machine finds by what is ordered, whatever the schedule.
BY_ORDER = ("arrive_after_exit", "dsmem_after_exit", "missing_cluster_sync", "mixed_size_atomics")


@pytest.mark.parametrize("name", BY_ORDER)
def test_every_seed_finds_it(name, monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", "random")
    bug = next(each for each in planted_bugs.bugs() if each.name == name)
    missed = [seed for seed in range(1, 21) if not planted_bugs.is_found(bug, *planted_bugs.run(bug, bug.wrong, seed))]
    assert not missed


def test_marks_are_read():
    bug = next(each for each in planted_bugs.bugs() if each.name == "weak_poll")
    assert "while (*flag == 0)" in bug.wrong.text and "while (*flag == 0)" not in bug.right.text
    assert "    while (atomicAdd(flag, 0) == 0) {" in bug.right.text
    assert bug.wrong.text.count("\n") == bug.right.text.count("\n")
    source = (planted_bugs.FOLDER / "weak_poll.cu").read_text(encoding="utf-8").split("\n")
    assert source[min(bug.lines) - 1] == "    atomicExch(flag, 1);  // reported"
    assert not planted_bugs.is_found(bug, "races", "race: weak_poll.cu:1 and weak_poll.cu:11")
