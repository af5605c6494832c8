"""What the site adds to the Markdown pages: the table of PTX functions, the examples, the sidebar, pictures for dark pages."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from pathlib import Path

from docutils import nodes
from pygments.lexers import CudaLexer
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"// PTX (?P<isa>\d+\.\d+), (?P<sm>sm_\w+)\.\s*(?P<remark>.*)")
MACRO = re.compile(r"^#define (\w+)\(([^)]*)\)\s*(.*)", re.MULTILINE)
FUNCTION = re.compile(r"(?:template <([^>]*)>\s*)?CUDASYNC_DEVICE [^(]*?(\w+)\(")
STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
PICTURE = re.compile(
    r'^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]*)">\s*'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]*)">\s*</picture>$',
    re.MULTILINE,
)


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


def expand(macros, name, arguments):
    """A macro's definition with these arguments, and the macros in it likewise."""
    parameters, body = macros[name]
    values = dict(zip(parameters, arguments))
    values["__VA_ARGS__"] = ", ".join(arguments[len(parameters) - 1 :])
    values |= {f"#{parameter}": f'"{value}"' for parameter, value in values.items()}
    text = re.sub(r'"(?:\\.|[^"\\])*"|#?\w+', lambda word: values.get(word[0], word[0]), body)
    done = 0
    while call := re.compile(r"(\w+)\(").search(text, done):
        done = call.end()
        if call[1] in macros:
            inner = inside(text, call.end() - 1)
            expanded = expand(macros, call[1], split(inner))
            done = call.start() + len(expanded)
            text = text[: call.start()] + expanded + text[call.end() + len(inner) + 1 :]
    return text


def described(definition):
    """(signature, instruction) of a function whose definition begins the text."""
    name = FUNCTION.match(definition)
    values = re.findall(r"\bu?int\w* (\w+)", name[1] or "")
    template = f"<{', '.join(values)}>" if values else ""
    parameters = " ".join(inside(definition, name.end() - 1).split())
    assembly = definition.index("asm")
    strings = STRING.findall(inside(definition, definition.index("(", assembly)))
    statements = re.sub(r"^\{|\\n(\w+:)?", "", "".join(strings)).split(";")  # the label is that of a loop
    words = next(words for words in map(str.split, statements) if not re.match(r"\.reg|mov\.b128|setp", words[0]))
    registers = [word.replace("%%", "%") for word in words if word.startswith("%%")]
    instruction = " ".join([words[0], *registers])
    if "Scope" in name[0]:  # a function for all orders and scopes shows the first of its instructions
        parameters = re.sub(r"(sem|scope)_t<\w+>", r"\1", parameters)
        template, instruction = "", instruction.replace(".cta", ".scope")
    if "Sem" in name[0]:
        instruction = instruction.replace(".relaxed", ".sem")
    return f"{name[2]}{template}({parameters})", instruction


def in_one(descriptions):
    """The descriptions of one row of a table, with overloads for several kinds of pointers as one."""
    if len({re.sub(r"\w+_pointer", "", function) for function, _ in descriptions}) == len(descriptions):
        return descriptions
    kinds = re.compile(r"\b(?:global|shared|generic)_pointer"), re.compile(r"\.(?:global|shared)\b")
    same = [(kinds[0].sub("pointer", function), kinds[1].sub("", words)) for function, words in descriptions]
    return list(dict.fromkeys(same))


def functions(text):
    """(function, instruction, PTX ISA, sm, remark) of each function of a header in ptx/, in its order."""
    joined = re.sub(r"\s*\\\n\s*", " ", text)
    macros = {}
    for name, words, body in MACRO.findall(joined):  # of several definitions, the first is that of the device pass
        macros.setdefault(name, ([word.strip() for word in words.split(",")], body))
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
            definition = "".join(lines[below:])
            if "asm" in definition[: definition.index("\n}")]:  # else it calls a function of the compiler's
                yield *described(definition), *facts
        elif not re.match(r"CUDASYNC_\w+\s*\(", lines[below]):
            raise ExtensionError(f"no function below `{line.strip()}`")
        while (row := re.match(r"(\w+)\s*\(", lines[below])) and row[1] in macros:
            arguments = split(inside("".join(lines[below:]), row.end() - 1))
            text = expand(macros, row[1], arguments)
            descriptions = [described(text[definition.start() :]) for definition in FUNCTION.finditer(text)]
            for description in in_one(descriptions):
                yield *description, *facts
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
    """A section and a table for each header in include/cudasync/ptx."""

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
    """A section for each program in examples/: its name and its whole text."""

    def run(self):
        result = []
        for source in programs():
            self.env.note_dependency(str(source))
            text = source.read_text(encoding="utf-8")
            block = nodes.literal_block(text, text, language="cuda" if source.suffix == ".cu" else "cpp")
            section = nodes.section(ids=[nodes.make_id(f"example-{source.stem}")])
            section += [nodes.title(source.name, source.name), block]
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
