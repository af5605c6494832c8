"""What a thread waits for, from the instructions around its program counter, on sm_90 and newer. A test compares with nvdisasm."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

SIZE = 16

# The lower 12 bits of an instruction. A barrier of the block has its id and its count in the instruction, or in registers.
_BRANCH, _TRY_WAIT, _LOADS = 0x947, 0x5A7, (0x980, 0x981)
_BAR, _BAR_COUNT_IN_REGISTER, _BAR_ID_IN_REGISTER, _BAR_IN_REGISTERS = 0xB1D, 0x91D, 0x51D, 0x31D
_LEAVES = (_BRANCH, 0x943, 0x944, 0x94D, 0x950)  # branch, calls, exit and return
_WORKS = (0x984, 0x985, 0x986, 0x388, 0x988, 0x9A7)  # loads from shared memory, stores, and arrivals at mbarriers
_NO_REGISTER, _TRUE = 0xFF, 7
_STRONG = (5, 7, 10)  # loads of scope cta, gpu and sys that are volatile, relaxed or acquire
_LOAD_SIZE = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 8}
_LONGEST_POLL, _AFTER_BAR = 48, 8  # instructions


class TryWait(NamedTuple):
    """mbarrier.try_wait in a loop, and the first try before the loop.

    The address is the sum of two registers and an offset, and bit 31 of the register phase is the parity.
    """

    at: int
    first: int
    register: int | None
    uniform: int | None
    offset: int
    phase: int | None


class BarSync(NamedTuple):
    """bar.sync at an offset in the code. threads: 0 means all of the block. None: in a register."""

    at: int
    id: int | None
    threads: int | None


class Poll(NamedTuple):
    """A load at an offset in the code, which a loop repeats. The address is a pair of registers and an offset. register: None if the load overwrites them."""

    at: int
    register: int | None
    offset: int
    size: int


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _is_executed(low: int, predicates: Sequence[bool]) -> bool:
    number, is_negated = low >> 12 & 7, bool(low >> 15 & 1)
    return (number == _TRUE or predicates[number]) != is_negated


class Code:
    """The code of a function."""

    def __init__(self, code: bytes, architecture: int) -> None:
        self._no_uniform = 0x3F if architecture < 100 else 0xFF
        self._words = [struct.unpack_from("<QQ", code, at) for at in range(0, len(code) // SIZE * SIZE, SIZE)]
        self._branches: list[tuple[int, int]] = []  # from, to
        for index, (low, high) in enumerate(self._words):
            if low & 0xFFF == _BRANCH:
                distance = _signed((low >> 34 | high << 30) & (1 << 48) - 1, 48) << 8 | low >> 16 & 0xFF
                self._branches.append((index, index + 1 + distance * 4 // SIZE))

    def wait_at(self, offset: int, predicates: Sequence[bool]) -> TryWait | BarSync | Poll | None:
        """What a thread with this program counter waits for: the innermost loop around it, if that only waits, or a barrier of the block."""
        here = offset // SIZE
        if here >= len(self._words):
            return None
        around = [(last - first, first, last) for last, first in self._branches if first <= here <= last and first < last]
        length, first, last = min(around, default=(_LONGEST_POLL, 0, 0))
        loop = range(first, last + 1)
        if length >= _LONGEST_POLL or any(self._words[index][0] & 0xFFF in _WORKS for index in loop):
            loop = range(0)
        for index in loop:
            if self._words[index][0] & 0xFFF == _TRY_WAIT:
                return self._try_wait(index, self._first_try(first, last, index))
        # The hardware lets a warp go on behind its barrier, up to the first instruction that must not be executed before.
        for index in range(here, max(here - _AFTER_BAR, 0) - 1, -1):
            low = self._words[index][0]
            if (found := self._bar_sync(index)) is not None and _is_executed(low, predicates):
                return found
            if index < here and low & 0xFFF in _LEAVES:
                break
        for index in loop:
            low, high = self._words[index]
            if low & 0xFFF in _LOADS and high >> 13 & 15 in _STRONG:
                return self._load(index)
        return None

    def _bar_sync(self, index: int) -> BarSync | None:
        low, high = self._words[index]
        kind = low & 0xFFF
        if kind not in (_BAR, _BAR_COUNT_IN_REGISTER, _BAR_ID_IN_REGISTER, _BAR_IN_REGISTERS) or high & 0x2000:  # bar.arrive
            return None
        return BarSync(
            index * SIZE,
            low >> 54 & 15 if kind in (_BAR, _BAR_COUNT_IN_REGISTER) else None,
            low >> 42 & 0xFFF if kind in (_BAR, _BAR_ID_IN_REGISTER) else None,
        )

    def _first_try(self, first: int, last: int, index: int) -> int:
        """ptxas moves the loop to the end of the code. The first try, which branches there, stays in its place."""
        (entry, *others) = [source for source, target in self._branches if first <= target <= last and not first <= source <= last] or [-1]
        tries = [each for each in range(entry - 1, entry - 4, -1) if each >= 0 and self._words[each][0] & 0xFFF == _TRY_WAIT]
        return tries[0] if tries and not others else index

    def _try_wait(self, index: int, first: int) -> TryWait:
        low, high = self._words[index]
        register, phase, uniform = low >> 24 & 0xFF, low >> 32 & 0xFF, high & self._no_uniform
        return TryWait(
            index * SIZE,
            first * SIZE,
            None if register == _NO_REGISTER else register,
            None if uniform == self._no_uniform else uniform,
            _signed(low >> 40, 24),
            None if phase == _NO_REGISTER else phase,
        )

    def _load(self, index: int) -> Poll:
        low, high = self._words[index]
        into, register, size = low >> 16 & 0xFF, low >> 24 & 0xFF, _LOAD_SIZE.get(high >> 9 & 7, 16)
        written = range(into, into + max(size // 4, 1))
        return Poll(index * SIZE, None if register in written or register + 1 in written else register, _signed(low >> 40, 24), size)
