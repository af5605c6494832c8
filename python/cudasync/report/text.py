"""The text of a report from a core dump, in the manner of the report of the checked build."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

from collections.abc import Iterator

from cudasync.report.causes import block_barrier, likely_causes
from cudasync.report.cubin import demangled
from cudasync.report.dump import Dump, Grid
from cudasync.report.objects import Mbarrier, describe, is_mbarrier
from cudasync.report.waits import Awaited, Picture, Wait
from cudasync.report.words import counted, has, ranges

_MOST_PICTURES, _MOST_OTHER_BARRIERS = 6, 16


def report(dump: Dump, pictures: list[Picture]) -> Iterator[str]:
    """The lines of the report about all blocks of a dump."""
    yield from _kernels(dump)
    alike = groups(pictures)
    for same in alike[:_MOST_PICTURES]:
        yield from _block(dump, same[0], len(same) - 1)
    left = sum(map(len, alike[_MOST_PICTURES:]))
    if left:
        yield f"... and {counted(left, 'more block')} that wait in other ways."
    yield "A release build does not record who has arrived. To find the cause, compile with CUDASYNC_CHECKED=1 and run again."


def groups(pictures: list[Picture]) -> list[list[Picture]]:
    """Blocks that wait in the same way."""
    found: dict[str, list[Picture]] = {}
    for picture in pictures:
        found.setdefault(picture.key(), []).append(picture)
    return list(found.values())


def grids(dump: Dump) -> list[Grid]:
    """Those of which blocks are on the GPU."""
    return list({id(block.grid): block.grid for block in dump.blocks}.values())


def kernel_name(dump: Dump, grid: Grid) -> str:
    return demangled(next((cubin.functions[grid.entry] for cubin in dump.cubins if grid.entry in cubin.functions), f"at {grid.entry:#x}"))


def _kernels(dump: Dump) -> Iterator[str]:
    for grid in grids(dump):
        there = sum(block.grid is grid for block in dump.blocks)
        x, y, z = grid.blocks
        of = "" if x * y * z == 1 else f" of {x * y * z}"  # 1: the driver also writes this for a cooperative launch
        yield f"kernel {kernel_name(dump, grid)}: {there}{of} {'block is' if there == 1 and not of else 'blocks are'} on the GPU"


def _block(dump: Dump, picture: Picture, others: int) -> Iterator[str]:
    like_it = f", and {counted(others, 'other block')} like it" if others else ""
    yield f"block ({','.join(map(str, picture.block.index))}) of {counted(picture.threads, 'thread')}{like_it}:"
    for what, waits in picture.waits.items():
        if what.kind:
            yield f"  {object_text(dump, picture, what)}"
            yield from (f"    {ranges(ranks)} {'waits' if len(ranks) == 1 else 'wait'} at {_at(wait)}" for wait, ranks in waits.items())
    for wait, ranks in picture.waits.get(Awaited(""), {}).items():
        yield f"  {ranges(ranks)} {'is' if len(ranks) == 1 else 'are'} at {_at(wait)}"
    if picture.exited:
        yield f"  {ranges(picture.exited)} {has(len(picture.exited))} exited"
    yield from _other_barriers(picture)
    causes = likely_causes(dump, picture)
    if causes:
        yield f"  likely cause: {'; '.join(each.text for each in causes)}."
        yield f"  remedy: {'; '.join(dict.fromkeys(each.remedy for each in causes))}."


def _at(wait: Wait) -> str:
    return wait.place + ("" if wait.parity is None else f" for parity {wait.parity}") + (f", in {wait.call}" if wait.call else "")


def object_text(dump: Dump, picture: Picture, what: Awaited) -> str:
    if what.kind == "mbarrier":
        word = picture.word(what.address)
        if word is None:
            return f"barrier at {what.address:#x}: not in the dump"
        return f"barrier at {what.address:#x}: " + (describe(Mbarrier.of(word)) if is_mbarrier(word) else f"{word:#018x} is not a barrier")
    if what.kind == "block barrier":
        there = picture.at(what)
        of = "" if what.size is None else f" of {what.size or picture.threads}"
        return f"{block_barrier(what)}: {there}{of} threads are there"
    value = dump.memory(what.address, what.size or 4)
    number = int.from_bytes(value or b"", "little")
    text = "not in the dump" if value is None else f"value {number if number < 1 << 31 else hex(number)}"
    return f"{_name_of(dump, what.address)} at {what.address:#x}{', ' + what.call if what.call else ''}: {text}"


def _name_of(dump: Dump, address: int) -> str:
    for cubin in dump.cubins:
        for each in cubin.variables:
            if each.address <= address < each.address + each.size:
                return each.name + (f" + {address - each.address}" if address > each.address else "")
    return "memory"


def other_barriers(picture: Picture) -> list[tuple[int, int]]:
    """Addresses and words of shared memory that look like mbarriers, for which no thread waits: usually other stages of a ring."""
    awaited = {what.address for what in picture.waits if what.kind == "mbarrier"}
    if not awaited:
        return []
    words = ((at, picture.word(at) or 0) for at in range(0, len(picture.block.shared) - 7, 8) if at not in awaited)
    return [(at, word) for at, word in words if is_mbarrier(word)]


def _other_barriers(picture: Picture) -> Iterator[str]:
    found = other_barriers(picture)
    for at, word in found[:_MOST_OTHER_BARRIERS]:
        yield f"  no thread waits for the barrier at {at:#x}: {describe(Mbarrier.of(word))}"
    if len(found) > _MOST_OTHER_BARRIERS:
        yield f"  ... and {counted(len(found) - _MOST_OTHER_BARRIERS, 'more word')} that may be barriers"
