"""The table of litmus tests."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import subprocess
import sys
from pathlib import Path

import table

HERE = Path(__file__).resolve().parent

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
