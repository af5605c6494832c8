"""docs/design/decisions/loops.md: each loop of the headers that ends by what another thread does has a row, with a test."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools import cpp
from cudasync_tools.toolchain import INCLUDE, ROOT

PAGE = ROOT / "docs/design/decisions/loops.md"
HEADERS = INCLUDE / "cudasync"
# Loops of reports, assertions and traces end with what is printed; those of tensor maps run over dimensions.
WITHOUT_LOOPS = re.compile(r"core|hang|trace|tensor|backend/tensor")

LOOP = re.compile(r"\b(?:(?P<for>for)|(?P<while>while)|(?P<do>do)) ?(?=[({])")
COUNTED = re.compile(r"(?:\+\+|--)?(?P<name>\w+)(?:\+\+|--| ?[-+*/]= .*|)")
AGAIN = re.compile(r"\bbra again\b")


def is_counted(head):
    """Whether the head of a for loop, without its parentheses, compares what its last part changes, and nothing else."""
    if " : " in head:
        return True
    _, condition, step = (part.strip() for part in head.split(";"))
    name = (match := COUNTED.fullmatch(step.split(",")[0])) and match["name"]
    return bool(name and re.search(rf"\b{name}\b[^;]*[<>]|\b{name} != ", condition)) and not re.search(r"\w\(\w*\)\(|has_\w+\(", condition)


def loops(text):
    """The names of the functions with a loop that is not counted, one for each loop."""
    code = cpp.without_comments_and_directives(text)
    bodies = cpp.bodies(code)
    for match in LOOP.finditer(code):
        if match["for"] and is_counted(code[match.end() + 1 : cpp.call_at(code, match.end()) - 1]):
            continue
        if match["while"] and re.search(r"\}\s*$", code[: match.start()]) and code[cpp.call_at(code, match.end())] == ";":
            continue  # the end of a do
        yield next((name for first, last, name in bodies if first <= match.start() < last), "-")


def found():
    """(header, name) of each."""
    for path in sorted(HEADERS.rglob("*.h")):
        header = str(path.relative_to(HEADERS))
        if not WITHOUT_LOOPS.match(header):
            text = path.read_text(encoding="utf-8")
            yield from ((header, name) for name in {*loops(text), *AGAIN.findall(text)})


def tables(text):
    """The cells of each row, without the heads."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] not in ("Loop", "Question", "---"):
            yield cells


def listed(text):
    for cells in tables(text):
        yield from ((header, name) for header in re.findall(r"`(\S+\.h)`", cells[1]) for name in re.findall(r"`([^`]+)`", cells[0]))


def test_each_loop_is_listed():
    text = PAGE.read_text(encoding="utf-8")
    loops_of_headers, rows = set(found()), set(listed(text))
    assert len(loops_of_headers) > 30
    assert not loops_of_headers - rows, f"add rows to {PAGE.name}"
    assert not rows - loops_of_headers, f"delete these from {PAGE.name}"


def test_tests_of_loops_exist():
    for cells in tables(PAGE.read_text(encoding="utf-8")):
        tests = re.findall(r"`([\w/]+\.(?:cu|cpp|h|py))`: `([^`]+)`", cells[-1])
        assert tests, cells[0]
        for file, name in tests:
            path = ROOT / "test" / file
            assert path.is_file() and name in path.read_text(encoding="utf-8"), f"{file}: no test {name!r}"


def test_compare_exchanges_are_strong():
    """The fourth argument of the built-in, or the only one of the instruction that there is."""
    calls = [call for path in HEADERS.rglob("*.h") for call in re.findall(r"__atomic_compare_exchange(?:_n)?\(([^;]*)\)", path.read_text(encoding="utf-8"))]
    assert len(calls) >= 3
    assert not [call for call in calls if cpp.split_at_commas(call)[3].strip() != "false"]


def test_kinds_of_loops():
    counted = "for (uint32 i = 0; i < n; ++i) work(); for (auto each : all) work(); for (; at + 4 * step < end; at += step) work();"
    waiting = "while (!done()) {} do { look(); } while (!done()); for (;;) {} for (int polls = 0; !done(); ++polls) {}"
    assert list(loops(f"void f() {{ {counted} }}")) == []
    assert list(loops(f"void f() {{ {waiting} }}")) == ["f"] * 4
