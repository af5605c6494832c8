"""No cell of the atlas is worse than recorded: its instructions and its PTX, compared with those of the best peer."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The peers' numbers are in docs/design/atlas_*.jsonl, so that the test needs no other library.

import os

import pytest

import catalog
import compile_map
import compiler
import map_files
from cudasync_tools import toolchain

OURS = compiler.Contestant("ours", "cudasync", (str(toolchain.INCLUDE),))
CHUNK = 60


def counted(name, count, arch, cases):
    """(cells as recorded, the same cells with what ours has now)"""
    _, recorded = map_files.read_table(map_files.FILES[name])
    label = compile_map.PTX if name == "compile" else arch
    known = [case for case in cases if catalog.key_of(label, case) in recorded]
    work = [(OURS, part, arch) for part in compiler.chunks(known, CHUNK)]
    now = {}
    for case in known:
        now[catalog.key_of(label, case)] = {who: numbers for who, numbers in recorded[catalog.key_of(label, case)].items() if who != "ours"}
    for (_, part, _), found in compiler.in_processes(count, work, os.cpu_count() if toolchain.THOROUGH else 2):
        for index, numbers in found.items():
            now[catalog.key_of(label, part[index])]["ours"] = numbers
    return recorded, now


def check(name, count, arch, cases):
    recorded, now = counted(name, count, arch, cases if toolchain.THOROUGH else catalog.sample(cases))
    if not now:
        pytest.skip(f"no cell is recorded for {arch}")
    lost = [cell for cell, numbers in now.items() if "ours" not in numbers and "ours" in recorded[cell]]
    worse = [f"{' | '.join(cell)}: {before:.2f} is now {after:.2f}" for cell, before, after in map_files.worse(recorded, now)]
    if lost or worse:
        lines = [*(f"does not compile: {' | '.join(cell)}" for cell in lost), *worse]
        pytest.fail(f"{len(lines)} of {len(now)} cells; benchmarks/atlas/run.py measures them:\n" + "\n".join(lines[:40]), pytrace=False)


def in_turn(part):
    return pytest.mark.skipif(part not in toolchain.in_turn(["instructions", "PTX"]), reason="takes turns with the other test")


@in_turn("instructions")
@pytest.mark.parametrize("arch", catalog.ARCHITECTURES if toolchain.THOROUGH else ("90a",))
def test_instructions(arch):
    check("sass", compiler.counted, arch, [case for case in catalog.all_cases() if catalog.is_counted(case, arch)])


@in_turn("PTX")
def test_ptx():
    check("compile", compile_map.ptx_bytes, compile_map.ARCH, compile_map.one_of_each_row(catalog.all_cases()))


def test_a_longer_cell_is_found():
    recorded = {("90a", "g", "r", "c"): {"ours": (30,), "toolkit": (20,), "hand": (25,)}}
    assert map_files.worse(recorded, {("90a", "g", "r", "c"): {"ours": (30,), "toolkit": (20,)}}) == []
    found = map_files.worse(recorded, {("90a", "g", "r", "c"): {"ours": (32,), "toolkit": (20,), "hand": (25,)}})
    assert [(before, after) for _, before, after in found] == [(1.5, 1.6)]
