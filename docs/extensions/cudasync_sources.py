"""What the site adds to the Markdown pages: the table of PTX functions, the examples, the sidebar, pictures for dark pages."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from pathlib import Path

from docutils import nodes
from pygments.lexers import CudaLexer
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import header_tables

ROOT = Path(__file__).resolve().parents[2]
PICTURE = re.compile(
    r'^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]*)">\s*'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]*)">\s*</picture>$',
    re.MULTILINE,
)


def cell(*texts, code=False):
    """A cell with a paragraph for each text."""
    result = nodes.entry()
    for text in texts:
        result += nodes.paragraph("", "", breakable(text) if code else nodes.Text(text))
    return result


def breakable(text):
    """Code that may be broken before a period and before a double colon."""
    result = nodes.literal()
    for part in re.split(r"(?=\.\w|::)", text):
        result += [nodes.raw("", "<wbr>", format="html"), nodes.Text(part)] if result.children else [nodes.Text(part)]
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
    """A section and a table for each header in include/cudasync/ptx."""

    def run(self):
        result = []
        for header in sorted((ROOT / "include/cudasync/ptx").glob("*.h")):
            self.env.note_dependency(str(header))
            text = header.read_text(encoding="utf-8")
            rows = list(header_tables.functions(text))
            if rows:
                name = f"<cudasync/ptx/{header.name}>"
                section = nodes.section(ids=[nodes.make_id(f"ptx-{header.stem}")])
                purpose = text.splitlines()[0].removeprefix("// ")
                section += [nodes.title(name, name), nodes.paragraph(purpose, purpose), table(rows)]
                result.append(section)
        return result


class Examples(SphinxDirective):
    """A section for each program in examples/: its name, and its text, which a click shows."""

    def run(self):
        result = []
        for source in programs():
            self.env.note_dependency(str(source))
            text = source.read_text(encoding="utf-8")
            block = nodes.literal_block(text, text, language="cuda" if source.suffix == ".cu" else "cpp")
            section = nodes.section(ids=[nodes.make_id(f"example-{source.stem}")])
            lines = len(text.splitlines())
            summary = f"<details class='program'><summary>Show the program ({lines} lines)</summary>"
            shown = [nodes.raw("", html, format="html") for html in (summary, "</details>")]
            section += [nodes.title(source.name, source.name), shown[0], block, shown[1]]
            result.append(section)
        return result


def programs():
    return sorted((*ROOT.glob("examples/*.cu"), *ROOT.glob("examples/*.cpp")))


def sidebar(text):
    """A hidden toctree for each section of the index whose list links to pages."""
    trees = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        if pages := re.findall(r"^- \[[^\]]*\]\((\w[^)#]*)\.md\)", body, re.MULTILINE):
            trees.append("\n".join(["", "```{toctree}", f":caption: {title.strip()}", ":hidden:", *pages, "```"]))
    return "\n".join(trees)


def both_themes(picture):
    """The two files of a picture as images of which furo shows one: its switch for dark pages does not affect <source>."""
    images = []
    for theme in ("light", "dark"):
        images += [f"```{{image}} {picture[theme]}", f":alt: {picture['alt']}", f":class: only-{theme}", "```", ""]
    return "\n".join(images)


def extend(_, name, source):
    """A Markdown page has to read well on a code host, so what only Sphinx understands is added here."""
    source[0] = PICTURE.sub(both_themes, source[0])
    if "<picture>" in source[0]:
        logging.getLogger(__name__).warning("a <picture> has a <source> for dark pages and an <img> alone", location=name)
    outside = "../" * (name.count("/") + 1)
    source[0] = re.sub(rf"\]\(({re.escape(outside)}[^)#]*\.md)\)", r"](path:\1)", source[0])  # not a page of the site
    if name == "index":
        source[0] += sidebar(source[0])
    if name == "api/ptx":
        source[0] += "\n```{ptx-functions}\n```\n"
    if name == "guide/examples":
        source[0] += "\n```{examples}\n```\n"
        for program in programs():
            if f"examples/{program.name})" not in source[0]:
                logging.getLogger(__name__).warning("%s is not on the page", program.name, location=name)


def setup(app):
    app.add_lexer("cpp", CudaLexer)  # signatures have CUDA's keywords, too
    app.add_directive("ptx-functions", PtxFunctions)
    app.add_directive("examples", Examples)
    app.connect("source-read", extend)
    return {"parallel_read_safe": True, "version": "2"}
