#!/usr/bin/env python3
"""Writes the ways of calls, from the function that a program calls to the instruction, into docs/design/decisions/layers.md."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# test/lint/test_ways.py checks that each function is in its file and calls the next one.

import argparse
import itertools
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import pages

PROGRAM = "docs/ways.py"
PAGE = ROOT / "docs/design/decisions/layers.md"


class Step(NamedTuple):
    file: str  # below include/cudasync
    function: str
    name_in_caller: str = ""  # if the function before this one calls it by another name


# In the release build for sm_90, of an object in shared memory.
WAYS = {
    "barrier::arrive_and_wait": [
        Step("barrier.h", "arrive_and_wait"),
        Step("checked/phase.h", "arrive_and_wait"),
        Step("backend/phase/block_phase_device.h", "arrive_and_wait"),
        Step("ptx/mbarrier.h", "mbarrier_arrive"),
    ],
    "memcpy_async_tx": [
        Step("memcpy_async_tx.h", "memcpy_async_tx"),
        Step("l2_cache_hint.h", "bulk_copy"),
        Step("ptx/cp_async_bulk.h", "cp_async_bulk"),
    ],
    "pipeline::producer_acquire": [
        Step("pipeline.h", "producer_acquire"),
        Step("pipeline.h", "await"),
        Step("checked/phase.h", "wait"),
        Step("backend/phase/block_phase_device.h", "wait"),
        Step("backend/phase/block_phase_device.h", "await_mbarrier"),
        Step("backend/phase/block_phase_device.h", "test_mbarrier"),
        Step("ptx/mbarrier.h", "mbarrier_try_wait_parity"),
    ],
    "bulk_pipeline::producer_acquire": [
        Step("bulk_pipeline.h", "producer_acquire"),
        Step("checked/ring_device.h", "await_ring"),
        Step("backend/copy/ring_device.h", "await_ring"),
        Step("ptx/mbarrier.h", "mbarrier_try_wait_until_parity"),
    ],
    "atomic::fetch_add": [
        Step("atomic.h", "fetch_add"),
        Step("atomic_ref.h", "fetch_add"),
        Step("atomic_ref.h", "fetch"),
        Step("backend/atomic/fetch_device.h", "fetch"),
        Step("backend/atomic/fetch_device.h", "fetch_with"),
        Step("backend/atomic/fetch_device.h", "fetch_by"),
        Step("backend/order/access_device.h", "access"),
        Step("backend/atomic/fetch_device.h", "operator()", "accessor"),
        Step("ptx/atom.h", "atom"),
    ],
}


def drawing():
    """Each file on a line of its own, with the functions that the call passes there."""
    yield "```text"
    width = max(len(step.file) for way in WAYS.values() for step in way)
    for number, (name, way) in enumerate(WAYS.items()):
        if number:
            yield ""
        yield name
        for file, steps in itertools.groupby(way, lambda step: step.file):
            yield f"  {file.ljust(width)}  {' > '.join(step.function for step in steps)}"
    yield "```"
    yield ""


def written(text):
    return pages.written(PROGRAM, text, {"ways": drawing})


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
