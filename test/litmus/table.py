#!/usr/bin/env python3
"""Prints the rows that a run of litmus tests has counted as a table in Markdown: python3 test/litmus/table.py FILE..."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Without a FILE, writes the table of docs/design/litmus.jsonl into docs/design/litmus.md.

import json
import re
import sys
from pathlib import Path

DESIGN = Path(__file__).resolve().parents[2] / "docs/design"
PAGE, COUNTED, COUNTED_PROXIES = DESIGN / "litmus.md", DESIGN / "litmus.jsonl", DESIGN / "litmus_proxies.jsonl"
PART = re.compile(r"(<!-- made by test/litmus/table\.py -->\n).*?(<!-- end -->\n)", re.DOTALL)

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
HEAD = "Clause | Shape | Threads in | Scope | Runs | Overlapped | Forbidden | Relaxed runs | Overlapped | Seen if relaxed"
NO_TWIN = "no weaker form"

COUNTS_OF_PROXIES = ("runs", "forbidden", "twin_runs", "seen")
HEAD_OF_PROXIES = "Clause | Accesses | Threads in | Ordered by | Runs | Forbidden | Runs without it | Seen without it"
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


def table(sums):
    lines = []
    for gpu in dict.fromkeys(key[0] for key in sums):
        lines += [f"On {gpu}:", ""]
        lines += [f"| {HEAD} |", "| --- " * len(HEAD.split("|")) + "|"]
        for (of, shape, place, scope), sums_of_row in sums.items():
            if of == gpu:
                counts = [f"{count:,}" for count in sums_of_row]
                if counts[3] == "0":
                    counts[3:] = [NO_TWIN, "", ""]
                lines.append(f"| {CLAUSES[shape]} | {shape} | {place} | {scope} | {' | '.join(counts)} |")
        lines.append("")
    return "\n".join(lines)


def table_of_proxies(sums):
    lines = []
    for gpu in dict.fromkeys(key[0] for key in sums):
        lines += [f"On {gpu}:", ""]
        lines += [f"| {HEAD_OF_PROXIES} |", "| --- " * len(HEAD_OF_PROXIES.split("|")) + "|"]
        for (of, accesses, place, order), sums_of_row in sums.items():
            if of == gpu:
                clause = CLAUSES_OF_PROXIES.get(order, "proxies")
                counts = [f"{count:,}" for count in sums_of_row]
                lines.append(f"| {clause} | {accesses} | {place} | `{order}` | {' | '.join(counts)} |")
        lines.append("")
    return "\n".join(lines)


def page():
    """The page with the tables of the runs that the repository keeps."""
    tables = iter([table(read([COUNTED])), table_of_proxies(read_proxies([COUNTED_PROXIES]))])
    return PART.sub(lambda part: f"{part[1]}\n{next(tables)}\n{part[2]}", PAGE.read_text(encoding="utf-8"))


def main():
    if not sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    sums, sums_of_proxies = read(sys.argv[1:]), read_proxies(sys.argv[1:])
    if any(key[0] == "model" for key in [*sums, *sums_of_proxies]):
        print("error: the rows of the machine of test/model are no evidence about a GPU", file=sys.stderr)
        return 1
    print(table(sums) + table_of_proxies(sums_of_proxies))
    return 0 if sums or sums_of_proxies else 1


if __name__ == "__main__":
    sys.exit(main())
