#!/usr/bin/env python3
"""Writes the index of names and the cheat sheet, from the headings of the API pages, docs/since.txt and the measured times."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# test/lint/test_index_of_names.py checks that the pages are what this program writes, and that docs/since.txt has each name once.

import argparse
import functools
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import text_figures
from cudasync_tools import api_names, pages

PROGRAM = "docs/names.py"
INDEX, SHEET, SINCE = ROOT / "docs/api/names.md", ROOT / "docs/guide/cheat_sheet.md", ROOT / "docs/since.txt"
OTHER_PAGES = {"ptx.md", "cuda_ptx.md", "compatibility.md", "names.md"}  # they have tables of their own
OWNER = re.compile(r"(?:Class(?:es)?|Structs?) ")


class Name(NamedTuple):
    name: str  # with its class
    page: str
    anchor: str


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def words(title):
    """The names in a heading."""
    found = re.findall(r"`((?:cuda::std::)?[A-Za-z_]\w*(?:::\w+)*)`", title)
    return [word for word in found if not word.startswith(("aligned_size_t<",))]


def owner_of(section):
    """The class whose member a section describes."""
    for each in reversed(section.parents):
        if OWNER.match(each.title) and len(words(each.title)) == 1:
            return words(each.title)[0]
    return ""


@functools.cache
def names():
    """Every name that a heading of an API page has."""
    return tuple(found_names())


def found_names():
    anchors: dict = {}
    for section in api_names.api_sections():
        word = anchor(section.title)
        times = anchors.setdefault((section.page, word), 0)
        anchors[section.page, word] += 1
        if section.page in OTHER_PAGES or len(section.parents) == 0:
            continue
        found = words(section.title)
        first = found[0].rpartition("::")[0] if found else ""
        owner = first if first and first != "cuda::std" else owner_of(section)
        for name in found:
            is_member = owner and owner != name and "::" not in name and (name == "arrival_token" or not OWNER.match(section.title))
            yield Name(f"{owner}::{name}" if is_member else name, section.page, word + (f"-{times}" if times else ""))


# Names that other headers than the first one on their page declare.
OF_OTHER_HEADERS = {
    "multicast_part": "<cudasync/peer_multicast.h>",
    "multicast_signal": "<cudasync/peer_multicast.h>",
    "nvshmem_rail": "<cudasync/nvshmem_rail.h>",
    "nccl_rail": "<cudasync/nccl_rail.h>",
    "make_tma_descriptor": "<cuda/tma>",
}


@functools.cache
def header(page, name=""):
    """The header that declares a name: mostly the first one that its page names."""
    if other := OF_OTHER_HEADERS.get(name.partition("::")[0]):
        return other
    text = (ROOT / "docs/api" / page).read_text(encoding="utf-8")
    return re.search(r"<cuda(?:sync)?/[\w/]+(?:\.h)?>", text)[0]


def since():
    """{name: the version that first had it}"""
    found, version = {}, ""
    for word in re.sub(r"^#.*", "", SINCE.read_text(encoding="utf-8"), flags=re.MULTILINE).split():
        if re.fullmatch(r"\d+\.\d+\.\d+:", word):
            version = word[:-1]
        elif found.setdefault(word, version) != version:
            raise ValueError(f"{SINCE.name}: {word} is in two versions")
    return found


def index():
    versions = since()
    rows: dict = {}
    for each in names():
        rows.setdefault(each.name, each)
    for letter in sorted({name[0].upper() for name in rows}):
        yield from [f"## {letter}", ""]
        chosen = sorted((name for name in rows if name[0].upper() == letter), key=str.lower)
        cells = [(f"[`{name}`]({rows[name].page}#{rows[name].anchor})", f"`{header(rows[name].page, name)}`", versions.get(name, "")) for name in chosen]
        yield from pages.table(("Name", "Since", "Header"), [(cell[0], cell[2], cell[1]) for cell in cells])


# --- The cheat sheet: page, class or functions, the lowest architecture, and the cost ---

ROWS = (
    ("Threads of a block", "barrier.md", "barrier", "sm_70", "{barrier-cycles} cycles (32 threads)"),
    ("Threads of a block", "barrier_tx.md", "", "sm_90", "{ring-tx} × PTX"),
    ("Threads of a block", "named_barrier.md", "named_barrier", "sm_70", "{named} cycles"),
    ("Threads of a block", "named_barrier.md", "dynamic_named_barrier", "sm_70", "{named-dynamic} cycles"),
    ("Threads of a block", "named_barrier.md", "named_channel", "sm_70", "{named-hand-off} cycles"),
    ("Threads of a block", "turns.md", "turns", "sm_70", "not measured"),
    ("Clusters and grids", "cluster_barrier.md", "cluster_barrier", "sm_90", "{cluster} cycles"),
    ("Clusters and grids", "cluster_barrier.md", "remote_barrier", "sm_90", "{remote} cycles, there and back"),
    ("Clusters and grids", "grid_barrier.md", "grid_barrier", "sm_70", "{grid} × `grid.sync()`"),
    ("Several GPUs and hosts", "peer_barrier.md", "peer_barrier", "sm_70", "{peer} µs, 2 GPUs"),
    ("Several GPUs and hosts", "peer_barrier.md", "peer_block_barrier", "sm_70", "{peer-block} µs, 2 GPUs"),
    ("Several GPUs and hosts", "peer_barrier.md", "peer_signal", "sm_70", "not measured"),
    ("Several GPUs and hosts", "peer_barrier.md", "peer_mailbox", "sm_70", "{all-reduce-mailbox} µs, all-reduce"),
    ("Several GPUs and hosts", "peer_barrier.md", "multicast_part", "sm_90", "compiled only"),
    ("Several GPUs and hosts", "world_barrier.md", "world_barrier", "sm_70", "not measured"),
    ("Once, or a limited number", "latch.md", "latch", "sm_70", "{latch} × a counter"),
    ("Once, or a limited number", "semaphore.md", "counting_semaphore", "sm_70", "{semaphore-counting} × a counter"),
    ("Copies", "memcpy_async.md", "", "sm_70", "at most {group-copy} × PTX"),
    ("Copies", "memcpy_async_tx.md", "", "sm_90", "{ring-tx} × PTX"),
    ("Copies", "bulk_store.md", "", "sm_90", "not measured"),
    ("Copies", "bulk_fence.md", "", "sm_90", "a few cycles"),
    ("Copies", "pipeline.md", "pipeline", "sm_70", "{ring-thread} × PTX"),
    ("Copies", "bulk_pipeline.md", "bulk_pipeline", "sm_90", "{ring-bulk} × PTX"),
    ("Copies", "tensor_map.md", "", "sm_90", "on the host"),
    ("Atomics", "atomic.md", "atomic", "sm_70", "{chain} × PTX"),
    ("Atomics", "atomic_functions.md", "atomic_flag", "sm_70", "{chain} × PTX"),
    ("Atomics", "system_atomics.md", "", "sm_70", "on the host"),
    ("Specialized kernels", "tensor_cores.md", "", "sm_90a", "measured in a matrix product"),
    ("Specialized kernels", "tensor_cores.md", "accumulator_pipeline", "sm_100a", "compiled only"),
    ("Specialized kernels", "work_stealing.md", "launch_queue", "sm_70", "not measured"),
    ("Specialized kernels", "grid_dependency.md", "", "sm_90", "one instruction"),
    ("Specialized kernels", "register_budget.md", "register_budget", "sm_90a", "one instruction for each role"),
    ("Groups, reports, traces", "extras.md", "", "sm_70", "a few cycles"),
    ("Groups, reports, traces", "hang_report.md", "hang_report", "sm_70", "checked build only"),
    ("Groups, reports, traces", "trace.md", "", "sm_70", "traced build only"),
)
MANY = 14
PARTS_OF = {  # classes whose operations other classes have
    "named_channel": ("producer", "consumer"),
    "dynamic_named_barrier": ("dynamic_named_barrier", "named_barrier"),
    "turns": ("turns", "place"),
}


def operations(page, owner):
    """The members of a class, or the functions of a page, as its headings name them."""
    found = [each for each in names() if each.page == page]
    owners = PARTS_OF.get(owner, (owner,))
    own = [each for each in found if (each.name.partition("::")[0] in owners and "::" in each.name if owner else "::" not in each.name)]
    linked = list(dict.fromkeys(f"`{each.name.rpartition('::')[2]}`" for each in own))
    return ", ".join(linked[:MANY]) + (", …" if len(linked) > MANY else "")


def sheet():
    titles: dict = {}
    for title, *row in ROWS:
        titles.setdefault(title, []).append(row)
    for title, rows in titles.items():
        yield from [f"## {title}", ""]
        cells = []
        for page, owner, architecture, cost in rows:
            shown = f"[`{owner}`](../api/{page})" if owner else f"[functions](../api/{page})"
            figured = text_figures.written(re.sub(r"\{([\w-]+)\}", r"<!-- figure: \1 --><!-- -->", cost))
            cells.append((f"{shown}, `{header(page, owner)}`", operations(page, owner), architecture, figured))
        yield from pages.table(("Type, header", "Operations", "From", "Cost"), cells)


def when():
    yield from [text_figures.written("Measured: <!-- figure: gpu --><!-- -->."), ""]


PARTS = {"index": index, "sheet": sheet, "when": when}


def written(text):
    return pages.written(PROGRAM, text, PARTS)


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    for page in (INDEX, SHEET):
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
