"""The page of measurements: its tables are what the script makes of the measured times."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import re

import pytest

import measurements
import results
from cudasync_tools import pages

PAGES = [path.read_text(encoding="utf-8") for path in pages.paths()]
PAGE = measurements.PAGE.read_text(encoding="utf-8")


def test_tables_are_up_to_date():
    assert {name for text in PAGES for name in pages.names(measurements.PROGRAM, text)} == set(measurements.PARTS)
    if any(measurements.written(page) != page for page in PAGES):
        pytest.fail("run python3 docs/measurements.py", pytrace=False)


def test_a_changed_figure_is_found():
    changed = re.sub(r"\| (\d)\.(\d\d) \|", r"| \1.\g<2>5 |", PAGE, count=1)
    assert changed != PAGE and measurements.written(changed) == PAGE


def test_reasons_of_slower_rows():
    assert measurements.reason("semaphore", "1 permit, held for 0 cycles", "native").endswith("not a store")
    assert measurements.reason("semaphore", "4 permits, held for 0 cycles", "native") == "open"


def test_ranges_and_ratios():
    assert results.spanned([1.0, 1.004]) == "1.00" and results.spanned([0.5, 12.34]) == "0.50–12.3"
    assert results.spanned([]) == "" and results.number(8512.0) == "8,500"
    ours, others = {("op", "32"): {"a": 3.0, "b": 2.0}}, {("op", "32"): {"c": 4.0}, ("op", "64"): {"c": 1.0}}
    assert results.ratios(ours, others) == {("op", "32"): 0.5}


def test_import_replaces_what_was_measured_again(tmp_path, monkeypatch):
    row = {"benchmark": "barrier", "operation": "op", "path": "sm90", "kind": "ours", "name": "cudasync", "unit": "cycles", "configuration": "32"}
    times = tmp_path / "times.jsonl"
    kept = {"benchmark": "latch", "operation": "other", "medians": {"1": 2.0}}
    old = {"benchmark": "barrier", "operation": "gone", "medians": {"1": 2.0}}
    times.write_text("".join(json.dumps(line) + "\n" for line in ({"machine": {"dates": {"latch": "2026-01-02"}}}, old, kept)), encoding="utf-8")
    (tmp_path / "latency.json").write_text(json.dumps({"gpu": "G", "results": [row | {"median": 1.23456, "samples": []}]}), encoding="utf-8")
    monkeypatch.setattr(results, "TIMES", times)
    results.import_results(tmp_path)
    lines = results.read_lines()
    date = lines[0]["machine"].pop("date")
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", date)
    assert lines[0]["machine"].pop("dates") == {"latch": "2026-01-02", "barrier": date}
    assert lines[0] == {"machine": {"cuda": "13.0", "gpu": "G"}} and kept in lines and old not in lines
    assert lines[1]["medians"] == {"32": 1.235}
