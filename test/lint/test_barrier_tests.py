"""docs/design/decisions/barrier_tests.md: each barrier has the tests that its siblings have, or a reason, and they exist."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools.toolchain import ROOT

PAGE = ROOT / "docs/design/decisions/barrier_tests.md"


def wrong(text):
    for table in re.findall(r"(?:^\| .*\n)+", text, re.MULTILINE):
        yield from wrong_in(table)


def wrong_in(table):
    lines = table.splitlines()
    header = [cell.strip() for cell in lines[0].strip("|").split("|")]
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) != len(header):
            yield f"{cells[0]}: {len(cells)} cells, not {len(header)}"
        for what, cell in zip(header[1:], cells[1:]):
            tests = re.findall(r"`(\w+/\w+)` `([^`]+)`", cell)
            if not tests and not re.match("– .", cell):
                yield f"{cells[0]}: {what}: neither a test nor a reason"
            for stem, name in tests:
                found = [path for path in (ROOT / "test").glob(f"{stem}.*") if name in path.read_text(encoding="utf-8")]
                if not found:
                    yield f"{cells[0]}: {what}: no {name!r} in {stem}"


def test_each_cell_has_a_test_or_a_reason():
    found = list(wrong(PAGE.read_text(encoding="utf-8")))
    assert not found, "\n".join(found)


def test_an_empty_cell_is_found():
    table = "| Type | Wrap |\n| --- | --- |\n| a | {} |\n"
    assert list(wrong(table.format("–"))) == ["a: Wrap: neither a test nor a reason"]
    assert list(wrong(table.format("`model/turns` `no_such_kernel`"))) == ["a: Wrap: no 'no_such_kernel' in model/turns"]
    assert not list(wrong(table.format("`model/turns` `two_groups`")))
