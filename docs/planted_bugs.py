#!/usr/bin/env python3
"""Writes the table of docs/design/planted_bugs.md: how many seeds the machine needs for each program of test/explore/bugs."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# It takes some minutes, and needs CUDASYNC_MODEL and CUDASYNC_NVRTC, as the tests of the kind `model` do.

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import model, pages, planted_bugs

PROGRAM = "docs/planted_bugs.py"
PAGE = ROOT / "docs/design/planted_bugs.md"
SEEDS = 40
MOST = 4000  # schedules of a search


def found(bug, schedule, seeds, until_first=False):
    """The seeds that find the bug."""
    os.environ["CUDASYNC_MACHINE_SCHEDULE"] = schedule
    hits = []
    for seed in seeds:
        if planted_bugs.is_found(bug, *planted_bugs.run(bug, bug.wrong, seed)):
            hits.append(seed)
            if until_first:
                break
    return hits


def places(bug):
    os.environ["CUDASYNC_MACHINE_SCHEDULE"] = "priority:0:1"
    planted_bugs.run(bug, bug.right, 1)
    return model.machine().model_places()


def twin_is_clean(bug):
    os.environ["CUDASYNC_MACHINE_SCHEDULE"] = "mixed"
    return all(planted_bugs.run(bug, bug.right, seed)[0] == "finished" for seed in range(1, SEEDS + 1))


def cell(hits):
    return f"{len(hits)}, first {hits[0]}" if hits else "0"


def row(bug):
    print(bug.name, flush=True)
    assert twin_is_clean(bug), bug.name
    name = f"[`{bug.name}`](../../test/explore/bugs/{bug.name}.cu)"
    if bug.why_not:
        return [name, f"not found: {bug.why_not}", "", "", "", ""]
    if bug.name in planted_bugs.SLOW:
        return [name, ", ".join(bug.finds), "not counted", "", "", ""]
    first = 10 if "hang" in bug.finds else SEEDS  # a hang takes the machine a quarter of a second
    by_chance = found(bug, "random", range(1, first + 1))
    if len(by_chance) == first:
        return [name, ", ".join(bug.finds), f"{first} of {first}", "", "", ""]
    seeds = range(1, SEEDS + 1)
    by_chance = found(bug, "random", seeds)
    count = places(bug)
    return [
        name,
        ", ".join(bug.finds),
        cell(by_chance),
        cell(found(bug, "priority", seeds)),
        cell(found(bug, f"priority:2:{count}", seeds)),
        next((str(number) for number in found(bug, "search", range(MOST), until_first=True)), f"none of {MOST}"),
    ]


def table():
    head = ["Program", "Found as", "Random", "Priority", "Priority, places known", "Search"]
    return pages.table(head, [row(bug) for bug in planted_bugs.bugs()])


if __name__ == "__main__":
    PAGE.write_text(pages.written(PROGRAM, PAGE.read_text(encoding="utf-8"), {"table": table}), encoding="utf-8")
