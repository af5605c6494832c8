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
from cudasync_tools import toolbox

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
    reasons, used = map_files.reasons(), set()
    for name in map_files.FILES:
        for cell, numbers in map_files.read(name)[1].items():
            ratio = map_files.ratio(numbers)
            if ratio and ratio > map_files.ABOVE:
                used.add(map_files.reason_of(f"{name}, {' | '.join(cell)}", reasons))
    stale = [text for number, _, text in reasons if number not in used]
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


def measure(tmp_path, monkeypatch, worker, cells):
    """What time_map.measure saves, with this text for the loop of the process that measures."""
    start = "import json, sys, time\nprint(json.dumps({'gpu': 'G'}), flush=True)\ncells = json.load(open('plan.json'))['cells']\n"
    text = start + "for cell in range(int(sys.argv[2]), len(cells)):\n" + textwrap.indent(textwrap.dedent(worker), "    ")
    (tmp_path / "time_worker.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(time_map, "HERE", tmp_path)
    monkeypatch.setattr(time_map, "SILENCE", 0.5)
    monkeypatch.setattr(time_map, "SAVED", 0)
    monkeypatch.chdir(tmp_path)
    saved = []
    time_map.measure(cells, tmp_path, 3, 30, lambda *known: saved.append(json.loads(json.dumps(known))))
    return saved


def test_a_cell_that_hangs_is_left_out(tmp_path, monkeypatch):
    worker = """\
        if cell == 2:
            time.sleep(60)
        print(json.dumps({"cell": cell, "cycles": {"ours": 1.0}}), flush=True)
    """
    start = time.monotonic()
    saved = measure(tmp_path, monkeypatch, worker, [{"case": f"case {number}", "key": "own 1x1", "kernels": {}} for number in range(4)])
    machine, found, failures = saved[-1]
    assert machine == {"gpu": "G"} and sorted(found) == ["case 0", "case 1", "case 3"] and time.monotonic() - start < 20
    assert failures == [["case 2", "own 1x1", "", "ends or is silent without a word"]]
    assert json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))["repetitions"] == 3
    assert [sorted(found) for _, found, _ in saved][1:3] == [["case 0"], ["case 0", "case 1"]]  # as it goes


def test_a_kernel_that_fails_is_left_out_of_its_cells(tmp_path, monkeypatch):
    worker = """\
        if "newest" in cells[cell]["kernels"] and cell >= 2:
            print(json.dumps({"cell": cell, "contestant": "newest", "failed": "719"}), flush=True)
            sys.exit(1)
        print(json.dumps({"cell": cell, "cycles": dict.fromkeys(cells[cell]["kernels"], 1.0)}), flush=True)
    """
    kernels = [{"ours": 0, "newest": 0, "hand": 0}, {"ours": 0, "newest": 0}]
    cells = [{"case": f"case {number // 30}", "key": str(number), "kernels": kernels[number // 30]} for number in range(60)]
    _, found, failures = measure(tmp_path, monkeypatch, worker, cells)[-1]
    assert failures == [["case 0", "2", "newest", "719"], ["case 1", "30", "newest", "719"]]
    assert [list(found["case 0"][str(number)]) for number in (1, 2, 29)] == [["ours", "newest", "hand"], ["ours", "hand"], ["ours", "hand"]]
    assert list(found["case 1"]["30"]) == ["ours"] and len(found["case 1"]) == 30


def test_no_gpu(tmp_path, monkeypatch):
    (tmp_path / "time_worker.py").write_text("raise OSError", encoding="utf-8")
    monkeypatch.setattr(time_map, "HERE", tmp_path)
    with pytest.raises(toolbox.Failure):
        time_map.measure([{"case": "case", "key": "", "kernels": {}}], tmp_path, 3, 30, print)


def slow(job):
    time.sleep(job[1][0])
    return job[1][0]


def test_what_is_built_by_the_deadline_is_measured():
    work = [("ours", [1.5]), ("ours", [0]), ("ours", [1.5]), ("ours", [1.6])]
    assert [seconds for _, seconds in compiler.in_processes(slow, work, 2, time.monotonic() + 1)] == [0]
