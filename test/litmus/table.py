#!/usr/bin/env python3
"""Prints the rows that a run of litmus tests has counted as a table in Markdown: python3 test/litmus/table.py FILE..."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Without a FILE, writes the table of docs/design/litmus.jsonl into docs/design/litmus.md.

import json
import re
import sys
from pathlib import Path

DESIGN = Path(__file__).resolve().parents[2] / "docs/design"
PAGE, COUNTED = DESIGN / "litmus.md", DESIGN / "litmus.jsonl"
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


def read(paths):
    """The sums of all runs: {(gpu, shape, place, scope): [the sum for each of COUNTS]}."""
    sums = {}
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found = sums.setdefault(tuple(row[key] for key in ("gpu", "shape", "place", "scope")), [0] * len(COUNTS))
            for index, key in enumerate(COUNTS):
                found[index] += row[key]
    return sums


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


def page():
    """The page with the table of the run that the repository keeps."""
    return PART.sub(lambda part: f"{part[1]}\n{table(read([COUNTED]))}\n{part[2]}", PAGE.read_text(encoding="utf-8"))


def main():
    if not sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    sums = read(sys.argv[1:])
    if any(key[0] == "model" for key in sums):
        print("error: the rows of the machine of test/model are no evidence about a GPU", file=sys.stderr)
        return 1
    print(table(sums))
    return 0 if sums else 1


if __name__ == "__main__":
    sys.exit(main())
