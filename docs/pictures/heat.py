"""Heat maps of the atlas: for each group of operations, what cudasync takes relative to the best of the others."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks/atlas"))
import map_files
from svg import MARGIN, SMALL, WIDTH, Picture, Quiet, text_width

TITLES = {"sass": "Instructions (sm_90a)", "time": "Time"}
ARCH = {"sass": "90a", "time": "time"}
ROW = 18
STEPS = ((1.0, "green-fill", "at most 1.00"), (1.05, "panel", "to 1.05"), (1.5, "orange-fill", "to 1.5"), (float("inf"), "red-fill", "above 1.5"))
TYPES = {"u8": "u8", "u16": "u16", "i16": "i16", "i32": "i32", "u32": "u32", "i64": "i64", "u64": "u64", "float": "f32", "double": "f64", "b128": "128"}
ORDERS = {"relaxed": "rlx", "acquire": "acq", "release": "rel", "acq_rel": "a+r", "seq_cst": "seq"}
SCOPES = {"block": "blk", "device": "dev", "system": "sys"}
SIZES = {"size_t": "n", "1024": "1K", "4096": "4K", "65536": "64K"}
WORK = {0: "no", 300: "300", 3000: "3k", 20000: "20k", 200000: "200k"}
COLUMNS = [
    *TYPES.values(),
    *ORDERS.values(),
    *SCOPES.values(),
    "n",
    "<4>",
    "<8>",
    "<16>",
    *map(str, range(100)),
    "240",
    "256",
    "1000",
    *list(SIZES.values())[1:],
    *WORK.values(),
]  # in this order


def of_atomics(row, column):
    operation, name, *_, memory, use = re.split(r", | ", row)
    verb = operation.replace("compare_exchange_", "CAS ")
    return f"{memory} memory", verb + (", unused" if use == "unused" and verb != "store" else ""), TYPES[name]


def of_scopes(row, column):
    """Memory and scope as columns."""
    operation, memory = row.rsplit(", ", 1)
    return f"{memory} memory", operation, SCOPES[column.split(",")[0].split()[-1]]


def of_flags(row, column):
    operation, *memory = row.removeprefix("atomic_").split(", ")
    return (f"{memory[0]} memory" if memory else "any memory"), operation, ORDERS[column.split(",")[0].split()[0]]


def of_copies(row, column):
    who, *tracker, pointer = row.split(", ") if row.count(", ") > 1 else [row, ""]
    size = re.sub(r"aligned<\d+>\((\d+)\)", r"\1", re.sub("^(other|tail) ", "", column.split(",")[0])).replace("aligned", "").replace("run time", "size_t")
    if row.startswith("zero_filled_size"):
        unit, _, size = size.partition(" ")
        return "zero_filled_size", f"{row.split(', ')[1]}, {unit}", SIZES.get(size, size)
    if row == "memcpy_async_tx":
        return row, "char*", SIZES.get(size, size)
    others = [panel for word, panel in (("other", "other sizes"), ("tail", "sizes with a tail")) if column.startswith(word)]
    return ", ".join([who, *tracker, *others]), pointer, SIZES.get(size, size)


def of_pipelines(row, column):
    return "", row, re.match(r"\d+", column)[0]


def of_handovers(row, column):
    """The cycles of work as columns: the largest of a round."""
    what, _, where = row.rpartition(", ")
    cycles = max(int(each) for each in re.findall(r"(\d+)(?= and | cycles)", column))
    return what, f"{where}, {column.split(', ')[0]}", WORK[cycles]


def of_contests(row, column):
    """The threads of a block as columns."""
    form, _, shape = column.partition(", same ")
    threads = shape.split("x")[0]
    return row, form, SIZES.get(threads, threads)


PLACES = {
    "atomics": of_atomics,
    "waits": of_scopes,
    "barriers": of_scopes,
    "latches": of_scopes,
    "semaphores": of_scopes,
    "flags and fences": of_flags,
    "copies": of_copies,
    "pipelines": of_pipelines,
    "hand-overs": of_handovers,
    "contests": of_contests,
}


@functools.cache
def worst(name, group):
    """{panel: {row: {column: the largest ratio}}}"""
    found = {}
    for (arch, of_group, row, column), cell in map_files.read(name)[1].items():
        ratio = map_files.ratio(cell)
        if (arch, of_group) == (ARCH[name], group) and ratio is not None:
            panel, line, place = PLACES[group](row, column)
            rows = found.setdefault(panel, {}).setdefault(line, {})
            rows[place] = max(ratio, rows.get(place, 0))
    return found


def shown(ratio):
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def heat_map(name, group, theme):
    """Rectangles for cells of one color side by side, and the ratio where it is above the limit."""
    panels = worst(name, group)
    everything = [ratio for rows in panels.values() for row in rows.values() for ratio in row.values()]
    above = sum(ratio > map_files.ABOVE for ratio in everything)
    title = f"{TITLES[name]}: {group}, relative to the best of the others"
    said = f"Each cell has the worst ratio of its orders, scopes or shapes. {above} of {len(everything)} are above {map_files.ABOVE}."
    picture = Picture(theme, 0, title, said)
    picture.heading(24, f"{TITLES[name]}: {group}")
    x = MARGIN
    for _, color, words in STEPS:
        picture.rect(x, 44, 14, 14, color, "edge", radius=0)
        picture.text(x + 20, 51, words)
        x += 20 + text_width(words, SMALL) + 12
    y = 82
    for panel, rows in sorted(panels.items()):
        columns = sorted({column for row in rows.values() for column in row}, key=COLUMNS.index)
        if panel:
            picture.text(MARGIN, y, panel, bold=True)
            y += 22
        left = MARGIN + max(text_width(row, SMALL) for row in rows) + 8
        step = min(40, (WIDTH - MARGIN - left) / len(columns))
        for place, column in enumerate(columns):
            picture.text(left + (place + 0.5) * step, y, Quiet(column), anchor="middle")
        y += ROW
        for row, found in rows.items():
            picture.text(MARGIN, y, row)
            colors = [next((color for limit, color, _ in STEPS if found[column] <= limit), "") if column in found else "" for column in columns]
            begin = 0
            for place in range(1, len(columns) + 1):
                if place == len(columns) or colors[place] != colors[begin]:
                    if colors[begin]:
                        picture.rect(left + begin * step, y - ROW / 2, (place - begin) * step, ROW, colors[begin], radius=0)
                    begin = place
            for place, column in enumerate(columns):
                if found.get(column, 0) > map_files.ABOVE:
                    picture.text(left + (place + 0.5) * step, y, shown(found[column]), anchor="middle")
            y += ROW
        y += 16
    picture.height = y
    return picture


def pictures():
    """{name of the picture: its function} for the groups that have results."""
    found = {}
    for name in TITLES:
        groups = sorted({group for arch, group, _, _ in map_files.read(name)[1] if arch == ARCH[name]})
        for group in groups:
            found[f"atlas_{name}_{group.replace(' ', '_')}"] = lambda theme, name=name, group=group: heat_map(name, group, theme)
    return found
