"""The state of the objects that threads wait for, from their words in memory."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

from typing import NamedTuple

from cudasync.report.words import counted


class Mbarrier(NamedTuple):
    """The word of an mbarrier on sm_90, as include/cudasync/hang/record_words_device.h decodes it. A test compares the two."""

    pending: int
    expected: int
    bytes: int  # outstanding; negative: more have been copied than expected
    parity: int

    @classmethod
    def of(cls, word: int) -> Mbarrier:
        outstanding = -(word >> 21) & 0x1FFFFF
        return cls(-(word >> 43) & 0xFFFFF, -(word >> 1) & 0xFFFFF, outstanding - (outstanding >> 20 << 21), word >> 63)


def is_mbarrier(word: int) -> bool:
    """Whether these bits may be an initialized mbarrier. Of random bits, one in 4,000 millions may."""
    state = Mbarrier.of(word)
    return word & 1 == 0 and word >> 42 & 1 == 0 and state.pending <= state.expected and 0 < state.expected <= 1 << 12


def describe(state: Mbarrier) -> str:
    """As in the report of the checked build."""
    arrived = state.expected - state.pending
    text = f"phase of parity {state.parity}, {counted(arrived, 'arrival')} of {state.expected}"
    if state.bytes:
        text += f", {counted(abs(state.bytes), 'byte')} {'outstanding' if state.bytes > 0 else 'more than expected'}"
    return text


def grid_barrier_missing(word: int) -> int | None:
    """How many participants of a grid_barrier have not arrived, as in include/cudasync/backend/grid/grid_phase.h.

    None: the number is not known, and participant 0 is one of them.
    """
    count = word & 0x7FFFFFFF
    return 0x80000000 - count if count >= 0x40000000 else None


def semaphore_waiting(word: int) -> int:
    """How many threads wait for a permit of a counting_semaphore, as in include/cudasync/backend/permit/permit_queue.h."""
    available = word & 0xFFFFFFFF
    return (1 << 32) - available if available >> 31 else 0
