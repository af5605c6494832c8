"""Likely causes of a hang: only what the memory shows."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

from typing import NamedTuple

from cudasync.report.dump import Dump
from cudasync.report.objects import Mbarrier, grid_barrier_missing, is_mbarrier, semaphore_waiting
from cudasync.report.waits import Awaited, Picture, Wait
from cudasync.report.words import counted, has, ranges

_CIRCLE = 2


class Cause(NamedTuple):
    """Of several causes, those with the lowest rank are given. what: a word of the JSON of reports."""

    rank: int
    what: str
    text: str
    remedy: str


def likely_causes(dump: Dump, picture: Picture) -> list[Cause]:
    """Why the threads of a block wait."""
    found = [_cause(dump, picture, what, list(waits)) for what, waits in picture.waits.items()]
    causes = [each for each in found if each is not None]
    if all(each is not None and each.rank > _CIRCLE for each in found) and (circle := _circle(picture)) is not None:
        return [circle]
    return [each for each in causes if each.rank == min(causes).rank]


def _circle(picture: Picture) -> Cause | None:
    """All threads of the block wait, at different barriers, and only they can arrive there."""
    kinds = {what.kind for what in picture.waits}
    if len(picture.waits) < 2 or "block barrier" not in kinds or not kinds <= {"mbarrier", "block barrier"} or picture.block.grid.has_clusters:
        return None
    parts = [f"{ranges(rank for ranks in waits.values() for rank in ranks)} at {_barrier(what)}" for what, waits in picture.waits.items()]
    all_of_them = f"{', '.join(parts[:-1])} and {parts[-1]}"
    text = f"{all_of_them} wait for each other" if len(parts) == 2 else f"all threads of the block wait, at different barriers: {all_of_them}"
    return Cause(_CIRCLE, "barriers_in_a_circle", text, "let all threads reach the barriers in the same order")


def _cause(dump: Dump, picture: Picture, what: Awaited, waits: list[Wait]) -> Cause | None:
    if what.kind == "mbarrier":
        return _at_mbarrier(picture, what, waits)
    if what.kind == "block barrier" and what.size is not None:
        missing = picture.missing_at(what)
        return Cause(
            6,
            "threads_missing",
            f"{counted(missing, 'thread')} {has(missing)} not arrived at {_barrier(what)}",
            "let all threads that are counted reach this barrier, and all barriers in the same order",
        )
    bytes = dump.memory(what.address, what.size or 4) if what.kind == "memory" else None
    if bytes is None:
        return None
    word = int.from_bytes(bytes, "little")
    if what.call.startswith("grid_barrier::"):
        return _at_grid_barrier(word)
    if what.call == "counting_semaphore::acquire" and (waiting := semaphore_waiting(word)):
        return Cause(
            4,
            "no_permit",
            f"no permit is left, and {counted(waiting, 'thread')} {'waits' if waiting == 1 else 'wait'}",
            "pair each acquire with a release, on every path, and construct the semaphore with the initial number of permits",
        )
    return None


def _at_mbarrier(picture: Picture, what: Awaited, waits: list[Wait]) -> Cause | None:
    name, word = _barrier(what), picture.word(what.address)
    if word is None:
        return None
    if not is_mbarrier(word):
        return Cause(
            0,
            "barrier_not_initialized",
            f"{name} is not initialized, or something has written over it",
            "initialize it before its first use, and check the bounds of arrays in shared memory",
        )
    state = Mbarrier.of(word)
    blocked = [wait for wait in waits if wait.parity == state.parity]
    if not blocked:  # the phase is complete, and the threads are about to see it
        return None
    if state.bytes < 0:
        return Cause(
            1,
            "bytes_not_expected",
            f"copies have written {counted(-state.bytes, 'byte')} that {name} does not expect",
            "expect the bytes of all copies that complete on this barrier",
        )
    if state.pending == 0:
        return Cause(
            1,
            "bytes_differ",
            f"all arrivals at {name} have been made, and {counted(state.bytes, 'byte')} of copies are missing",
            "compare the number of expected bytes with the copies that complete on this barrier",
        )
    arrived = state.expected - state.pending
    if any(wait.call.endswith("::producer_acquire") for wait in blocked):
        who = "no consumer has" if arrived == 0 else f"{arrived} of {counted(state.expected, 'consumer')} {has(arrived)}"
        return Cause(3, "stage_not_released", f"{who} released the stage of {name}", "let each consumer call consumer_release once for each consumer_wait")
    if arrived == 0:
        return Cause(
            5,
            "phase_not_begun",
            f"no thread has arrived at {name} in this phase",
            "see what the arriving threads wait for; if they have ended, let both sides make the same number of rounds",
        )
    exited = f", and {ranges(picture.exited)} {has(len(picture.exited))} exited" if picture.exited else ""
    are = "is" if state.pending == 1 else "are"
    return Cause(
        4,
        "arrivals_missing",
        f"{counted(state.pending, 'arrival')} at {name} {are} missing{exited}",
        "let every thread that is counted arrive, or call arrive_and_drop before it leaves; or initialize with the number of arrivals",
    )


def _at_grid_barrier(word: int) -> Cause | None:
    missing = grid_barrier_missing(word)
    if missing == 0:
        return None
    who = "participant 0 of the grid barrier has" if missing is None else f"{counted(missing, 'participant')} of the grid barrier {has(missing)}"
    return Cause(
        4,
        "participants_missing",
        f"{who} not arrived",
        "let every block arrive, in every round. If the grid has more blocks than the GPU can hold at once, launch with "
        "cudaLaunchCooperativeKernel, which rejects such a grid",
    )


def _barrier(what: Awaited) -> str:
    return f"the barrier at {what.address:#x}" if what.kind == "mbarrier" else block_barrier(what)


def block_barrier(what: Awaited) -> str:
    """What kernels call it."""
    if (what.address, what.size) == (0, 0):
        return "__syncthreads()"
    return f"named barrier {what.address}" if what.address >= 0 else "a named barrier"
