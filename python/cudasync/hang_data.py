"""The data of a report of a hang, as a kernel writes it to the host's memory (cudasync/hang/report_data.h)."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import ctypes
from typing import Any

VERSION = 1

# The enumerators of the header, in its order.
_INCIDENTS = ("hang", "too_many_arrivals", "named_barrier")
_KINDS = (
    "nothing barrier counter_barrier grid_barrier peer_barrier world_barrier named_barrier latch semaphore atomic_value atomic_lock peer_signal peer_mailbox "
    "group"
).split()
_ROLES = "none producer consumer scheduler queue_consumer".split()
_CAUSES = """unknown record_replaced pipeline_not_initialized barrier_not_initialized state_not_readable initialized_twice
arrivals_before_init overwritten answer_not_requested answer_not_released bytes_of_other_blocks bytes_at_other_barrier
bytes_not_expected copy_not_complete bytes_differ expected_without_arrival stage_not_released stage_not_filled
released_too_often wrong_stage_released too_many_consumers first_parity parity_not_flipped phase_not_begun overtaken
token_of_other_phase token_of_other_barrier arrived_after_drop arrived_before_bytes arrived_in_own_block arrived_twice
arrived_too_often count_below_lanes count_below_arrivers too_many_producers no_arrival other_blocks_missing
count_above_threads all_threads_arrived count_above_arrivers one_lane_of_each_warp updates_below_count one_thread_only
rounds_differ waiters_do_not_arrive threads_missing turn_not_passed group_too_large arrived_at_other_barrier
stages_in_a_circle barriers_in_a_circle arrival_skipped arrivals_missing participants_missing rank_missing
host_missing no_permit value_unchanged lock_held named_arrivals_missing named_barriers_in_a_circle
named_barrier_misused in_local_memory permits_in_a_circle signal_missing message_missing message_overwritten
""".split()
_NUMBERS = """expected arrived arrivers arrivals threads lost waits_in_a_row parity phases stage fills releases
fewest_releases block bytes_expected bytes_copied missing rank phase is_own value warp id capacity suggested awaited index
""".split()

_MOST = 12
_NONE = 0xFFFFFFFF
_u32, _u64, _warps = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint32 * 32


class _Span(ctypes.Structure):
    _fields_ = (("begin", _u32), ("length", _u32))


class _Object(ctypes.Structure):
    _fields_ = (
        ("address", _u64), ("kind", _u32), ("role", _u32), ("stage", _u32), ("has_phase", _u32), ("expected", _u32),
        ("arrived", _u32), ("parity", _u32), ("bytes", ctypes.c_int32), ("line", _Span), ("name", _Span), ("place", _Span),
    )  # fmt: skip


class _Wait(ctypes.Structure):
    _fields_ = (
        ("object", _u32), ("parity", _u32), ("threads", _u32), ("others", _u32), ("line", _Span), ("place", _Span), ("warps", _warps)
    )  # fmt: skip


class _Number(ctypes.Structure):
    _fields_ = (("value", _u64), ("what", _u32), ("unused", _u32))


class _Cause(ctypes.Structure):
    _fields_ = (
        ("what", _u32), ("object", _u32), ("numbers_used", _u32), ("text", _Span), ("remedy", _Span), ("warps", _warps),
        ("numbers", _Number * 6),
    )  # fmt: skip


class _Data(ctypes.Structure):
    _fields_ = (
        ("version", _u32), ("what", _u32), ("milliseconds", _u32), ("threads", _u32), ("block", _u32 * 3), ("left_out", _u32),
        ("objects_used", _u32), ("waits_used", _u32), ("headline", _Span), ("unexplained", _u32), ("unused", _u32), ("why", _Cause),
        ("other", _Cause), ("further", _Cause), ("objects", _Object * _MOST), ("waits", _Wait * _MOST),
    )  # fmt: skip


class HostReport(ctypes.Structure):
    """The whole report."""

    _fields_ = (("is_complete", _u32), ("text", ctypes.c_char * 8192), ("length", _u32), ("data", _Data))


def text_of(report: HostReport) -> str:
    """The report as the kernel prints it."""
    return _bytes_of(report).decode(errors="replace")


def json_of(report: HostReport) -> dict[str, Any]:
    """The members of cudasync::hang_report::json, which docs/api/hang_report.md describes."""
    text, data = _bytes_of(report), report.data
    if data.version != VERSION:
        raise RuntimeError(
            f"the report has version {data.version}, and this package reads version {VERSION}: compile the kernels with "
            "the headers of the package (cudasync.include_dir())"
        )

    def part(span: _Span) -> str | None:
        found = text[span.begin : span.begin + span.length].decode(errors="replace")
        return "".join(each for each in found if each >= " ") or None

    def wait(each: _Wait) -> dict[str, Any]:
        return {
            "threads": _ranges(each.warps),
            "other_blocks": each.others,
            "at": part(each.place),
            "parity": _or_none(each.parity),
            "text": part(each.line),
        }

    waits = data.waits[: data.waits_used]

    def object_of(index: int, each: _Object) -> dict[str, Any]:
        phase = {"parity": each.parity, "arrived": each.arrived, "expected": each.expected, "bytes": each.bytes}
        return {
            "kind": _KINDS[each.kind],
            "role": _ROLES[each.role] if each.role else None,
            "stage": each.stage if each.role else None,
            "name": part(each.name),
            "address": each.address,
            "initialized_at": part(each.place),
            "phase": phase if each.has_phase else None,
            "text": part(each.line),
            "waits": [wait(other) for other in waits if other.object == index],
        }

    def cause_of(why: _Cause) -> dict[str, Any]:
        return {
            "cause": _CAUSES[why.what],
            "object": _or_none(why.object),
            "threads": _ranges(why.warps),
            "numbers": {_NUMBERS[each.what]: each.value for each in why.numbers[: why.numbers_used]},
            "text": part(why.text),
        }

    return {
        "version": data.version,
        "incident": _INCIDENTS[data.what],
        "headline": part(data.headline),
        "milliseconds": data.milliseconds,
        "block": list(data.block),
        "threads": data.threads,
        "objects": [object_of(index, each) for index, each in enumerate(data.objects[: data.objects_used])],
        "left_out": data.left_out,
        "likely_cause": cause_of(data.why),
        "remedy": part(data.why.remedy),
        "other_causes": [cause_of(data.other)] if data.other.what else [],
        "other_remedy": part(data.other.remedy),
        "further_causes": [cause_of(data.further)] if data.further.what else [],
        "further_remedy": part(data.further.remedy),
        "unexplained": [index for index in range(_MOST) if data.unexplained >> index & 1],
    }


def _bytes_of(report: HostReport) -> bytes:
    return ctypes.string_at(ctypes.addressof(report) + HostReport.text.offset, min(report.length, HostReport.text.size))


def _or_none(number: int) -> int | None:
    return None if number == _NONE else number


def _ranges(warps: Any) -> list[list[int]]:
    """[[0, 36], [38, 255]], from a bit for each thread."""
    ranges: list[list[int]] = []
    for rank in range(1024):
        if warps[rank // 32] >> rank % 32 & 1:
            if ranges and ranges[-1][1] == rank - 1:
                ranges[-1][1] = rank
            else:
                ranges.append([rank, rank])
    return ranges
