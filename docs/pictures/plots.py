"""Plots of what docs/design/measurements.md has: compile time, a block's barrier, wake-up latency, rings, atomics."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from collections.abc import Callable
from math import log

from figures import compile_times, plain, span, table
from svg import MARGIN, SMALL, WIDTH, Code, Picture, Quiet, text_width

OURS, PEER, OTHER, HAND = "blue", "orange", "purple", "green"
RATIO = "Time relative to other code: below 1, cudasync is faster."


def legend(picture, y, entries):
    """Names next to their marks, from left to right, in as many lines as they need; the y of the last line."""
    x = MARGIN
    for name, shape, color in entries:
        width = 20 + text_width(name, SMALL) + 16
        if x + width > WIDTH:
            x, y = MARGIN, y + 22
        mark(picture, shape, x + 6, y, color)
        picture.text(x + 20, y, name)
        x += width
    return y


def mark(picture, shape, x, y, color):
    if shape == "dot":
        picture.dot(x, y, 4.5, color)
    elif shape == "diamond":
        picture.polygon([(x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6)], color)
    else:
        picture.rect(x - 6, y - 4, 12, 8, color, radius=0)


def wrapped(words, width):
    """Words in lines of at most this width."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, SMALL) > width and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def compile_time(theme):
    times = compile_times()
    height = 120 + sum(58 if theirs else 42 for _, _, theirs in times)
    said = "; ".join(
        f"{name}: {ours} s" + (f", the toolkit's {theirs} s" if theirs else "") for name, ours, theirs in times
    )
    picture = Picture(theme, height, "Compile time that a header adds to an empty kernel", f"{said}.")
    picture.heading(24, "Compile time of a header")
    picture.text(MARGIN, 50, Quiet("CPU seconds in addition to an empty kernel, sm_90"))
    y = legend(picture, 74, [("cudasync", "bar", OURS), ("the toolkit's header", "bar", PEER)]) + 30
    scale = (WIDTH - 2 * MARGIN - 60) / max(float(theirs or ours) for _, ours, theirs in times)
    for name, ours, theirs in times:
        picture.text(MARGIN, y, Code(name))
        y += 17
        for seconds, color in ((ours, OURS), (theirs, PEER)):
            if seconds:
                length = scale * float(seconds)
                picture.rect(MARGIN, y - 6, length, 12, color, radius=0)
                picture.text(MARGIN + length + 6, y, f"{seconds} s")
                y += 16
        y += 9
    picture.height = y - 4
    return picture


class Panel:
    """Columns with names, and a vertical axis from low to high with these ticks."""

    def __init__(self, picture, y, height, columns, low, high, ticks, is_log=False, room=34):
        self.picture, self.top, self.height, self.columns = picture, y, height, columns
        self.scale: Callable[[float], float] = log if is_log else float
        self.low, self.high = self.scale(low), self.scale(high)
        self.left = MARGIN + room
        self.step = (WIDTH - MARGIN - self.left) / len(columns)
        picture.rect(self.left, y, WIDTH - MARGIN - self.left, height, "panel", radius=0)
        for tick in ticks:
            picture.path([(self.left, self.y(tick)), (WIDTH - MARGIN, self.y(tick))], width=1.5 if tick == 1 else 0.5)
            picture.text(self.left - 6, self.y(tick), Quiet(f"{tick:,}"), anchor="end")

    def x(self, column):
        return self.left + (column + 0.5) * self.step

    def y(self, value):
        return self.top + self.height * (self.high - self.scale(value)) / (self.high - self.low)

    def name_columns(self):
        for index, name in enumerate(self.columns):
            self.picture.text(self.x(index), self.top + self.height + 14, Quiet(name), anchor="middle")


def block_barrier(theme):
    (_, _, *sizes), *rows = table("Block-scope barriers in shared memory")
    operations = []
    for operation, against, *cells in rows:
        if operation:
            operations.append((plain(operation), []))
        operations[-1][1].append((against, [span(cell)[1] for cell in cells]))
    said = "; ".join(
        f"{operation}: " + ", ".join(f"against {against} {' '.join(map(str, values))}" for against, values in series)
        for operation, series in operations
    )
    title = "Time of a phase of a block's barrier, relative to other code"
    picture = Picture(theme, 124 + 160 * len(operations), title, f"For blocks of {', '.join(sizes)} threads. {said}.")
    picture.heading(24, "A phase of a block's barrier")
    picture.text(MARGIN, 50, Quiet(RATIO))
    picture.text(MARGIN, 70, Quiet("By number of threads in the block; H200."))
    looks = {"by hand": ("diamond", HAND), "CCCL": ("dot", PEER), "CUTLASS": ("bar", OTHER)}
    names = {"by hand": "hand-written PTX"}
    y = legend(picture, 94, [(f"vs. {names.get(name, name)}", *look) for name, look in looks.items()]) + 30
    everything = [value for _, series in operations for _, values in series for value in values]
    low, high = min(everything) - 0.04, max(everything) + 0.04
    for operation, series in operations:
        picture.text(MARGIN, y, operation, bold=True)
        panel = Panel(picture, y + 16, 96, sizes, low, high, [tick for tick in (0.6, 0.8, 1, 1.2) if low < tick < high])
        for shift, (against, values) in zip((-12, 0, 12), series):
            for column, value in enumerate(values):
                mark(picture, looks[against][0], panel.x(column) + shift, panel.y(value), looks[against][1])
        panel.name_columns()
        y += 160
    return picture


def wake_up(theme):
    (_, _, *waits), *rows = table("Wake-up latency")
    barriers = []
    for barrier, library, *cells in rows:
        if barrier:
            barriers.append((plain(barrier), []))
        barriers[-1][1].append((library, cells))
    said = "; ".join(
        f"{barrier}, {library}: " + ", ".join(f"{cell} after {wait}" for wait, cell in zip(waits, cells) if cell)
        for barrier, series in barriers
        for library, cells in series
    )
    title = "Wake-up latency of barriers, relative to a loop of loads"
    picture = Picture(theme, 100 + 176 * len(barriers), title, f"{said}.")
    picture.heading(24, "Wake-up latency of a barrier")
    picture.text(MARGIN, 50, Quiet("Time relative to a loop of acquire loads,"))
    picture.text(MARGIN, 70, Quiet("by the length of the wait; logarithmic. H200."))
    y = 104
    for barrier, series in barriers:
        picture.text(MARGIN, y, f"{barrier[0].upper()}{barrier[1:]}", bold=True)
        looks = [(library, *look) for (library, _), look in zip(series, (("diamond", OURS), ("dot", PEER)))]
        y = legend(picture, y + 22, looks)
        panel = Panel(picture, y + 16, 104, waits, 0.1, 30000, [1, 100, 10000], is_log=True, room=54)
        labels = {}  # the heights of those in each column
        for (_, shape, color), (_, cells) in zip(looks, series):
            for column, cell in enumerate(cells):
                if cell:
                    low, high = span(cell)
                    mark(picture, shape, panel.x(column), panel.y(high), color)
                    words = cell if low == high else f"≤ {high:g}"
                    is_near = any(abs(panel.y(high) - y) < 16 for y in labels.setdefault(column, []))
                    x = panel.x(column) - 12 - text_width(words, SMALL) if is_near else panel.x(column) + 12
                    picture.text(x, panel.y(high) + 8, words)
                    labels[column].append(panel.y(high))
        panel.name_columns()
        y += 162
    picture.height = y - 12
    return picture


def ring_time(theme):
    (_, *tiles), *rows = table("Rings in shared memory")
    forms = ["one producer thread", "a producer warp", "unified"]
    panels = {"Rings for the copy engine": []} | {f"cuda::pipeline, {form}": [] for form in forms}
    for name, *cells in rows:
        form = next((form for form in forms if name.endswith(form)), None)
        panels[f"cuda::pipeline, {form}" if form else "Rings for the copy engine"].append(
            (plain(name), list(map(span, cells)))
        )
    said = "; ".join(f"{plain(name)}: " + ", ".join(cell or "not measured" for cell in cells) for name, *cells in rows)
    picture = Picture(
        theme,
        118 + 160 * len(panels),
        "Time of rings in shared memory, relative to the best ring in hand-written PTX, by tile size",
        f"Tiles of {', '.join(tiles)}. {said}.",
    )
    picture.heading(24, "1 GiB through a ring, by tile size")
    picture.text(MARGIN, 50, Quiet("Time relative to the best ring in hand-written PTX;"))
    picture.text(MARGIN, 70, Quiet("a bar spans rings of 2 to 8 stages. H200."))
    y = 100
    for title, series in panels.items():
        picture.text(MARGIN, y, title, bold=True)
        looks = {}
        for name, _ in series:
            looks[name] = (
                PEER if name.startswith("CCCL") else OTHER if name.startswith("CUTLASS") else HAND if looks else OURS
            )
        if len(series) > 2:
            y = legend(picture, y + 22, [(name, "bar", color) for name, color in looks.items()])
        else:
            names = ["cudasync", next(name for name in looks if looks[name] == PEER).split(",")[0]]
            y = legend(picture, y + 22, [(name, "bar", color) for name, color in zip(names, (OURS, PEER))])
        panel = Panel(picture, y + 16, 84, tiles, 0.9, 8.2, [1, 2, 4, 8], is_log=True)
        for place, (name, spans) in enumerate(series):
            for column, values in enumerate(spans):
                if values:
                    x = panel.x(column) + 16 * (place - (len(series) - 1) / 2)
                    bottom, top = panel.y(values[0]) + 1.5, panel.y(values[1]) - 1.5
                    picture.rect(x - 6, top, 12, bottom - top, looks[name], radius=0)
        panel.name_columns()
        y += 148
    picture.height = y - 16
    return picture


def atomics(theme):
    (_, *against), *rows = table("Atomics")
    looks = dict(zip(against, (HAND, PEER, OTHER)))
    said = "; ".join(
        f"{plain(work)}: " + ", ".join(f"{name} {cell}" for name, cell in zip(against, cells)) for work, *cells in rows
    )
    picture = Picture(theme, 0, "Time of atomic operations, relative to other code", f"{said}.")
    left, right, most = MARGIN, WIDTH - MARGIN, 1.4

    def x(ratio):
        return left + (right - left) * ratio / most

    shapes = []
    y = 174
    for work, *cells in rows:
        for line in wrapped(plain(work), right - left):
            shapes.append(("text", y, line))
            y += 18
        shapes.append(("strip", y - 6, cells))
        y += 50
    picture.height = y
    picture.heading(24, "Atomic operations")
    picture.text(MARGIN, 50, Quiet(RATIO))
    picture.text(MARGIN, 70, Quiet("A hollow bar is a bound. H200."))
    y = legend(
        picture,
        94,
        [
            (f"vs. {plain(name).removeprefix('to ').replace('by hand', 'hand-written code')}", "bar", looks[name])
            for name in against
        ],
    )
    for ratio in (0.5, 1):
        picture.text(x(ratio), y + 26, Quiet(f"{ratio:g}"), anchor="middle")
    for kind, y, what in shapes:
        if kind == "text":
            picture.text(left, y, what)
            continue
        picture.rect(left, y, right - left, 36, "panel", radius=0)
        for ratio in (0.5, 1):
            picture.path([(x(ratio), y), (x(ratio), y + 36)], width=1.5 if ratio == 1 else 0.5)
        for place, (name, cell) in enumerate(zip(against, what)):
            for low, high in filter(None, map(span, cell.split(", "))):
                start = x(low) - 2 if low is not None else left
                top, width = y + 2 + 11 * place, x(high) + 2 - start
                if low is None:  # a bound
                    picture.rect(start + 1, top + 1, width - 2, 8, None, looks[name], radius=0)
                else:
                    picture.rect(start, top, width, 10, looks[name], radius=0)
    return picture
