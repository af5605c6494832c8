"""Traces of kernels as pictures: what benchmarks/trace --record has written, as ui.perfetto.dev would show it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
from pathlib import Path

from svg import MARGIN, WIDTH, Picture, Quiet

FOLDER = Path(__file__).resolve().parent / "traces"
LEFT = 92  # of the time axis


def rows_of(name):
    """{warp: [(begin, end, name) of waits, and (time, time, name) of instants]}, in microseconds from the first event"""
    events = json.loads((FOLDER / name).read_text(encoding="utf-8"))["traceEvents"]
    rows = {}
    for event in events:
        if event["ph"] != "M":
            at = event["ts"], event["ts"] + event.get("dur", 0), event["name"]
            rows.setdefault(event["tid"] // 32, []).append(at)
    return dict(sorted(rows.items()))


def length(rows):
    return max(end for row in rows.values() for _, end, _ in row)


def waiting(row):
    """The time that the row is in a wait: overlapping ones count once."""
    total = until = 0
    for begin, end, _ in sorted(row):
        total += max(0, end - max(begin, until))
        until = max(until, end)
    return total


def pipeline_traces(theme):
    panels = [("One stage", rows_of("one_stage.json")), ("Four stages", rows_of("four_stages.json"))]
    longest = max(length(rows) for _, rows in panels)
    said = []
    for title, rows in panels:
        *consumers, _ = rows.values()
        share = sum(map(waiting, consumers)) / (len(consumers) * length(rows))
        said.append((title, rows, f"{length(rows):.0f} µs; consumers wait {share:.0%} of it"))
    description = "Three rows, two of consumer warps and one of the producer warp, with bars where they wait. " + "; ".join(
        f"{title}: {words}" for title, _, words in said
    )
    picture = Picture(theme, 326, "Traces of a ring with one stage and with four", f"{description}.")
    picture.heading(24, "The same work, traced")
    scale = (WIDTH - MARGIN - LEFT) / longest
    y = 56
    for title, rows, words in said:
        picture.text(MARGIN, y, title, bold=True)
        picture.text(WIDTH - MARGIN, y, Quiet(words), anchor="end")
        y += 24
        for warp, row in rows.items():
            is_producer = warp == max(rows)
            picture.text(MARGIN, y, "producer" if is_producer else f"warp {warp}")
            picture.rect(LEFT, y - 10, scale * length(rows), 20, "panel", radius=0)
            for begin, end, _ in row:
                if end - begin > 0:
                    picture.rect(LEFT + scale * begin, y - 10, max(scale * (end - begin), 0.5), 20, "orange", radius=0)
            for begin, _, name in row:
                if name.startswith("copy"):
                    picture.dot(LEFT + scale * begin, y, 4, "blue", line="paper")
                elif name.startswith("consumer_release"):
                    picture.rect(LEFT + scale * begin - 1, y - 10, 2, 20, "green", radius=0)
            y += 26
        y += 22
    picture.rect(MARGIN, y - 6, 12, 12, "orange", radius=0)
    picture.text(MARGIN + 20, y, "waits")
    picture.dot(MARGIN + 96, y, 4, "blue", line="paper")
    picture.text(MARGIN + 108, y, "begins a copy")
    picture.rect(MARGIN + 230, y - 6, 2, 12, "green", radius=0)
    picture.text(MARGIN + 240, y, "releases a stage")
    return picture
