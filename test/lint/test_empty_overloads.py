"""Functions of a target that do nothing, where another target's do something: each is meant so, and the list says why."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools import cpp
from cudasync_tools.toolchain import INCLUDE

HEADERS = INCLUDE / "cudasync"
EMPTY = re.compile(
    r"\b(\w+)\(target::(\w+)(?=[,) ])(?:[^(){};]|\([^()]*\))*\)\s*(?:const\s*|noexcept\s*)*\{\s*(?:return (?:false|true|0|nullptr|\{\});\s*)?\}"
)

TOOLKIT = "toolkits without the instruction, which no GPU for it has"
WRITTEN = "host threads and GPUs before sm_80 copy before they return"
ALONE = "a host thread takes the part of a block of one thread"
NO_RECORDS = "the release build has no records"
DEVICE_RECORDS = "what a report of a device reads in shared or global memory; a host report has the line of the call, and host/hangs.cpp sees it"
REASONS = {
    "backend/copy/copy_device.h": {
        "commit_copies sm70": WRITTEN,
        "await_copies sm70": WRITTEN,
        "await_all_copies sm70": WRITTEN,
    },
    "backend/copy/copy_host.h": {
        "commit_copies host": WRITTEN,
        "await_copies host": WRITTEN,
        "await_all_copies host": WRITTEN,
    },
    "backend/copy/ring_device.h": {"arrive_in_leader sm100": TOOLKIT},
    "backend/grid/first_warp.h": {
        "meet_block host": ALONE,
        "rank_in_first_warp host": ALONE,
        "is_in_first_warp host": ALONE,
        "sync_first_warp host": ALONE,
    },
    "backend/grid/grid_dependency_device.h": {"launch_dependent_grids any": "before sm_90, a grid begins when the one before has ended"},
    "backend/grid/grid_phase.h": {"check_residency any": "threads of the host, and of a release build, are not counted"},
    "backend/grid/grid_phase_device.h": {
        "was_last sm70": "before sm_90, the last thread reads the word, too: a fence costs more",
        "acquire_what_was_seen sm70": "before sm_90, each read of the word acquires",
    },
    "backend/grid/launch_device.h": {"expect_launch_in_block sm100": TOOLKIT},
    "backend/permit/permit_flag.h": {
        "is_only_lane any": "a host thread has no other lanes",
        "pause_in_queue any": "a host thread sleeps in its wait",
    },
    "backend/phase/await_flip_host.h": {"let_others_arrive host": "the operating system runs the others"},
    "backend/phase/block_phase.h": {
        "invalidate any": "words in memory need no end; mbarriers have the other",
        "publish_initialized_barriers any": "before sm_90, and on the host, who initializes synchronizes the users",
    },
    "backend/phase/block_phase_device.h": {"reject_remote sm80": "before sm_90, there are no clusters"},
    "backend/phase/countdown.h": {"let_others_count_down any": "the operating system runs the others"},
    "checked/meeting.h": {
        "begin_use any": "the host has no setmaxnreg and no lanes to meet",
        "begin_meeting any": DEVICE_RECORDS,
        "end_meeting any": DEVICE_RECORDS,
    },
    "checked/phase.h": {
        "note_exit any": "only blocks of a cluster, from sm_90 on, record that they end",
        "note_pipeline any": "an assertion on the host says what it has: host/pipeline_checked.cpp",
    },
    "checked/phase_recorded.h": {
        "record_copies any": WRITTEN,
        "require_common_memory any": "host threads share all memory",
        "record_name any": DEVICE_RECORDS,
        "forget any": DEVICE_RECORDS,
    },
    "hang/cluster_device.h": {"rank_in_cluster sm70": "before sm_90, a block is alone"},
    "hang/watch.h": {
        "meet_lanes any": "a host thread has no other lanes",
        "note any": NO_RECORDS,
        "note host": "a call without a location: no_caller",
        "is_early any": "an object of the host has a constructor",
        "record_init any": DEVICE_RECORDS,
        "note_permit any": DEVICE_RECORDS,
        "note_release any": DEVICE_RECORDS,
        "note_stored any": DEVICE_RECORDS,
        "note_changed any": DEVICE_RECORDS,
        "note_exchanged any": DEVICE_RECORDS,
        "note_given any": DEVICE_RECORDS,
        "note_arrival any": DEVICE_RECORDS,
        "note_round any": DEVICE_RECORDS,
        "note_wait any": DEVICE_RECORDS,
        "find_arrival any": DEVICE_RECORDS,
    },
    "thread/time.h": {
        "notify sm70": "threads of a GPU poll: none sleeps",
        "notify_after_change sm70": "threads of a GPU poll: none sleeps",
        "let_lanes_run host": "a host thread has no other lanes",
    },
    "trace/span.h": {
        "use_offset host": "a timeline has the events of GPUs",
        "begin host": "a timeline has the events of GPUs",
        "end host": "a timeline has the events of GPUs",
    },
}


def empty(text):
    """Their names, with the target."""
    return {f"{match[1]} {match[2]}" for match in EMPTY.finditer(cpp.without_comments_and_directives(text))}


def test_each_has_a_reason():
    found = {str(path.relative_to(HEADERS)): empty(path.read_text(encoding="utf-8")) for path in HEADERS.rglob("*.h")}
    names = {(header, name) for header, names in found.items() for name in names}
    listed = {(header, name) for header, reasons in REASONS.items() for name in reasons}
    assert not names - listed, f"say why they do nothing, or do what the other targets do: {sorted(names - listed)}"
    assert not listed - names, f"they do something now: {sorted(listed - names)}"


def test_they_are_found():
    text = (
        "void a(target::any, const void*, caller) {}\nbool b(target::sm70) {\n  return false;\n}\n"
        "template <class C>\nvoid d(target::host, const C&, caller where = caller::here()) noexcept {\n}\n"
        "void e(target::any, caller where) {\n  note(where);\n}\n"
    )
    assert empty(text) == {"a any", "b sm70", "d host"}
