"""Markdown pages: their blocks of code, and the parts that programs write."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A part that a program writes is between `<!-- made by docs/tables.py: NAME -->` and `<!-- end of NAME -->`. Tests check
# that each part is what its program writes.

import re

from cudasync_tools.toolchain import ROOT

# A block of code, and the comment in front of it, which docs/checks/code.py describes.
BLOCK = re.compile(
    r"(?:^<!-- context(?P<words>[^\n]*?)(?:\n(?P<context>(?:(?!-->).)*?))?-->\n|^<!-- from (?P<file>\S+) -->\n)?"
    r"^```(?P<language>\w*)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def paths():
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(path for path in found if path.is_file())


class Block:
    def __init__(self, page, text, match):
        self.page = page.relative_to(ROOT).as_posix()
        self.language, self.code = match["language"], match["code"]
        self.context, words = match["context"] or "", (match["words"] or "").split()
        self.file = match["file"]
        self.line = text.count("\n", 0, match.start("code")) + 1
        self.context_line = text.count("\n", 0, match.start("context")) + 1 if match["context"] else self.line
        self.is_continued = "continued" in words
        self.architectures = [word for word in words if word.startswith("sm_")] or ["sm_90"]

    def is_program(self):
        return "int main(" in self.code

    def is_signatures(self):
        return self.language == "cpp" and not self.is_program() and not self.file

    def is_copied(self):
        def stripped(text):
            return "\n".join(line.strip() for line in text.splitlines())

        return stripped(self.code) in stripped((ROOT / self.file).read_text(encoding="utf-8"))


def blocks():
    for page in paths():
        text = page.read_text(encoding="utf-8")
        yield from (Block(page, text, match) for match in BLOCK.finditer(text))


def parts(program):
    """The pattern of a part that this program writes: the first line, the name, and the last line."""
    return re.compile(rf"(<!-- made by {re.escape(program)}: ([\w-]+) -->\n).*?(<!-- end of \2 -->\n)", re.DOTALL)


def names(program, text):
    """The names of the parts that this program writes on a page."""
    return [part[2] for part in parts(program).finditer(text)]


def written(program, text, made):
    """The page with each part as the program makes it: made[name]() yields its lines."""
    return parts(program).sub(lambda part: part[1] + "\n" + "\n".join(made[part[2]]()) + "\n" + part[3], text)


def table(head, rows):
    """The lines of a table, and an empty line."""
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""


def folded(summary, lines):
    """Lines that a click on the summary shows."""
    summary = re.sub("`([^`]*)`", r"<code>\1</code>", summary)
    yield from ["<details>", f"<summary>{summary}</summary>", "", *lines, "</details>", ""]
