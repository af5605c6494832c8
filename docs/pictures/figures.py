"""The numbers in the tables of docs/design/measurements.md."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "design" / "measurements.md"
NUMBER = r"\d[\d,]*(?:\.\d+)?"


def section(heading, page=None):
    """The text below a heading of the second level, up to the next one."""
    text = page if page is not None else PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"{PAGE.name} has no section `{heading}`: change the plots along with the page")
    return found[1]


def table(heading, page=None):
    """The first table of a section: a list of rows of cells, the head first."""
    found = re.search(r"^\|.*\n\|[-:| ]+\|\n(?:\|.*\n)+", section(heading, page), re.MULTILINE)
    if not found:
        raise ValueError(f"the section `{heading}` of {PAGE.name} has no table: change the plots along with the page")
    head, _, *body = found[0].splitlines()
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in (head, *body)]
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"the rows of the table in `{heading}` of {PAGE.name} differ in length")
    return rows


def plain(cell):
    """A cell without markup."""
    return cell.replace("`", "").replace("*", "")


def span(cell):
    """(least, greatest) of the numbers in a cell; least is None where it is a bound, None where the cell is empty."""
    numbers = [float(number.replace(",", "")) for number in re.findall(NUMBER, cell)]
    if not numbers:
        return None
    is_bound = cell.startswith(("at most", "less than"))
    return None if is_bound else min(numbers), max(numbers)


def compile_times(page=None):
    """[(header, seconds with ours, seconds with the toolkit's or "")], as written."""
    times = []
    for name, *cells in table("Compile time", page)[1:]:
        seconds = [re.fullmatch(rf"(?:({NUMBER}) s)?", cell) for cell in cells]
        if len(cells) != 2 or not all(seconds) or not cells[0]:
            raise ValueError(f"the compile times in {PAGE.name} are written in another way: change the plots along with it")
        if re.fullmatch(r"`<cuda(sync)?/[\w.]+>`", name):
            times.append((plain(name), *(match[1] or "" for match in seconds)))
    return times
