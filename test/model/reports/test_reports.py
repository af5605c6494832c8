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
ROW = re.compile(
    r"^    // (?P<test>.+)\n    \{(?P<must>[\w |]+), +(?P<must_not>[\w |]+), +cause::(?P<cause>\w+)(?P<uncertain>, uncertain)?\},$", re.MULTILINE
)


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
        elif (report["other_causes"] != []) != (row["uncertain"] is not None):
            wrong.append(f"{row['test']}: other causes: {[each['cause'] for each in report['other_causes']]}")
    assert not wrong, "\n".join(wrong)


def test_facts_of_one_kind_of_report_have_numbers_of_their_own():
    """A fact of an arrival too many may have the number of one of a hang."""
    numbers = {name: int(number) for name, number in re.findall(r"uint64 (\w+) = bit\((\d+)\);", HEADER.read_text(encoding="utf-8"))}
    for is_too_many in (False, True):
        used = set()
        for row in rows():
            names = set(re.findall(r"[a-z]\w+", f"{row['must']} {row['must_not']}"))
            used |= names if ("is_too_many" in names) == is_too_many else set()
        assert used <= numbers.keys() and len({numbers[name] for name in used}) == len(used), sorted(used)


# What the causes say of the phase of their object.
OF_PARITIES = {"first_parity", "parity_not_flipped", "phase_not_begun", "token_of_other_phase", "token_of_other_barrier"}
NOBODY_ARRIVED = {"no_arrival", "phase_not_begun", "token_of_other_phase", "token_of_other_barrier", "expected_without_arrival"}
WAITS_FOR_BYTES = {"copy_not_complete", "bytes_differ", "bytes_at_other_barrier", "bytes_of_other_blocks"}
SOME_ARRIVED = {
    "all_threads_arrived", "count_above_threads", "count_above_arrivers", "one_lane_of_each_warp", "updates_below_count",
    "one_thread_only", "rounds_differ", "waiters_do_not_arrive", "threads_missing",
}  # fmt: skip


def contradictions_in(cause, remedy, report):
    """How a cause contradicts the numbers that the report has of its object, in words."""
    thing = report["objects"][cause["object"]] if cause["object"] is not None else None
    if thing is None:
        return
    name, phase = cause["cause"], thing["phase"]
    if name in OF_PARITIES and thing["role"] is not None:
        yield "parities, of a stage"
    if "parity" in f"{cause['text']} {remedy}" and thing["role"] is not None:
        yield "the word parity, of a stage"
    if (name == "overwritten") != (phase is None) and thing["kind"] == "barrier" and name not in NO_STATE:
        if report["incident"] == "hang":
            yield "a phase of an object without one, or none"
    if phase is None or report["incident"] != "hang":
        return
    arrived, expected = phase["arrived"], phase["expected"]
    if not 0 <= arrived <= expected:
        yield f"{arrived} arrivals of {expected}"
    if name in NOBODY_ARRIVED and arrived != 0:
        yield f"nobody has arrived, and {arrived} have"
    if name in SOME_ARRIVED and not 0 < arrived < expected:
        yield f"some have arrived, and {arrived} of {expected} have"
    if name in WAITS_FOR_BYTES and (arrived != expected or phase["bytes"] == 0):
        yield f"waits for bytes, with {arrived} arrivals of {expected}, {phase['bytes']} bytes"
    for what, value in (("expected", expected), ("arrived", arrived)):
        if cause["numbers"].get(what, value) != value:
            yield f"{what} is {cause['numbers'][what]}, and {value}"
    for now, most in re.findall(r"(\d+) of (\d+) (?:consumers|producers)", cause["text"]):
        if [int(now), int(most)] != [arrived, expected]:
            yield f"{now} of {most}, and {arrived} of {expected}"
    for count in re.findall(r"initialize with (\d+)", remedy):
        if int(count) in (0, expected):
            yield f"initialize with {count}, of {expected}"


NO_STATE = {"state_not_readable", "barrier_not_initialized", "pipeline_not_initialized", "record_replaced"}


def contradictions(report):
    yield from contradictions_in(report["likely_cause"], report["remedy"], report)
    for other in report["other_causes"]:
        yield from contradictions_in(other, report["other_remedy"], report)
    for further in report["further_causes"]:
        yield from contradictions_in(further, report["further_remedy"], report)


def test_causes_agree_with_the_numbers(reports):
    found = [f"{name}: {each}" for name, report in reports.items() for each in contradictions(report)]
    assert not found, "\n".join(found)


def test_contradictions_are_found(reports):
    good = reports["early_return"]
    thing, cause = good["objects"][0], good["likely_cause"]
    assert list(contradictions(good)) == []
    for objects, changed, remedy in (
        ([{**thing, "role": "consumer", "stage": 0}], {**cause, "cause": "first_parity"}, ""),
        ([{**thing, "role": "consumer", "stage": 0}], cause, "flip the parity"),
        ([thing], {**cause, "cause": "overwritten"}, ""),
        ([thing], {**cause, "cause": "no_arrival"}, ""),
        ([thing], {**cause, "cause": "bytes_differ"}, ""),
        ([thing], {**cause, "numbers": {"expected": 1}}, ""),
        ([thing], {**cause, "text": "31 of 30 consumers have released"}, ""),
        ([thing], cause, f"initialize with {thing['phase']['expected']}"),
        ([{**thing, "phase": {**thing["phase"], "arrived": 4294441056}}], cause, ""),
    ):
        assert list(contradictions({**good, "objects": objects, "likely_cause": changed, "remedy": remedy})), changed


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
