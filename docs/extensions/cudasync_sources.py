"""What the site adds to the Markdown pages: examples, the sidebar, the index, pictures for dark pages, and where names may break."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from pathlib import Path

from docutils import nodes
from pygments.lexers import CudaLexer
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
PICTURE = re.compile(
    r'^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]*)">\s*'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]*)">\s*</picture>$',
    re.MULTILINE,
)


class BreakNames(SphinxPostTransform):
    """Lets long names in tables break before a period and before a double colon, not in a word. File names do not break."""

    default_priority = 500
    formats = ("html",)

    def run(self, **_):
        for entry in self.document.findall(nodes.entry):
            for text in list(entry.findall(nodes.Text)):
                first, *others = re.split(r"(?<=\w)(?=\.(?!h\b)[a-zA-Z]|::)", text.astext())
                if others and not isinstance(text.parent, nodes.raw):
                    broken = [node for part in others for node in (nodes.raw("", "<wbr>", format="html"), nodes.Text(part))]
                    text.parent.replace(text, [nodes.Text(first), *broken])


class IndexNames(SphinxTransform):
    """Enters the names in the headings of the API pages into the general index, with their class or page."""

    default_priority = 700  # before the domains collect the entries

    def apply(self, **_):
        if not self.env.docname.startswith("api/"):
            return
        page = next(self.document.findall(nodes.title)).astext()
        for section in list(self.document.findall(nodes.section)):
            title = section.parent[0] if isinstance(section.parent, nodes.section) else nodes.title()
            owner = next((name.astext() for name in title.findall(nodes.literal)), page)
            for name in (each for each in section[0].findall(nodes.literal) if not each.astext().startswith("<")):
                entry = ("single", f"{name.astext()} ({owner})", section["ids"][0], "", None)
                section.insert(1, addnodes.index(entries=[entry]))


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
    """A hidden toctree for each section of an index whose list links to pages."""
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
    if name.rpartition("/")[2] == "index":
        trees = sidebar(source[0])
        if name == "index":  # the home page has cards; the sidebar has the lists
            source[0] = re.sub(r"\)\*\*: (\w)", lambda text: f")** {text[1].upper()}", source[0].partition("\n## ")[0]) + "\n"
        source[0] += trees
    if name == "guide/examples":
        source[0] += "\n```{examples}\n```\n"
        for program in programs():
            if f"examples/{program.name})" not in source[0]:
                logging.getLogger(__name__).warning("%s is not on the page", program.name, location=name)


def break_names(_app, _name, _template, context, _tree):
    """Lets long names in the page's table of contents break after an underscore or a double colon, not in a word."""
    words = re.compile(r'(?<=<span class="pre">)[^<]*')
    context["toc"] = words.sub(lambda name: re.sub(r"(_|::)(?=\w)", r"\1<wbr>", name[0]), context.get("toc", ""))


def setup(app):
    app.add_lexer("cpp", CudaLexer)  # signatures have CUDA's keywords, too
    app.add_directive("examples", Examples)
    app.connect("source-read", extend)
    app.connect("html-page-context", break_names)
    app.add_post_transform(BreakNames)
    app.add_transform(IndexNames)
    return {"parallel_read_safe": True, "version": "2"}
