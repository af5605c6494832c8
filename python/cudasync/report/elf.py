"""Sections of an ELF file: a core dump of a GPU, and the cubins in it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import mmap
import struct
from typing import NamedTuple, Union

Bytes = Union[bytes, mmap.mmap]

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE, _NO_BITS, _LOUSER, _FUNCTION, _OBJECT = 2, 8, 0x80000000, 2, 1


class Section(NamedTuple):
    """A section header."""

    number: int
    name: str
    type: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    entry_size: int


class Symbol(NamedTuple):
    """A function or a variable."""

    name: str
    section: int
    value: int
    size: int
    is_function: bool


class Elf:
    """A little-endian ELF file of 64 bits."""

    def __init__(self, data: Bytes, base: int = 0, size: int | None = None) -> None:
        self._data, self._base = data, base
        header = data[base : base + 64]
        if len(header) < 64 or header[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not an ELF file of 64 bits")
        self.kind, self.machine = struct.unpack_from("<HH", header, 16)
        (table,) = struct.unpack_from("<Q", header, 40)
        entry, count, names = struct.unpack_from("<HHH", header, 58)
        end = len(data) if size is None else base + size
        if table == 0 or entry != _SECTION.size or base + table + entry > end:
            raise ValueError("the ELF file has no section headers: it is not complete")
        first = _SECTION.unpack_from(data, base + table)
        count = count or first[5]  # with very many sections, the header of section 0 has their number
        names = names if names != 0xFFFF else first[6]
        if base + table + entry * count > end:
            raise ValueError("the ELF file ends before its section headers: it is not complete")
        raw = list(_SECTION.iter_unpack(data[base + table : base + table + entry * count]))
        texts = data[base + raw[names][4] : base + raw[names][4] + raw[names][5]]
        # A core dump has up to a million sections, whose types say what they are.
        self.sections = [
            Section(number, _text(texts, name) if type < _LOUSER else "", type, address, offset, length, link, info, each)
            for number, (name, type, _, address, offset, length, link, info, _, each) in enumerate(raw)
        ]

    def bytes_of(self, section: Section) -> bytes:
        """The contents: none of a section that has only a size."""
        begin = self._base + section.offset
        return b"" if section.type == _NO_BITS else bytes(self._data[begin : begin + section.size])

    def part(self, section: Section) -> Elf:
        """The ELF file that is the contents of a section."""
        return Elf(self._data, self._base + section.offset, section.size)

    def find(self, name: str) -> bytes:
        """The contents of the first section of this name, or no bytes."""
        return next((self.bytes_of(each) for each in self.sections if each.name == name), b"")

    def symbols(self) -> list[Symbol]:
        """Functions and variables."""
        found: list[Symbol] = []
        for table in self.sections:
            if table.type != _SYMBOL_TABLE:
                continue
            texts = self.bytes_of(self.sections[table.link])
            for name, kind, _, section, value, size in _SYMBOL.iter_unpack(self.bytes_of(table)):
                if kind & 15 in (_FUNCTION, _OBJECT):
                    found.append(Symbol(_text(texts, name), section, value, size, kind & 15 == _FUNCTION))
        return found


def _text(texts: bytes, offset: int) -> str:
    return texts[offset : texts.index(b"\0", offset)].decode(errors="replace")
