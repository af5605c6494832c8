"""The atlas: its cases, its files of results, its page, and the process that measures and may hang."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import signal
import textwrap
import time

import pytest

import atlas
import catalog
import compiler
import map_files
import time_map

CASES = catalog.all_cases()
CELL = {"ours": (20, 8), "toolkit": (24, 10), "hand": (18.04, 8)}


def test_cases_have_names_of_their_own():
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) > 5000
    assert all(name.count(" | ") == 2 for name in names)


def test_every_contestant_has_the_same_result():
    for case in CASES:
        codes = [code for contestant in ("ours", "toolkit", "hand") if (code := case.code(contestant))]
        assert len({bool(code.result) for code in codes}) == 1, case.name


def test_the_sample_has_each_group():
    assert {case.group for case in catalog.sample(CASES)} == {case.group for case in CASES}
    assert catalog.sample(CASES) == catalog.sample(list(reversed(CASES)))


def test_recorded_cells_are_the_cases():
    _, cells = map_files.read("sass")
    counted = {catalog.key_of("90a", case) for case in CASES if catalog.is_counted(case, "90a")}
    recorded = {cell for cell in cells if cell[0] == "90a"}
    if counted != recorded:
        first = sorted(counted ^ recorded)[:10]
        pytest.fail(f"run python3 benchmarks/atlas/run.py sass: {len(counted ^ recorded)} cells differ: {first}", pytrace=False)


def test_every_reason_has_a_cell():
    used = set()
    for name in map_files.FILES:
        for cell, numbers in map_files.read(name)[1].items():
            ratio = map_files.ratio(numbers)
            if ratio and ratio > map_files.ABOVE:
                used.add(map_files.reason_of(f"{name}, {' | '.join(cell)}", map_files.reasons()))
    stale = [text for number, _, text in map_files.reasons() if number not in used]
    assert not stale, "no cell is above the limit for this reason"


def test_page_is_up_to_date():
    page = atlas.PAGE.read_text(encoding="utf-8")
    if atlas.written(page) != page:
        pytest.fail("run python3 docs/atlas.py", pytrace=False)


def test_files(tmp_path):
    assert map_files.unpacked(map_files.packed(CELL)) == {"ours": (20, 8), "toolkit": (24, 10), "hand": (18, 8)}
    assert map_files.ratio(CELL) == 20 / 18.04
    assert map_files.ratio({"ours": (1,)}) is None
    cells = {("90a", "g", "r", "c 1"): CELL, ("90a", "g", "r", "c 2"): {"ours": (3, 4)}, ("80", "g", "s", "c 2"): CELL}
    map_files.write_table(tmp_path / "table", {"map": "sass"}, cells)
    head, found = map_files.read_table(tmp_path / "table")
    assert head == {"map": "sass"} and {cell: map_files.packed(numbers) for cell, numbers in cells.items()} == {
        cell: map_files.packed(numbers) for cell, numbers in found.items()
    }
    map_files.write_times(tmp_path / "times", {"seeds": [1]}, {"g | r | c": {"own 1x1": {"ours": 12.34, "hand": 1234.5}}})
    assert map_files.read_times(tmp_path / "times") == ({"seeds": [1]}, {"g | r | c": {"own 1x1": {"ours": 12.3, "hand": 1234}}})


def test_kernels_with_unmeasured_cells_come_first():
    cases = [case for case in CASES if case.group == "latches" or case.is_timed][:60]
    first = time_map.chosen(cases, {}, 1, 100, 90)
    known = {}
    for case, place, cells in first:
        for shape, argument in cells:
            known.setdefault(case.name, {})[time_map.key_of(place, shape, argument)] = {}
    then = time_map.chosen(cases, known, 2, 100, 90)
    assert first and not {(case.name, place) for case, place, _ in first} & {(case.name, place) for case, place, _ in then}
    assert time_map.chosen(cases, {}, 1, 100, 90) == first != time_map.chosen(cases, {}, 2, 100, 90)


def crash_at_three(job):
    _, numbers = job
    if 3 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return sum(numbers)


def test_a_case_that_crashes_the_compiler_is_left_out():
    work = [("ours", [1, 2, 3, 4]), ("ours", [5, 6])]
    assert sum(total for _, total in compiler.in_processes(crash_at_three, work, 2)) == 1 + 2 + 4 + 5 + 6


def test_a_cell_that_hangs_is_left_out(tmp_path, monkeypatch):
    (tmp_path / "time_worker.py").write_text(
        textwrap.dedent("""\
            import json, sys, time
            print(json.dumps({"gpu": "G"}), flush=True)
            for cell in range(int(sys.argv[2]), 4):
                if cell == 2:
                    time.sleep(60)
                print(json.dumps({"cell": cell, "cycles": {"ours": 1.0}}), flush=True)
        """),
        encoding="utf-8",
    )
    monkeypatch.setattr(time_map, "HERE", tmp_path)
    monkeypatch.setattr(time_map, "SILENCE", 0.5)
    start = time.monotonic()
    machine, found = time_map.measure([{"case": f"case {number}", "key": "own 1x1"} for number in range(4)], tmp_path, 3, 30)
    assert machine == {"gpu": "G"} and sorted(found) == ["case 0", "case 1", "case 3"] and time.monotonic() - start < 20
    assert json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))["repetitions"] == 3
