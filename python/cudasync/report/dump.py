"""Blocks and threads in a core dump of a GPU, in the format of cudacoredump.h, which comes with cuda-gdb."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cudasync.report.cubin import Cubin
from cudasync.report.elf import Elf, Section

_CUDA, _CORE = 190, 4  # the machine and the kind of the ELF file

# Types of sections. A section links to the table of its parent, and its info is the row there.
_USER = 0x80000000
_MANAGED, _GLOBAL, _SHARED, _REGISTERS, _RELOCATED = (_USER + each for each in (1, 2, 4, 5, 7))
_DEVICES, _SMS, _GRIDS, _BLOCKS, _WARPS, _LANES, _PREDICATES, _UNIFORM = (_USER + each for each in (9, 11, 12, 13, 14, 15, 17, 19))

_Triple = Sequence[int]


@dataclass
class Grid:
    """A kernel that runs."""

    entry: int
    blocks: _Triple
    threads: _Triple
    has_clusters: bool


@dataclass
class Thread:
    """A thread that has not exited."""

    rank: int
    pc: int
    predicates: list[bool]
    _registers: bytes

    def register(self, number: int | None) -> int:
        """None is the register that is always 0."""
        return 0 if number is None else int.from_bytes(self._registers[4 * number : 4 * number + 4], "little")


@dataclass
class Warp:
    """The threads of a warp that have not exited."""

    threads: list[Thread]
    _uniform: bytes

    def uniform(self, number: int | None) -> int:
        """None is the uniform register that is always 0."""
        return 0 if number is None else int.from_bytes(self._uniform[4 * number : 4 * number + 4], "little")


@dataclass
class Block:
    """A block that is on a multiprocessor."""

    index: _Triple
    grid: Grid
    shared: bytes
    warps: list[Warp] = field(default_factory=list)


class Dump:
    """A core dump. Raises ValueError if the file is something else, or if it has nothing to report."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            if not file.read(1):
                raise ValueError("the file is empty")
            self._elf = Elf(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        if (self._elf.machine, self._elf.kind) != (_CUDA, _CORE):
            raise ValueError("not a core dump of a GPU" + ("; of a process on the host, it has no memory of the GPU" if self._elf.kind == _CORE else ""))
        self._children: dict[tuple[int, int, int], Section] = {}
        self._memory: list[Section] = []
        images: list[Section] = []
        for each in self._elf.sections:
            if each.type in (_GLOBAL, _MANAGED):
                self._memory.append(each)
            elif each.type == _RELOCATED:
                images.append(each)
            elif each.type > _USER:
                self._children[each.type, each.link, each.info] = each
        self.values: dict[int, int] = {}  # values in global memory that were read otherwise
        self.architecture = 0
        self.blocks = list(self._all_blocks())
        if not self.blocks:
            raise ValueError("no kernel runs on the GPU")
        if self.architecture < 90:
            raise ValueError(f"the GPU is sm_{self.architecture}, and only the instructions of sm_90 and newer are known")
        self.cubins = [Cubin(self._elf.part(each), self.architecture) for each in images]

    def memory(self, address: int, size: int) -> bytes | None:
        """Bytes of global memory, if they are known."""
        for each in self._memory:
            if each.address <= address and address + size <= each.address + each.size:
                return self._elf.bytes_of(each)[address - each.address :][:size]
        return self.values[address].to_bytes(16, "little")[:size] if address in self.values else None

    def _rows(self, table: Section | None, format: str) -> Iterator[tuple[int, ...]]:
        if table is None:
            return
        rows = self._elf.bytes_of(table)
        size = struct.calcsize(format)
        for at in range(0, len(rows), table.entry_size):  # an older driver writes fewer members
            yield struct.unpack(format, rows[at : at + table.entry_size][:size].ljust(size, b"\0"))

    def _child(self, kind: int, parent: Section, row: int) -> Section | None:
        return self._children.get((kind, parent.number, row))

    def _bytes(self, kind: int, parent: Section, row: int) -> bytes:
        found = self._child(kind, parent, row)
        return self._elf.bytes_of(found) if found else b""

    def _all_blocks(self) -> Iterator[Block]:
        devices = next((each for each in self._elf.sections if each.type == _DEVICES), None)
        for device, (major, minor) in enumerate(self._rows(devices, "<56xII")):
            assert devices is not None
            grids = {}
            for row in self._rows(self._child(_GRIDS, devices, device), "<Q16xQ40x6I8x3I"):
                grids[row[0]] = Grid(row[1], row[2:5], row[5:8], max(row[8:11]) > 1)
            sms = self._child(_SMS, devices, device)
            for sm, _ in enumerate(self._rows(sms, "<I")):
                assert sms is not None
                blocks = self._child(_BLOCKS, sms, sm)
                for block, (grid, *index) in enumerate(self._rows(blocks, "<QIII")):
                    assert blocks is not None
                    if grid in grids:
                        self.architecture = 10 * major + minor
                        yield self._block(blocks, block, index, grids[grid])

    def _block(self, table: Section, row: int, index: _Triple, grid: Grid) -> Block:
        found = Block(index, grid, self._bytes(_SHARED, table, row))
        warps = self._child(_WARPS, table, row)
        for warp, (valid,) in enumerate(self._rows(warps, "<12xI")):
            assert warps is not None
            lanes = self._child(_LANES, warps, warp)
            threads = []
            for lane, (pc, number, *at) in enumerate(self._rows(lanes, "<Q8xIIII")):
                assert lanes is not None
                if valid >> number & 1:
                    rank = at[0] + grid.threads[0] * (at[1] + grid.threads[1] * at[2])
                    predicates = [each != 0 for (each,) in struct.iter_unpack("<I", self._bytes(_PREDICATES, lanes, lane))]
                    threads.append(Thread(rank, pc, predicates, self._bytes(_REGISTERS, lanes, lane)))
            found.warps.append(Warp(threads, self._bytes(_UNIFORM, warps, warp)))
        return found
