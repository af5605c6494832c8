"""What the threads of a block in a core dump wait for, and where."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import NamedTuple

from cudasync.report.cubin import Cubin, demangled, short_name
from cudasync.report.dump import Block, Dump, Thread, Warp
from cudasync.report.elf import Section
from cudasync.report.instructions import BarSync, Poll, TryWait

_OFFSET_IN_BLOCK = 0xFFFFFF  # of an address in shared memory; the other bits are the block's rank in its cluster


class Awaited(NamedTuple):
    """What threads wait for."""

    kind: str  # mbarrier, block barrier or memory; none: they may run
    address: int = 0  # of a block barrier: the id, -1 if it is not known
    size: int | None = 0  # of a value in memory; the count of a block barrier, 0 for all threads, None if it is not known
    call: str = ""  # the function of a library that reads the memory


class Wait(NamedTuple):
    """Where threads wait: the innermost line outside libraries. call: the function of a library that it calls."""

    place: str
    parity: int | None = None
    call: str = ""


@dataclass
class Picture:
    """What the threads of a block do."""

    block: Block
    waits: dict[Awaited, dict[Wait, list[int]]] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        x, y, z = self.block.grid.threads
        return x * y * z

    @functools.cached_property
    def exited(self) -> list[int]:
        there = {thread.rank for warp in self.block.warps for thread in warp.threads}
        return [rank for rank in range(self.threads) if rank not in there]

    def word(self, address: int) -> int | None:
        """A word of shared memory."""
        found = self.block.shared[address : address + 8]
        return int.from_bytes(found, "little") if len(found) == 8 else None

    def at(self, what: Awaited) -> int:
        """How many threads wait for an object."""
        return sum(len(ranks) for ranks in self.waits[what].values())

    def missing_at(self, what: Awaited) -> int:
        """How many threads are not yet at a barrier of the block. It is complete if all threads that have not exited are there."""
        return min(what.size or self.threads, self.threads - len(self.exited)) - self.at(what)

    def key(self) -> str:
        """The same for blocks that wait in the same way. Where other threads are is not part of it: they may run."""
        waits = [(what, self.word(what.address) if what.kind == "mbarrier" else 0, found) for what, found in self.waits.items() if what.kind]
        return repr((self.block.grid.entry, waits, self.exited))


def look_at(dump: Dump) -> list[Picture]:
    """What the threads of all blocks do."""
    code = _Code(dump)
    return [_look_at(code, block) for block in sorted(dump.blocks, key=lambda block: list(reversed(block.index)))]


def _look_at(code: _Code, block: Block) -> Picture:
    picture = Picture(block)
    for warp in block.warps:
        for thread in warp.threads:
            what, wait = _wait_of(code, warp, thread)
            picture.waits.setdefault(what, {}).setdefault(wait, []).append(thread.rank)
    # If all threads are at a barrier of the block, it is complete, and they are behind it.
    for what in [each for each in picture.waits if each.kind == "block barrier" and each.size is not None and picture.missing_at(each) <= 0]:
        for wait, ranks in picture.waits.pop(what).items():
            picture.waits.setdefault(Awaited(""), {}).setdefault(wait, []).extend(ranks)
    return picture


def _wait_of(code: _Code, warp: Warp, thread: Thread) -> tuple[Awaited, Wait]:
    found, place, call = code.at(thread)
    if isinstance(found, BarSync):
        return Awaited("block barrier", -1 if found.id is None else found.id, found.threads), Wait(place, None, call)
    if isinstance(found, TryWait):
        address = found.offset + thread.register(found.register) + warp.uniform(found.uniform)
        return Awaited("mbarrier", address & _OFFSET_IN_BLOCK), Wait(place, thread.register(found.phase) >> 31, call)
    if isinstance(found, Poll) and found.register is not None:
        address = thread.register(found.register) + (thread.register(found.register + 1) << 32) + found.offset
        return Awaited("memory", address, found.size, call), Wait(place)
    return Awaited(""), Wait(place, None, call)


def polled(pictures: list[Picture]) -> list[tuple[int, int]]:
    """Addresses and sizes of the values in global memory for which threads wait."""
    return sorted({(what.address, what.size or 4) for picture in pictures for what in picture.waits if what.kind == "memory"})


class _Code:
    """The code of the program, where many threads are at few places."""

    def __init__(self, dump: Dump) -> None:
        self._cubins = dump.cubins
        self._known: dict[object, tuple[TryWait | BarSync | Poll | None, str, str]] = {}

    def at(self, thread: Thread) -> tuple[TryWait | BarSync | Poll | None, str, str]:
        """What the thread waits for, the line, and the function of a library that it is in."""
        key = (thread.pc, *thread.predicates)
        if key not in self._known:
            self._known[key] = self._find(thread)
        return self._known[key]

    def _find(self, thread: Thread) -> tuple[TryWait | BarSync | Poll | None, str, str]:
        for cubin in self._cubins:
            section = cubin.section_at(thread.pc)
            if section is not None:
                found = cubin.wait_at(section, thread.pc, thread.predicates)
                at = found.at if found is not None else thread.pc - section.address
                if isinstance(found, TryWait) and _instruction_line(cubin, section, found.first) == _instruction_line(cubin, section, at):
                    at = found.first  # ptxas moves the loop behind other code, where the lines of the callers may be those of another wait
                return (found, *_place(cubin, section.address + at))
        return None, "a function of the driver", ""


def _instruction_line(cubin: Cubin, section: Section, offset: int) -> str:
    return "".join(map(str, cubin.lines_at(section.address + offset)[:1]))


def _place(cubin: Cubin, pc: int) -> tuple[str, str]:
    """The innermost line outside libraries, and the function of a library that it calls."""
    chain = cubin.lines_at(pc)
    for index, each in enumerate(chain):
        if not each.is_in_library:
            return str(each), short_name(chain[index - 1].function) if index else ""
    if chain:
        return str(chain[-1]), ""
    start = max((each for each in cubin.functions if each <= pc), default=pc)
    return f"{demangled(cubin.functions.get(start, 'code'))} + {pc - start:#x}", ""
