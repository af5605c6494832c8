"""docs/design/decisions/wraps.md: each number that begins again has a test that runs past its end, and the test exists."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools.toolchain import INCLUDE, ROOT

PAGE = ROOT / "docs/design/decisions/wraps.md"
FOLDERS = ("permit", "phase", "grid")


def rows(text):
    """(number, headers, tests) of each row of the table."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] not in ("Number", "---"):
            yield cells[0], re.findall(r"`([\w/]+\.h)`", cells[1]), re.findall(r"`([\w/]+\.(?:cu|cpp|h))`: `([^`]+)`", cells[4])


def missing(text):
    for number, headers, tests in rows(text):
        if not tests:
            yield f"{number}: no test"
        for header in headers:
            if not any((INCLUDE / "cudasync" / folder / header).is_file() for folder in ("", "backend")):
                yield f"{number}: {header}: no such header"
        for file, name in tests:
            path = ROOT / "test" / file
            if not path.is_file() or name not in path.read_text(encoding="utf-8"):
                yield f"{number}: {file}: no test {name!r}"


def test_each_number_has_a_test():
    text = PAGE.read_text(encoding="utf-8")
    assert len(list(rows(text))) > 20
    assert not list(missing(text)), "\n".join(missing(text))


def test_a_row_without_a_test_is_found():
    row = "| a | `permit/permit_flag.h` | 2 | why | {} |"
    assert list(missing(row.format(""))) == ["a: no test"]
    assert list(missing(row.format("`model/turns.cu`: `no_such_kernel`"))) == ["a: model/turns.cu: no test 'no_such_kernel'"]
    assert not list(missing(row.format("`model/turns.cu`: `two_groups`")))


def test_each_header_is_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    base = {re.sub(r"_(device|host)$", "", path.stem): path for folder in FOLDERS for path in (INCLUDE / "cudasync/backend" / folder).glob("*.h")}
    unknown = [str(path.relative_to(INCLUDE)) for stem, path in base.items() if not re.search(rf"/{stem}(_device)?\.h`", text)]
    assert not unknown, f"{PAGE.name} does not mention {unknown}: add a row for each number, or name the header at the end"
