"""The data of the reports that the programs model.hang_report_* have made: each against the schema, and each cause of a barrier's
hang against the case that the table of causes names."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import re
from pathlib import Path

import pytest

from cudasync_tools import json_schema, toolchain

FOLDER = os.environ.get("CUDASYNC_REPORT_FOLDER")
SCHEMA = json.loads((toolchain.ROOT / "python/cudasync/hang_report.schema.json").read_text(encoding="utf-8"))
HEADER = toolchain.INCLUDE / "cudasync/hang/cause_table_device.h"
ROW = re.compile(r"^    // (?P<test>.+)\n    \{(?P<must>[\w |]+), +(?P<must_not>\w+), +cause::(?P<cause>\w+)\},$", re.MULTILINE)


@pytest.fixture(scope="module")
def reports():
    if FOLDER is None or not (found := sorted(Path(FOLDER).glob("*.json"))):
        pytest.skip("no files: the programs model.hang_report_* write them to CUDASYNC_REPORT_FOLDER")
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in found}


def rows():
    text = HEADER.read_text(encoding="utf-8")
    found = [match.groupdict() for match in ROW.finditer(text)]
    assert f"rule rows[{len(found)}]" in text, "a row that this test does not understand"
    return found


def test_reports_follow_the_schema(reports):
    found = [fault for name, report in reports.items() for fault in json_schema.faults(report, SCHEMA, SCHEMA, name)]
    assert not found, "\n".join(found)


def test_references_within_reports(reports):
    """The object of a cause is in the list; threads are in ascending ranges, and in the block."""
    for name, report in reports.items():
        lists = [report["likely_cause"]["threads"], *(wait["threads"] for each in report["objects"] for wait in each["waits"])]
        for ranges in lists:
            flat = [rank for pair in ranges for rank in pair]
            assert flat == sorted(flat) and all(rank < report["threads"] for rank in flat), name
        which = report["likely_cause"]["object"]
        assert which is None or which < len(report["objects"]), name
        assert report["likely_cause"]["cause"] != "unknown", name


def test_each_row_of_the_table_has_its_test(reports):
    """The case that the row names has a report with this cause, of an arrival too many or of a hang."""
    wrong = []
    for row in rows():
        if row["test"].startswith("-- "):
            continue
        report = reports.get(row["test"])
        if report is None:
            wrong.append(f"{row['test']}: no such report")
        elif report["likely_cause"]["cause"] != row["cause"]:
            wrong.append(f"{row['test']}: {report['likely_cause']['cause']}, not {row['cause']}")
        elif (report["incident"] == "too_many_arrivals") != ("is_too_many" in row["must"]):
            wrong.append(f"{row['test']}: {report['incident']}")
    assert not wrong, "\n".join(wrong)


def test_the_validator_finds_faults(reports):
    good = next(iter(reports.values()))
    for changed in (
        {**good, "version": 2},
        {**good, "more": 1},
        {key: value for key, value in good.items() if key != "remedy"},
        {**good, "block": [0, 0]},
        {**good, "likely_cause": {**good["likely_cause"], "cause": "bad luck"}},
        {**good, "likely_cause": {**good["likely_cause"], "numbers": {"luck": 1}}},
        {**good, "objects": [{}]},
    ):
        assert list(json_schema.faults(changed, SCHEMA, SCHEMA))
    with pytest.raises(ValueError, match="does not know: oneOf"):
        list(json_schema.faults(good, {"oneOf": []}, SCHEMA))
