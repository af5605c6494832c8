#!/usr/bin/env python3
"""Writes the tables of docs/design/axioms.md. Needs z3, and the environment variables of the tests that name the compilers."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import algorithms
import mapping
import placement
from cudasync_tools import pages
from litmus import Program, cpp_verdict, ptx_verdict
from scenarios import SCENARIOS, SUPERFLUOUS
from shapes import ROWS

PAGE = ROOT / "docs/design/axioms.md"


@dataclass
class RowResult:
    cpp: str
    ptx: str
    axioms: str
    twin: str | None
    narrow: str


_rows = {}


def row_of(row, ways):
    """At device scope, each thread in a block and a cluster of its own."""
    key = (row.shape.name, row.orders)
    if key not in _rows:

        def program(words, scope):
            def choice(operation, number):
                return [mapping.find(ways, operation.kind, words[number], scope)]

            return Program(row.shape, choice, placement.together(row.shape.threads, "gpu"))

        words, twin = row.words(row.orders), row.relaxed()
        verdict, axioms = ptx_verdict(program(words, "gpu"))
        weak = ptx_verdict(program(twin, "gpu"))[0] if twin else None
        _rows[key] = RowResult(
            cpp_verdict(program(words, "gpu")), verdict, axioms, weak, ptx_verdict(program(words, "cluster"))[0]
        )
    return _rows[key]


@functools.cache
def _result(index):
    return algorithms.check(SCENARIOS[index])


def result_of(scenario):
    return _result(SCENARIOS.index(scenario))


@functools.cache
def weakened():
    """{(kernel, instruction, what is weaker): the scenarios in which it matters}"""
    found = {}
    for scenario in SCENARIOS:
        for step, what, is_possible in result_of(scenario).weakened:
            matters = found.setdefault((step.kernel, step.label, what), [])
            if is_possible:
                matters.append(scenario)
    return found


def superfluous():
    return {key for key, matters in weakened().items() if not matters}


# --- Markdown ---


def code(text):
    return f"`{text}`" if text else "–"


def orders_of(row):
    return "; ".join(" ".join(word for word in part.split() if word != "-") for part in row.orders.split("||"))


def shapes_table(ways):
    rows = []
    for row in ROWS:
        result = row_of(row, ways)
        program = "; ".join(" ".join(part.replace("|", " ").split()) for part in row.shape.text.split("||"))
        narrow = result.narrow if row.has_narrow_twin else "–"
        rows.append(
            [
                row.shape.name,
                code(program),
                code(row.shape.outcome),
                orders_of(row),
                result.cpp,
                f"{result.ptx}{': ' if result.axioms else ''}{result.axioms}",
                result.twin or "–",
                narrow,
            ]
        )
    return pages.table(["Shape", "Threads", "Outcome", "Orders", "C++", "PTX", "Weaker orders", "Narrower scope"], rows)


def mapping_table(ways):
    """At device scope, without the address space, the type and the operation."""
    rows = []
    for kind, title in (
        ("load", "load"),
        ("store", "store"),
        ("exchange", "read-modify-write"),
        ("reduction", "the same without a result"),
        ("fence", "fence"),
    ):
        for order in mapping.ORDERS:
            found = [way for way in ways[kind] if (way.order, way.scope) == (order, "gpu")]
            if found:
                rows.append([title, order, "; or ".join(dict.fromkeys(code(shortened(way)) for way in found))])
    return pages.table(["Operation", "Order", "PTX"], rows)


def shortened(way):
    parts = [part for part in (way.before, way.access, way.after) if part]
    return "; ".join(f"{part.kind}.{part.order}.{part.scope}" for part in parts)


def algorithms_table():
    """One row for each instruction: what it is for, that is, a scenario in which its weakening matters."""
    rows = []
    for scenario in SCENARIOS:
        for step, what, is_possible in result_of(scenario).weakened:
            key = (step.kernel, step.label, what)
            if (
                is_possible
                and weakened()[key][0] is scenario
                and not any(row[1:4] == [step.kernel, step.label, what] for row in rows)
            ):
                rows.append([scenario.algorithm, step.kernel, step.label, what, scenario.title])
    grouped = {}
    for algorithm, kernel, instruction, what, title in rows:
        grouped.setdefault((algorithm, kernel, instruction), {}).setdefault(title, []).append(what)
    lines = [
        [algorithm, code(kernel), code(instruction), ", ".join(whats), title]
        for (algorithm, kernel, instruction), titles in grouped.items()
        for title, whats in titles.items()
    ]
    return pages.table(["Algorithm", "Kernel", "Instruction", "Weaker", "Broken promise"], lines)


def superfluous_table():
    rows = [
        [code(kernel), code(instruction), what, SUPERFLUOUS.get((kernel, instruction, what), "?")]
        for kernel, instruction, what in sorted(superfluous())
    ]
    return pages.table(["Kernel", "Instruction", "Weaker", "Why it stays"], rows)


def page(ways):
    made = {
        "mapping": lambda: mapping_table(ways),
        "shapes": lambda: shapes_table(ways),
        "algorithms": algorithms_table,
        "superfluous": superfluous_table,
    }
    return pages.written("test/axioms/table.py", PAGE.read_text(encoding="utf-8"), made)


def is_current(ways):
    return page(ways) == PAGE.read_text(encoding="utf-8")


if __name__ == "__main__":
    PAGE.write_text(page(mapping.generated(mapping.USUAL)), encoding="utf-8")
