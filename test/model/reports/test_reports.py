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
    r"^    \{(?P<must>[\w |]+), +(?P<must_not>[\w |]+), +cause::(?P<cause>\w+)(?P<uncertain>, uncertain)?\},$", re.MULTILINE
)

# For each row of the table, in its order: a case of test/gpu/hang_report_*.cu whose report the row decides, or why there
# is none.
CASES = """
initialized_twice: init_while_a_warp_arrives
initialized_twice: second_init_before_too_many
initialized_twice: count_of_the_array_below
initialized_twice: barrier_of_a_function
arrivals_before_init: too_many_after_an_early_arrival
group_too_large: two_groups_of_one_number
arrived_at_other_barrier: warp_that_arrives_at_the_full_barrier
arrived_after_drop: arrival_after_a_drop
first_parity: arrival_after_a_wait_for_parity_1
parity_not_flipped: consumer_that_keeps_its_parity
too_many_producers: two_producers
too_many_consumers: more_consumers_than_the_pipeline_counts
arrived_twice: producer_that_does_not_advance
released_too_often: -- none yet
overtaken: count_of_the_own_consumers
arrived_too_often: arrival_by_the_handle_and_again
overwritten: arrivals_at_zeros
count_below_arrivers: two_loaders_of_which_one_is_counted
arrived_before_bytes: arrival_while_bytes_are_outstanding
too_many_consumers: -- depends on the schedule
arrived_twice: warp_that_releases_a_stage_twice
count_below_lanes: threads_for_the_warps_of_the_own_block
arrived_in_own_block: own_barrier_instead_of_the_first_blocks
count_below_lanes: lanes_that_forgot_the_election
parity_not_flipped: phase_that_begins_anew_with_each_tile
overtaken: arrival_for_each_part
arrived_twice: thread_that_arrives_twice
count_below_arrivers: count_of_one_warp_less
arrived_too_often: update_above_the_count
record_replaced: -- depends on the blocks that run
overwritten: halo_over_the_barrier
pipeline_not_initialized: consumer_of_a_ring_without_init
barrier_not_initialized: barrier_without_init
state_not_readable: -- only before sm_90
answer_not_requested: queue_without_scheduler
answer_not_released: block_that_takes_no_answer
bytes_at_other_barrier: sums_sent_to_the_first_pair
bytes_of_other_blocks: block_with_one_tile_less
bytes_at_other_barrier: copy_to_the_next_stage
bytes_not_expected: bytes_that_nobody_expects
copy_not_complete: bytes_expected_by_hand
bytes_differ: bytes_of_half_a_stage
initialized_twice: init_while_a_thread_has_arrived
initialized_twice: ring_over_another_ring
initialized_twice: state_of_two_warps
arrivals_before_init: arrival_before_init
initialized_twice: init_while_a_slower_warp_waits
turn_not_passed: group_that_never_passes
bytes_not_expected: block_that_expects_no_bytes
too_many_consumers: consumer_that_is_not_counted
released_too_often: releases_without_a_fill
wrong_stage_released: release_of_the_first_stage
stage_not_released: state_that_another_warp_makes_again
stage_not_filled: stage_of_a_state_that_is_made_again
initialized_twice: -- only after the two rows above
stage_not_released: warp_that_skips_its_release
stage_not_filled: stage_that_nobody_commits
expected_without_arrival: expectation_without_an_arrival
arrived_at_other_barrier: consumers_that_arrive_at_the_full_barrier
token_of_other_barrier: token_of_another_barrier
initialized_twice: full_barrier_that_is_initialized_for_each_tile
no_arrival: producer_that_takes_the_wrong_branch
other_blocks_missing: arrival_at_the_wrong_block
overtaken: consumer_that_is_overtaken
overtaken: arrival_of_a_round_too_early
arrivals_before_init: arrival_before_the_init_of_another_block
parity_not_flipped: block_that_keeps_its_parity
phase_not_begun: blocks_that_run_ahead_in_a_ring
threads_missing: cluster_barrier_of_one_block
arrived_in_own_block: release_in_the_own_block_alone
other_blocks_missing: remote_arrival_that_never_comes
other_blocks_missing: block_without_work
first_parity: wait_for_the_second_phase_alone
parity_not_flipped: parity_that_is_never_flipped
first_parity: first_wait_for_parity_1
parity_not_flipped: producer_that_waits_for_a_consumer_ahead
phase_not_begun: producer_with_one_round_fewer
token_of_other_phase: token_of_an_earlier_phase
initialized_twice: producers_with_the_count_of_consumers
initialized_twice: init_after_a_complete_phase
parity_not_flipped: parity_that_one_thread_keeps
count_below_arrivers: count_of_two_of_three_warps
one_lane_of_each_warp: release_by_one_lane_of_each_warp
updates_below_count: update_that_is_one_short
count_above_threads: count_of_a_larger_block
one_thread_only: count_of_threads_for_one_arrival
arrived_after_drop: -- depends on the schedule
parity_not_flipped: -- depends on the schedule
arrived_twice: thread_that_arrives_for_another
rounds_differ: thread_with_one_round_more
waiters_do_not_arrive: half_of_the_waiting_threads_arrive
count_above_arrivers: release_counted_with_the_producers
all_threads_arrived: -- none yet
threads_missing: early_return
""".strip().splitlines()


@pytest.fixture(scope="module")
def reports():
    if FOLDER is None or not (found := sorted(Path(FOLDER).glob("*.json"))):
        pytest.skip("no files: the programs model.hang_report_* write them to CUDASYNC_REPORT_FOLDER")
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in found}


def rows():
    text = HEADER.read_text(encoding="utf-8")
    found = [match.groupdict() for match in ROW.finditer(text)]
    assert f"rule rows[{len(found)}]" in text, "a row that this test does not understand"
    assert [row["cause"] for row in found] == [case.split(": ")[0] for case in CASES], "CASES has the rows in their order"
    return [{**row, "test": case.split(": ")[1]} for row, case in zip(found, CASES, strict=True)]


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
