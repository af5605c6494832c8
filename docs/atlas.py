#!/usr/bin/env python3
"""Writes the tables of docs/design/atlas.md from the results of benchmarks/atlas."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
for folder in ("tools", "benchmarks/atlas", "docs/pictures"):
    sys.path.insert(0, str(ROOT / folder))
import heat
import map_files
from cudasync_tools import pages

PAGE = ROOT / "docs/design/atlas.md"
PROGRAM = "docs/atlas.py"
NAMES = {"sass": "instructions", "compile": "compiler", "time": "time"}
LISTED = map_files.reasons()


def ratios(name):
    """{(arch, group): {row: {column: ratio}}}"""
    found = {}
    for (arch, group, row, column), cell in map_files.read(name)[1].items():
        if (ratio := map_files.ratio(cell)) is not None:
            found.setdefault((arch, group), {}).setdefault(row, {})[column] = ratio
    return found


def label(name, arch):
    return {"sass": f"instructions, sm_{arch}", "compile": f"sm_{arch}", "time": "time"}[name]


def reason(name, arch, group, row, column):
    return map_files.reason_of(f"{name}, {arch} | {group} | {row} | {column}", LISTED)


def summary():
    rows = []
    for name in NAMES:
        for (arch, group), found in ratios(name).items():
            cells = [(row, column, ratio) for row, columns in found.items() for column, ratio in columns.items()]
            above = [cell for cell in cells if cell[2] > map_files.ABOVE]
            is_open = sum(reason(name, arch, group, row, column) is None for row, column, _ in above)
            best = sum(ratio <= 1 for *_, ratio in cells)
            worst = max(ratio for *_, ratio in cells)
            rows.append((label(name, arch), group, f"{len(cells):,}", f"{best:,}", f"{len(above):,}", f"{is_open:,}", f"{worst:.2f}"))
    yield from pages.table(("Map", "Group", "Cells", "At most 1.00", "Above 1.05", "Open", "Worst"), rows)


def contestants():
    names = {}
    for name in NAMES:
        names |= map_files.read(name)[0].get("contestants", {})
    machine = map_files.read("time")[0].get("gpu")
    times = f" The times are of: {machine}. All contestants of a cell were measured on the same GPU." if machine else ""
    yield f"Compared: {', '.join(names.values())}.{times}"
    yield ""


def numbered(numbers):
    return ", ".join(["open" if number is None else str(number) for number in sorted(numbers, key=lambda number: number or 0)])


def without_type(group, row):
    """(the row, its type): rows that differ in the type alone are one line of a table."""
    found = re.fullmatch(r"(\w+) (\w+)(, .*)" if group in ("atomics", "waits") else r"(.*, )(\w+\*)()", row)
    return (f"{found[1]}{found[3]}".removesuffix(", "), found[2]) if found else (row, "")


def above(name):
    """A line for each operation and memory with a cell above the limit, the worst first."""
    found = {}
    archs = dict.fromkeys(arch for arch, _ in ratios(name))
    for (arch, group), rows in ratios(name).items():
        for row, columns in rows.items():
            line, kind = without_type(group, row)
            of_arch = found.setdefault((group, line), {}).setdefault(arch, {"cells": 0, "above": [], "types": {}, "reasons": set()})
            high = {column: ratio for column, ratio in columns.items() if ratio > map_files.ABOVE}
            of_arch["cells"] += len(columns)
            of_arch["above"] += high.values()
            of_arch["types"] |= {kind: None} if high else {}
            of_arch["reasons"] |= {reason(name, arch, group, row, column) for column in high}
    lines = []
    for (group, line), of_line in found.items():
        everything = [ratio for each in of_line.values() for ratio in each["above"]]
        if not everything:
            continue
        cells = []
        for arch in archs:
            each = of_line.get(arch, {"above": []})
            cells.append(f"{max(each['above']):.2f} ({len(each['above'])} of {each['cells']})" if each["above"] else "")
        types = dict.fromkeys(kind for each in of_line.values() for kind in each["types"] if kind)
        why = set().union(*(each["reasons"] for each in of_line.values()))
        lines.append((-max(everything), (f"{group}: `{line}`", " ".join(f"`{kind}`" for kind in types), *cells, numbered(why))))
    if lines:
        head = ("Row", "Types above", *(label(name, arch) for arch in archs), "Reason")
        yield from ("<details>", f"<summary>{len(lines)} rows above the limit</summary>", "")
        yield from pages.table(head, [line for _, line in sorted(lines)])
        yield from ("</details>", "")
    else:
        yield from ("No cell is above the limit, or none was measured.", "")


def reasons():
    yield from (f"{number}. {text}" for number, _, text in LISTED)
    yield ""


def pictures(name):
    found = [picture for picture in heat.pictures() if picture.startswith(f"atlas_{name}_")]
    if not found:
        yield from ("Nothing is published yet.", "")
    for picture in found:
        words = picture.removeprefix(f"atlas_{name}_").replace("_", " ")
        yield "<picture>"
        yield f'  <source media="(prefers-color-scheme: dark)" srcset="../pictures/{picture}-dark.svg">'
        yield f'  <img alt="{heat.TITLES[name]} of {words}, relative to the best of the others" src="../pictures/{picture}-light.svg">'
        yield "</picture>"
        yield ""


PARTS = {
    "contestants": contestants,
    "summary": summary,
    "sass-pictures": lambda: pictures("sass"),
    "time-pictures": lambda: pictures("time"),
    "above-sass": lambda: above("sass"),
    "above-compile": lambda: above("compile"),
    "above-time": lambda: above("time"),
    "reasons": reasons,
}


def written(text):
    """The page with each part as this program makes it."""
    return pages.written(PROGRAM, text, PARTS)


def main():
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
