"""The published results of the atlas: what each contestant takes in each cell, and the reasons of the cells that are above a peer."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each map is a file of lines of JSON. A line that describes the map comes first. In the map of instructions and in that of
# compilers, a line with the columns of a group on an architecture precedes the lines of its rows. A cell is a number or two
# for each of CONTESTANTS, in this order, with `-` where a contestant has none: "20/8 24/10 - 18/8".

import functools
import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CONTESTANTS = ("ours", "toolkit", "newest", "hand")
ABOVE = 1.05  # a cell with a larger ratio has a reason, or is open
SLACK = 1.03  # by which the ratio of a cell may grow
FILES = {name: ROOT / f"docs/design/atlas_{name}.jsonl" for name in ("sass", "compile", "time")}
REASONS = HERE / "reasons.txt"


def rounded(number):
    return int(f"{number:.0f}") if number >= 100 else float(f"{number:.3g}")


def packed(cell):
    """{contestant: (number, ...)} as text."""
    return " ".join("/".join(f"{rounded(number):g}" for number in cell[key]) if key in cell else "-" for key in CONTESTANTS)


def unpacked(text):
    return {key: tuple(map(float, word.split("/"))) for key, word in zip(CONTESTANTS, text.split()) if word != "-"}


def ratio(cell):
    """Ours to the best of the others, or None."""
    others = [numbers[0] for key, numbers in cell.items() if key != "ours"]
    return cell["ours"][0] / max(min(others), 1) if others and "ours" in cell else None


def write_table(path, head, cells):
    """cells: {(arch, group, row, column): {contestant: (number, ...)}}"""
    groups = {}
    for (arch, group, row, column), cell in cells.items():
        groups.setdefault((arch, group), {}).setdefault(row, {})[column] = packed(cell)
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head) + "\n")
        for (arch, group), rows in sorted(groups.items()):
            columns = list(dict.fromkeys(column for row in rows.values() for column in row))
            file.write(json.dumps({"arch": arch, "group": group, "columns": columns}) + "\n")
            for row, found in sorted(rows.items()):
                file.write(json.dumps([row, *(found.get(column) for column in columns)], separators=(",", ":")) + "\n")


def read_table(path):
    """(the first line, {(arch, group, row, column): {contestant: (number, ...)}})"""
    if not path.exists():
        return {}, {}
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    cells, of = {}, {}
    for line in lines:
        if isinstance(line, dict):
            of = line
            continue
        for column, text in zip(of["columns"], line[1:]):
            if text:
                cells[of["arch"], of["group"], line[0], column] = unpacked(text)
    return head, cells


def write_times(path, head, cases):
    """cases: {case: {key: {contestant: cycles}}}. An earlier file stays until all is written."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head) + "\n")
        for name, found in sorted(cases.items()):
            texts = {key: packed({contestant: (cycles,) for contestant, cycles in cell.items()}) for key, cell in sorted(found.items())}
            file.write(json.dumps([name, texts], separators=(",", ":")) + "\n")
    part.replace(path)


def read_times(path):
    """(the first line, {case: {key: {contestant: cycles}}})"""
    if not path.exists():
        return {}, {}
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return head, {name: {key: {who: cycles[0] for who, cycles in unpacked(text).items()} for key, text in found.items()} for name, found in lines}


def time_cells(path):
    """The times in the form of read_table."""
    head, cases = read_times(path)
    cells = {}
    for name, found in cases.items():
        group, row, column = name.split(" | ")
        for key, cell in found.items():
            cells["time", group, row, f"{column}, {key}"] = {who: (cycles,) for who, cycles in cell.items()}
    return head, cells


@functools.cache
def read(name):
    """A published map, read once."""
    return time_cells(FILES[name]) if name == "time" else read_table(FILES[name])


def worse(old, new):
    """[(cell, its recorded ratio, its new one)] of the cells that are worse than recorded."""
    found = []
    for cell, numbers in new.items():
        before, now = ratio(old.get(cell, {})), ratio(numbers)
        if before is not None and now is not None and now > before * SLACK:
            found.append((cell, before, now))
    return found


# --- Reasons ---


def reasons():
    """[(number, what the cells have in their names, reason)]"""
    blocks = re.findall(r"^(/.+/)\n((?: .+\n?)+)", REASONS.read_text(encoding="utf-8"), re.MULTILINE)
    return [(number, re.compile(pattern[1:-1]), " ".join(text.split())) for number, (pattern, text) in enumerate(blocks, 1)]


def reason_of(name, listed):
    """The number of the reason, or None. name: "sass, sm_90a | group | row | column"."""
    return next((number for number, pattern, _ in listed if pattern.search(name)), None)
