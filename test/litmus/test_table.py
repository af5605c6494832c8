"""The table of litmus tests, and how the long run starts programs and counts their outcomes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import soak
import table

ROW = {"gpu": "A", "shape": "MP", "place": "one block", "scope": "block", "runs": 1000, "overlapped": 500, "forbidden": 0}
ROW |= {"relaxed_runs": 2000, "relaxed_overlapped": 900, "relaxed": 7}


def write(path, *rows):
    path.write_text("".join(json.dumps({**ROW, **row}) + "\n" for row in rows), encoding="utf-8")
    return path


def test_rows_of_several_runs_are_added(tmp_path):
    first = write(tmp_path / "first", {}, {"shape": "SB", "forbidden": 3})
    second = write(tmp_path / "second", {"runs": 1, "relaxed": 1})
    text = table.table(table.read([first, second]))
    assert "| causality | MP | one block | block | 1,001 | 1,000 | 0 | 4,000 | 1,800 | 8 |" in text
    assert "| Fence-SC | SB | one block | block | 1,000 | 500 | 3 | 2,000 | 900 | 7 |" in text


def test_rows_without_a_twin_say_so(tmp_path):
    text = table.table(table.read([write(tmp_path / "rows", {"shape": "CoRR", "relaxed_runs": 0, "relaxed_overlapped": 0, "relaxed": 0})]))
    assert "| coherence | CoRR | one block | block | 1,000 | 500 | 0 | no weaker form |  |  |" in text


def test_rows_of_the_machine_are_refused(tmp_path):
    command = [sys.executable, HERE / "table.py", write(tmp_path / "rows", {"gpu": "model"})]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert "no evidence about a GPU" in result.stderr


def test_rows_of_the_copy_engine_have_a_table_of_their_own(tmp_path):
    row = {"gpu": "A", "accesses": "a write, a copy", "place": "one block", "order": "bulk_wait", "runs": 1000, "forbidden": 0}
    row |= {"twin_runs": 1000, "seen": 5}
    rows = tmp_path / "rows"
    rows.write_text((json.dumps(row) + "\n") * 2, encoding="utf-8")
    assert not table.read([rows])
    text = table.table_of_proxies(table.read_proxies([rows]))
    assert "| causality | a write, a copy | one block | `bulk_wait` | 2,000 | 0 | 2,000 | 10 |" in text


def test_page_is_up_to_date_and_nothing_forbidden_was_seen():
    assert table.PAGE.read_text(encoding="utf-8") == table.page(), "run python3 test/litmus/table.py"
    counts = table.read([table.COUNTED]).values()
    assert counts and not any(row[table.COUNTS.index("forbidden")] for row in counts)
    counts = table.read_proxies([table.COUNTED_PROXIES]).values()
    assert counts and not any(row[table.COUNTS_OF_PROXIES.index("forbidden")] for row in counts)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 0", ("passed", 0)),
        ("echo '12 seeds from 3'; echo '5 seeds from 9'; exit 0", ("passed", 17)),
        ("exit 77", ("skipped", 0)),
        ("echo text; exit 1", ("failed", 0)),
        ("sleep 60", ("timed out", 0)),
    ],
)
def test_outcomes_of_programs(tmp_path, script, expected):
    log = tmp_path / "log"
    assert soak.outcome(["sh", "-c", script], log, 0.3, {}) == expected
    assert log.exists() == (expected[0] in ("failed", "timed out"))


def test_the_long_run_fails_if_a_program_fails_or_none_runs(capsys):
    def fails(**counts):
        return soak.print_counts(collections.Counter({tuple(key.split("__")): times for key, times in counts.items()}), {"a": 8})

    assert fails()
    assert not fails(a__passed=2, b__skipped=1)
    assert fails(**{"a__passed": 2, "b__timed out": 1})
    lines = capsys.readouterr().out.splitlines()
    assert "1 timed out, 2 passed" not in lines[0]
    assert "     8 seeds: a" in lines


@pytest.mark.parametrize(("wrong", "expected"), [(0, "passed"), (1, "failed")])
def test_wrong_words_in_spite_of_the_fence_are_a_failure(tmp_path, monkeypatch, wrong, expected):
    rows = [{"copying": "none", "wrong": 5.0}, {"copying": soak.LIBRARY_FENCE, "wrong": wrong}]
    (tmp_path / "fences.json").write_text(json.dumps({"gpu": "A", "results": rows}), encoding="utf-8")
    monkeypatch.setattr(soak, "outcome", lambda *_: ("passed", 0))
    assert soak.fences_outcome(collections.namedtuple("options", "output")(tmp_path)) == expected


def test_each_round_has_new_seeds(tmp_path):
    build, options = tmp_path / "build", collections.namedtuple("options", "seconds seed sanitizer filter output kinds")
    program = build / "test/fuzz/gpu.fuzz_x"
    program.parent.mkdir(parents=True)
    script = f'echo "$CUDASYNC_FUZZ_SEED" >> {tmp_path}/seeds\nsleep 0.1\necho "3 seeds from $CUDASYNC_FUZZ_SEED"\n'
    program.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
    program.chmod(0o755)
    counts, seeds_run = soak.soak(options(0.35, 5, None, "fuzz", tmp_path / "results", ["fuzz"]), build)
    seeds = (tmp_path / "seeds").read_text(encoding="utf-8").split()
    assert seeds[:2] == ["5", "1000005"]
    assert counts["gpu.fuzz_x", "passed"] == len(seeds) == seeds_run["gpu.fuzz_x"] / 3
