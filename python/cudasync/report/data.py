"""The report of a core dump as data: what report.schema.json describes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudasync.report import text
from cudasync.report.causes import likely_causes
from cudasync.report.dump import Dump
from cudasync.report.objects import Mbarrier, is_mbarrier
from cudasync.report.waits import Awaited, Picture, Wait
from cudasync.report.words import spans

_KINDS = {"mbarrier": "barrier", "block barrier": "block_barrier", "memory": "memory"}


def data(dump: Dump, pictures: list[Picture]) -> dict[str, Any]:
    """All kernels and blocks of a dump. Blocks that wait in the same way are one."""
    grids = text.grids(dump)
    return {
        "version": 1,
        "kernels": [{"name": text.kernel_name(dump, grid), "blocks": sum(block.grid is grid for block in dump.blocks)} for grid in grids],
        "blocks": [_block(dump, same, grids.index(same[0].block.grid)) for same in text.groups(pictures)],
    }


def _block(dump: Dump, same: list[Picture], kernel: int) -> dict[str, Any]:
    picture = same[0]
    return {
        "kernel": kernel,
        "indices": [list(each.block.index) for each in same],
        "threads": picture.threads,
        "objects": [_object(dump, picture, what, waits) for what, waits in picture.waits.items() if what.kind],
        "running": [_wait(wait, ranks) for wait, ranks in picture.waits.get(Awaited(""), {}).items()],
        "exited": spans(picture.exited),
        "other_barriers": [{"address": address, "phase": _phase(word)} for address, word in text.other_barriers(picture)],
        "likely_causes": [{"cause": each.what, "text": each.text, "remedy": each.remedy} for each in likely_causes(dump, picture)],
    }


def _object(dump: Dump, picture: Picture, what: Awaited, waits: dict[Wait, list[int]]) -> dict[str, Any]:
    word = picture.word(what.address) if what.kind == "mbarrier" else None
    value = dump.memory(what.address, what.size or 4) if what.kind == "memory" else None
    return {
        "kind": _KINDS[what.kind],
        "address": None if what.address < 0 else what.address,
        "phase": None if word is None else _phase(word),
        "value": None if value is None else int.from_bytes(value, "little"),
        "text": text.object_text(dump, picture, what),
        "waits": [_wait(wait, ranks) for wait, ranks in waits.items()],
    }


def _phase(word: int) -> dict[str, int] | None:
    if not is_mbarrier(word):
        return None
    state = Mbarrier.of(word)
    return {"parity": state.parity, "arrived": state.expected - state.pending, "expected": state.expected, "bytes": state.bytes}


def _wait(wait: Wait, ranks: Iterable[int]) -> dict[str, Any]:
    return {"threads": spans(ranks), "at": wait.place, "parity": wait.parity, "call": wait.call or None}
