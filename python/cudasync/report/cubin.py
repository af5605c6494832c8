"""The functions, variables and lines of a cubin in a core dump, whose addresses are those of the GPU."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from cudasync.report.elf import Elf, Section
from cudasync.report.instructions import BarSync, Code, Poll, TryWait
from cudasync.report.lines import Lines, Place


class Variable(NamedTuple):
    """A variable in global memory."""

    name: str
    address: int
    size: int


class Cubin:
    """A module that the driver has loaded. Functions that have not been called yet have no address."""

    def __init__(self, elf: Elf, architecture: int) -> None:
        self._elf, self._architecture = elf, architecture
        self._code = [each for each in elf.sections if each.name.startswith(".text.") and each.address]
        symbols = [each for each in elf.symbols() if each.value]
        self.functions = {each.value: each.name for each in symbols if each.is_function}
        self.variables = [Variable(demangled(each.name), each.value, each.size) for each in symbols if not each.is_function]

    @functools.cached_property
    def _lines(self) -> Lines:
        return Lines(self._elf.find(".debug_line"), self._elf.find(".debug_str"))

    @functools.cached_property
    def _decoded(self) -> dict[int, Code]:
        return {}

    def section_at(self, pc: int) -> Section | None:
        """The code that has this address."""
        return next((each for each in self._code if each.address <= pc < each.address + each.size), None)

    def wait_at(self, section: Section, pc: int, predicates: Sequence[bool]) -> TryWait | BarSync | Poll | None:
        """What a thread waits for there."""
        if section.number not in self._decoded:
            self._decoded[section.number] = Code(self._elf.bytes_of(section), self._architecture)
        return self._decoded[section.number].wait_at(pc - section.address, predicates)

    def lines_at(self, pc: int) -> list[Place]:
        """The line of an instruction, and the lines of the calls that were inlined, from the innermost on."""
        return self._lines.at(pc)


@functools.cache
def demangled(name: str) -> str:
    """int f<3>(int), of _Z1fILi3EEii; the name itself if it is not mangled, or if there is no libstdc++."""
    try:
        demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except (OSError, AttributeError):
        return name
    demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = demangle(name.encode(), None, None, ctypes.byref(status))
    return ctypes.string_at(text).decode(errors="replace") if text else name


def short_name(name: str) -> str:
    """barrier::wait, of a mangled name: without namespaces, template arguments and parameters."""
    without, depth = "", 0
    for each in demangled(name):
        depth += each in "<("
        if depth == 0:
            without += each
        depth -= each in ">)"
    words = re.sub(r"( const| volatile)+$", "", without.strip()).split(" ")
    return "::".join(re.sub(r"\b(cudasync|cuda|std|v\d\w*|__\d)::", "", words[-1]).split("::")[-2:])
