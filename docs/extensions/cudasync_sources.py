"""What the pages take from the sources: the table of PTX functions, the examples; and checks of the code they show."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"// PTX (?P<isa>\d+\.\d+), (?P<sm>sm_\w+)\.\s*(?P<remark>.*)")
MACRO = re.compile(r"^#define (\w+)\(([^)]*)\)\s*(.*)", re.MULTILINE)
STRING = re.compile(r'"((?:\\.|[^"\\])*)"')


def inside(text, start):
    """What stands between the parenthesis at `start` and the one that closes it."""
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth == 0:
            return text[start + 1 : index]
    raise ValueError(f"no closing parenthesis: {text[start : start + 60]}")


def split(arguments):
    """The arguments of a macro call: commas in parentheses and strings do not count."""
    return [word.strip() for word in re.findall(r'((?:"[^"]*"|\([^()]*\)|[^,"()])+)(?:,|$)', arguments)]


def expand(parameters, body, arguments):
    """A row of a table, with the table's macro replaced by its definition."""
    values = dict(zip(parameters, arguments))
    values["__VA_ARGS__"] = ", ".join(arguments[len(parameters) - 1 :])
    return re.sub(r"\w+", lambda word: values.get(word[0], word[0]), body)


def described(definition):
    """(signature, instruction) of a function whose definition begins the text."""
    name = re.match(r"(?:template <\w+ (\w+)>\s*)?CUDASYNC_DEVICE [^(]*?(\w+)\(", definition)
    template = f"<{name[1]}>" if name[1] else ""
    parameters = " ".join(inside(definition, name.end() - 1).split())
    assembly = definition.index("asm")
    strings = STRING.findall(inside(definition, definition.index("(", assembly)))
    text = re.sub(r"^\{ \.reg \.pred \w+;(\\n\w+:)? ", "", "".join(strings))  # and the label of a loop
    words = text.split(";")[0].split()
    registers = [word.replace("%%", "%") for word in words if word.startswith("%%")]
    return f"{name[2]}{template}({parameters})", " ".join([words[0], *registers])


def functions(text):
    """(function, instruction, PTX ISA, sm, remark) of each function of a header in ptx/, in its order."""
    joined = re.sub(r"\s*\\\n\s*", " ", text)
    macros = {name: ([word.strip() for word in words.split(",")], body) for name, words, body in MACRO.findall(joined)}
    lines = joined.splitlines(keepends=True)
    for index, line in enumerate(lines):
        if not (comment := COMMENT.match(line)):
            continue
        remark = [comment["remark"]]
        below = index + 1
        while lines[below].startswith("//"):
            remark.append(lines[below][2:])
            below += 1
        facts = comment["isa"], comment["sm"], " ".join(" ".join(remark).split())
        if re.match(r"template <|CUDASYNC_DEVICE ", lines[below]):
            yield *described("".join(lines[below:])), *facts
        elif not re.match(r"CUDASYNC_\w+\s*\(", lines[below]):
            raise ExtensionError(f"no function below `{line.strip()}`")
        while (row := re.match(r"(\w+)\s*\(", lines[below])) and row[1] in macros:
            arguments = split(inside("".join(lines[below:]), row.end() - 1))
            yield *described(expand(*macros[row[1]], arguments)), *facts
            below += 1


def cell(*texts, code=False):
    """A cell with a paragraph for each text."""
    result = nodes.entry()
    for text in texts:
        result += nodes.paragraph("", "", nodes.literal(text, text) if code else nodes.Text(text))
    return result


def table(rows):
    """The table of one header's functions; the first column has the function above its instruction."""
    heads = ("Function and instruction", "PTX", "From", "Remark")
    group = nodes.tgroup(cols=len(heads))
    group += [nodes.colspec(colwidth=width) for width in (60, 6, 8, 26)]
    head, body = nodes.thead(), nodes.tbody()
    head += nodes.row("", *(cell(text) for text in heads))
    for function, instruction, *others in rows:
        body += nodes.row("", cell(function, instruction, code=True), *(cell(text) for text in others))
    group += [head, body]
    return nodes.table("", group, classes=["ptx-functions"])


class PtxFunctions(SphinxDirective):
    """``.. ptx-functions::`` is a section and a table for each header in include/cudasync/ptx."""

    def run(self):
        result = []
        for header in sorted((ROOT / "include/cudasync/ptx").glob("*.h")):
            self.env.note_dependency(str(header))
            text = header.read_text(encoding="utf-8")
            rows = list(functions(text))
            if rows:
                name = f"<cudasync/ptx/{header.name}>"
                section = nodes.section(ids=[nodes.make_id(f"ptx-{header.stem}")])
                purpose = text.splitlines()[0].removeprefix("// ")
                section += [nodes.title(name, name), nodes.paragraph(purpose, purpose), table(rows)]
                result.append(section)
        return result


class Examples(SphinxDirective):
    """``.. examples::`` is a section for each program in examples/: its name and its whole text."""

    def run(self):
        result = []
        for source in sorted((*ROOT.glob("examples/*.cu"), *ROOT.glob("examples/*.cpp"))):
            self.env.note_dependency(str(source))
            text = source.read_text(encoding="utf-8")
            block = nodes.literal_block(text, text, language="cpp")
            section = nodes.section(ids=[nodes.make_id(f"example-{source.stem}")])
            section += [nodes.title(source.name, source.name), block]
            result.append(section)
        return result


def check_page(app, name, source):
    """C++ on a page is a region of a compiled file, never typed into the page."""
    if typed := re.search(r"^.. code-block::\s*(c|c\+\+|cpp|cuda)$", source[0], re.MULTILINE):
        logging.getLogger(__name__).warning("%s: show compiled code with literalinclude", typed[0], location=name)


def check_readme(app):
    """The README's C++ is a region of a snippet."""
    blocks = re.findall(
        r"^```(?:cpp|cuda)\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    snippets = [path.read_text(encoding="utf-8") for path in ROOT.glob("docs/snippets/*")]
    for block in blocks:
        if not any(block in snippet for snippet in snippets):
            logging.getLogger(__name__).warning("README.md: this code is in no file of docs/snippets:\n%s", block)


def setup(app):
    app.add_directive("ptx-functions", PtxFunctions)
    app.add_directive("examples", Examples)
    app.connect("builder-inited", check_readme)
    app.connect("source-read", check_page)
    return {"parallel_read_safe": True, "version": "1"}
