"""Lines of source for the instructions of a cubin that was compiled with -lineinfo."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import bisect
import re
from pathlib import PurePosixPath
from typing import NamedTuple

# Opcodes of DWARF 2. The last one is NVIDIA's: the row that called the function from which this code was inlined, and
# the name of that function in .debug_str.
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _CONST_ADD_PC, _FIXED_ADVANCE_PC = 1, 2, 3, 4, 8, 9
_END_SEQUENCE, _SET_ADDRESS, _INLINED_CALL = 1, 2, 0x90
_END = 0  # the line of a row after a function

_LIBRARY = re.compile(r"(?:^|/)include/(cooperative_groups|crt|cub|cuda|cudasync|cute|cutlass|nv|thrust)/|^/usr/|/(cuda|nvidia/cu)[^/]*/.*include/")


class Place(NamedTuple):
    """A line, and the function that it is in: empty for the function of the cubin."""

    file: str
    line: int
    function: str

    @property
    def is_in_library(self) -> bool:
        return _LIBRARY.search(self.file) is not None

    def __str__(self) -> str:
        return f"{PurePosixPath(self.file).name}:{self.line}"


class _Row(NamedTuple):
    address: int
    file: int
    line: int
    caller: int
    function: int


class _Reader:
    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def number(self, size: int, signed: bool = False) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little", signed=signed)

    def leb(self, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def text(self) -> str:
        begin, self.at = self.at, self.data.index(b"\0", self.at) + 1
        return self.data[begin : self.at - 1].decode(errors="replace")


class Lines:
    """The line table of a cubin whose addresses are those of the GPU: 0 for functions that are not loaded."""

    def __init__(self, table: bytes, texts: bytes) -> None:
        self._texts = texts
        found: list[tuple[int, _Unit, list[_Row], int]] = []
        at = 0
        while at + 4 <= len(table):
            unit = _Unit(table, at)
            for rows in unit.sequences:
                if rows[0].address:
                    found += [(row.address, unit, rows, index) for index, row in enumerate(rows)]
            at = unit.end
        # Stable: of several rows of an address, the last is the innermost. The end of a function is not after the next one's begin.
        found.sort(key=lambda each: (each[0], each[2][each[3]].line != _END))
        self._addresses = [each[0] for each in found]
        self._rows = [each[1:] for each in found]

    def at(self, address: int) -> list[Place]:
        """The line of an instruction, and the lines of the calls that were inlined, from the innermost on."""
        found = bisect.bisect_right(self._addresses, address) - 1
        if found < 0:
            return []
        unit, rows, row = self._rows[found]
        if rows[row].line == _END:
            return []
        chain: list[Place] = []
        while row >= 0 and len(chain) < 64:
            each = rows[row]
            name = self._texts[each.function : self._texts.index(b"\0", each.function)].decode() if each.caller else ""
            chain.append(Place(unit.files.get(each.file, "?"), each.line, name))
            row = each.caller - 1  # 1 is the first row of the sequence
        return chain


class _Unit:
    def __init__(self, table: bytes, begin: int) -> None:
        self.sequences: list[list[_Row]] = []
        self.files: dict[int, str] = {}
        read = _Reader(table, begin, len(table))
        self.end = read.number(4) + read.at
        version, header = read.number(2), read.number(4)
        program = read.at + header
        if version not in (2, 3):
            return
        self._instruction, _, self._line_base = read.number(1), read.number(1), read.number(1, signed=True)
        self._line_range, self._opcode_base = read.number(1), read.number(1)
        self._lengths = [0] + [read.number(1) for _ in range(self._opcode_base - 1)]
        folders = [""]
        while folder := read.text():
            folders.append(folder)
        while name := read.text():
            folder = folders[read.leb()]
            self.files[len(self.files) + 1] = name if name.startswith("/") or not folder else f"{folder}/{name}"
            read.leb(), read.leb()
        read.at = program
        self._run(read)

    def _run(self, read: _Reader) -> None:
        address, file, line, caller, function = 0, 1, 1, 0, 0
        rows: list[_Row] = []

        def add() -> None:
            rows.append(_Row(address, file, line, caller, function))

        while read.at < self.end:
            opcode = read.number(1)
            if opcode >= self._opcode_base:
                step = opcode - self._opcode_base
                address += step // self._line_range * self._instruction
                line += self._line_base + step % self._line_range
                add()
            elif opcode == 0:
                length = read.leb()
                after = read.at + length
                extended = read.number(1)
                if extended == _SET_ADDRESS:
                    address = read.number(length - 1)
                elif extended == _INLINED_CALL:
                    caller, function = read.leb(), read.leb()
                elif extended == _END_SEQUENCE:
                    self.sequences.append([*rows, _Row(address, 0, _END, 0, 0)])
                    address, file, line, caller, function, rows = 0, 1, 1, 0, 0, []
                read.at = after
            elif opcode == _COPY:
                add()
            elif opcode == _ADVANCE_PC:
                address += read.leb() * self._instruction
            elif opcode == _ADVANCE_LINE:
                line += read.leb(signed=True)
            elif opcode == _SET_FILE:
                file = read.leb()
            elif opcode == _CONST_ADD_PC:
                address += (255 - self._opcode_base) // self._line_range * self._instruction
            elif opcode == _FIXED_ADVANCE_PC:
                address += read.number(2)
            else:
                for _ in range(self._lengths[opcode]):
                    read.leb()

