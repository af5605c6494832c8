#!/usr/bin/env python3
"""Prints the rows that a run of litmus tests has counted as a table in Markdown: python3 test/litmus/table.py FILE..."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Without a FILE, writes the table of docs/design/litmus.jsonl into docs/design/litmus.md.

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import pages

DESIGN = ROOT / "docs/design"
PAGE, COUNTED, COUNTED_PROXIES = DESIGN / "litmus.md", DESIGN / "litmus.jsonl", DESIGN / "litmus_proxies.jsonl"

# What the PTX memory model calls what forbids the outcome of each shape, once its orders are those of shapes.h.
CLAUSES = {
    "MP": "causality",
    "SB": "Fence-SC",
    "LB": "causality",
    "2+2W": "Fence-SC",
    "S": "causality",
    "R": "Fence-SC",
    "WRC": "causality",
    "RWC": "Fence-SC",
    "ISA2": "causality",
    "IRIW": "Fence-SC",
    "CoRR": "coherence",
}
COUNTS = ("runs", "overlapped", "forbidden", "relaxed_runs", "relaxed_overlapped", "relaxed")
HEAD = ("Clause", "Shape", "Threads in", "Scope", "Runs", "Overlapped", "Forbidden", "Relaxed runs", "Overlapped", "Seen if relaxed")
NO_TWIN = "no weaker form"

COUNTS_OF_PROXIES = ("runs", "forbidden", "twin_runs", "seen")
HEAD_OF_PROXIES = ("Clause", "Accesses", "Threads in", "Ordered by", "Runs", "Forbidden", "Runs without it", "Seen without it")
CLAUSES_OF_PROXIES = {"bulk_wait": "causality", "try_wait.acquire": "causality"}  # of the others: proxy-preserved base causality


def added_up(paths, keys, counts):
    sums = {}
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if keys[1] in row:
                found = sums.setdefault(tuple(row[key] for key in keys), [0] * len(counts))
                for index, key in enumerate(counts):
                    found[index] += row[key]
    return sums


def read(paths):
    """The sums of all runs: {(gpu, shape, place, scope): [the sum for each of COUNTS]}."""
    return added_up(paths, ("gpu", "shape", "place", "scope"), COUNTS)


def read_proxies(paths):
    """The same for the copy engine: {(gpu, accesses, place, order): [the sum for each of COUNTS_OF_PROXIES]}."""
    return added_up(paths, ("gpu", "accesses", "place", "order"), COUNTS_OF_PROXIES)


def by_gpu(sums, head, row):
    """The lines of a table for each GPU: row(key, counts) is one of its rows."""
    for gpu in dict.fromkeys(key[0] for key in sums):
        yield from [f"On {gpu}:", ""]
        yield from pages.table(head, [row(key[1:], [f"{count:,}" for count in counts]) for key, counts in sums.items() if key[0] == gpu])


def table(sums):
    def row(key, counts):
        shape, place, scope = key
        return CLAUSES[shape], shape, place, scope, *(counts[:3] + [NO_TWIN, "", ""] if counts[3] == "0" else counts)

    return by_gpu(sums, HEAD, row)


def table_of_proxies(sums):
    def row(key, counts):
        accesses, place, order = key
        return CLAUSES_OF_PROXIES.get(order, "proxies"), accesses, place, f"`{order}`", *counts

    return by_gpu(sums, HEAD_OF_PROXIES, row)


def page():
    """The page with the tables of the runs that the repository keeps."""
    made = {"counts": lambda: table(read([COUNTED])), "proxies": lambda: table_of_proxies(read_proxies([COUNTED_PROXIES]))}
    return pages.written("test/litmus/table.py", PAGE.read_text(encoding="utf-8"), made)


def main():
    if not sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    sums, sums_of_proxies = read(sys.argv[1:]), read_proxies(sys.argv[1:])
    if any(key[0] == "model" for key in [*sums, *sums_of_proxies]):
        print("error: the rows of the machine of test/model are no evidence about a GPU", file=sys.stderr)
        return 1
    print("\n".join([*table(sums), *table_of_proxies(sums_of_proxies)]))
    return 0 if sums or sums_of_proxies else 1


if __name__ == "__main__":
    sys.exit(main())
