"""docs/design/decisions/returns.md: each public function that waits has a row that says when it returns."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

import sites
from cudasync_tools import cpp
from cudasync_tools.toolchain import ROOT

PAGE = ROOT / "docs/design/decisions/returns.md"
FAULT = re.compile(r" (?:at once|never)(?: #\d+ of \d+)?$")
PUBLIC = re.compile(r"(?!backend/|checked/|hang/|ptx/|thread/|trace/)")
BLOCKS = re.compile(r"\b[Bb]locks (?:until|while|if)\b|\bwaits until\b|^Waits for the\b")


def waiting(header):
    """The public functions of a header with a call that waits, or with a comment that says that they block."""
    text = (sites.HEADERS / header).read_text(encoding="utf-8")
    public = {(name, position) for _, name, position in cpp.declarations(text)}
    found = {site.name.split()[0] for site in sites.sites(header) if FAULT.search(site.name)} & {name for name, _ in public}
    lines = re.sub(r"^ +", "", text, flags=re.MULTILINE)
    for name, position in public:
        if re.match(r"(?:template <[^{};]*>\s*)?(?:class|struct)\b", text[position:]):
            continue
        above = text.count("\n", 0, position)
        if BLOCKS.search(cpp.comment_above("\n".join(lines.split("\n")[:above]), None)):
            found.add(name)
    return found


def found():
    """{(header, name)} of all public headers."""
    return {(header, name) for header in sites.headers() if PUBLIC.match(header) for name in waiting(header)}


def rows(text):
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `"):
            yield from ((header, name) for header in re.findall(r"`([^`]+)`", cells[0]) for name in re.findall(r"`([^`]+)`", cells[1]))


def test_each_function_that_waits_has_a_row():
    listed, functions = set(rows(PAGE.read_text(encoding="utf-8"))), found()
    assert len(functions) > 80
    assert not functions - listed, f"say in {PAGE.name} when these return"
    assert not listed - functions, f"delete these from {PAGE.name}"


def test_functions_are_found():
    assert waiting("latch.h") == {"wait", "try_wait", "arrive_and_wait", "try_wait_for", "try_wait_until"}
    assert "quit" in waiting("pipeline.h")
