"""The figures of docs/design/measurements.rst: its tables, and the compile times, which stand in sentences."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "design" / "measurements.rst"
NUMBER = r"\d[\d,]*(?:\.\d+)?"


def section(heading, page=None):
    """The text below a heading, up to the next one."""
    text = page if page is not None else PAGE.read_text(encoding="utf-8")
    found = re.search(
        rf"^{re.escape(heading)}\n([-~=])\1+\n(.*?)(?=^[^\n]+\n([-~=])\3\3\3+\n|\Z)", text, re.MULTILINE | re.DOTALL
    )
    if not found:
        raise ValueError(f"{PAGE.name} has no section `{heading}`: change the plots along with the page")
    return found[2]


def table(heading, page=None):
    """The first list-table of a section: a list of rows of cells."""
    found = re.search(r"^\.\. list-table::.*?\n((?:[ ]+\S.*\n|\n)+)", section(heading, page), re.MULTILINE)
    if not found:
        raise ValueError(
            f"the section `{heading}` of {PAGE.name} has no list-table: change the plots along with the page"
        )
    rows = []
    for line in found[1].splitlines():
        if cell := re.match(r"   (\*| ) -(?: (.*))?$", line):
            if cell[1] == "*":
                rows.append([])
            rows[-1].append((cell[2] or "").strip())
        elif rows and line.strip():
            rows[-1][-1] += " " + line.strip()
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"the rows of the table in `{heading}` of {PAGE.name} differ in length")
    return rows


def plain(cell):
    """A cell without markup."""
    return cell.replace("``", "")


def span(cell):
    """(least, greatest) of the numbers in a cell; least is None where it is a bound, None where the cell is empty."""
    numbers = [float(number.replace(",", "")) for number in re.findall(NUMBER, cell)]
    if not numbers:
        return None
    is_bound = cell.startswith(("at most", "less than"))
    return None if is_bound else min(numbers), max(numbers)


def compile_times(page=None):
    """[(header, seconds with ours, seconds with the toolkit's or "")], as written, of the paragraph that has most of them."""
    pattern = rf"``<cuda/(\w+)>`` ({NUMBER}) s(?:\s+\((?:the toolkit's )?({NUMBER}) s\))?"
    paragraphs = [re.findall(pattern, text) for text in section("Compile time", page).split("\n\n")]
    found = max(paragraphs, key=len)
    if len(found) < 4:
        raise ValueError(f"the compile times in {PAGE.name} are written in another way: change the plots along with it")
    return [(f"<cuda/{name}>", ours, theirs) for name, ours, theirs in found]
