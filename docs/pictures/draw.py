"""Draws the pictures of the documentation as SVG, each for a light and a dark page: python3 docs/pictures/draw.py"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys
from pathlib import Path

import heat
import layout
import maps
import plots
import time_lines
import traces
from svg import THEMES

HERE = Path(__file__).resolve().parent

PICTURES = {
    "phases": time_lines.phases,
    "ring": time_lines.ring,
    "cluster_barrier": maps.cluster_barrier,
    "peer_barrier": maps.peer_barrier,
    "proxies": maps.proxies,
    "choose_barrier": maps.choose_barrier,
    "scopes": maps.scopes,
    "layers": maps.layers,
    "compile_time": plots.compile_time,
    "block_barrier": plots.block_barrier,
    "wake_up": plots.wake_up,
    "ring_time": plots.ring_time,
    "atomics": plots.atomics,
    "pipeline_traces": traces.pipeline_traces,
    **heat.pictures(),
}


def drawn():
    """{name of the file: its text}"""
    return {f"{name}-{theme}.svg": draw(theme).svg() for name, draw in PICTURES.items() for theme in THEMES}


def main():
    is_wrong = False
    for name, text in drawn().items():
        (HERE / name).write_text(text, encoding="utf-8")
        for finding in layout.findings(text):
            is_wrong = True
            print(f"{name}: {finding}", file=sys.stderr)
    return is_wrong


if __name__ == "__main__":
    sys.exit(main())
