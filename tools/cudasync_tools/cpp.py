"""Reads the tables and the functions of headers: what macros expand to, and the instruction of each function in ptx/."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

COMMENT = re.compile(r"// PTX (?P<isa>\d+\.\d+), (?P<sm>sm_\w+)\.\s*(?P<remark>.*)")
MACRO = re.compile(r"^#define (\w+)\(([^)]*)\)\s*(.*)", re.MULTILINE)
FUNCTION = re.compile(r"(?:template <([^>]*)>\s*)?CUDASYNC_DEVICE [^(]*?(\w+)\(")
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


def expand(macros, name, arguments):
    """A macro's definition with these arguments, and the macros in it likewise."""
    parameters, body = macros[name]
    values = dict(zip(parameters, arguments))
    values["__VA_ARGS__"] = ", ".join(arguments[len(parameters) - 1 :])
    values |= {f"#{parameter}": f'"{value}"' for parameter, value in values.items()}
    values |= {"##": ""}
    text = re.sub(r'"(?:\\.|[^"\\])*"|##|#?\w+', lambda word: values.get(word[0], word[0]), re.sub(r"\s*##\s*", "##", body))
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
    parameters = re.sub(r"(sem|scope)_t<\w+>", r"\1", parameters).replace("Pointer<", "pointer<")
    if "sem_relaxed_t" in parameters:
        instruction = instruction.replace(".sem", ".relaxed")
    if "global_pointer<" in parameters and ".global" not in instruction:
        instruction = instruction.replace(".scope", ".scope.global")
    if "scope_cluster_t" in parameters:
        instruction = instruction.replace(".scope", ".cluster")
    return f"{name[2]}{template}({parameters})", instruction


# The macros of ptx/qualified.h, with the names of the template arguments in place of each order and scope.
QUALIFIED = {
    "CUDASYNC_EITHER": (["NUMBERS", "QUALIFIERS"], "QUALIFIERS"),
    "CUDASYNC_ORDERED": (["INSTRUCTION", "..."], 'INSTRUCTION(".sem.scope", __VA_ARGS__)'),
    "CUDASYNC_QUALIFIED": (["INSTRUCTION", "..."], 'INSTRUCTION(".sem.scope", __VA_ARGS__, "l")'),
}


def macros_of(text):
    """(the text with each macro on one line, {name: (parameters, definition)})."""
    joined = re.sub(r"\s*\\\n\s*", " ", text)
    macros = dict(QUALIFIED)
    for name, words, body in MACRO.findall(joined):  # of several definitions, the first is that of the device pass
        macros.setdefault(name, ([word.strip() for word in words.split(",")], body))
    return joined, macros


def expanded(text):
    """The text with each row of a table, a call of a macro at the beginning of a line, replaced by what it declares."""
    joined, macros = macros_of(text)
    lines = joined.splitlines(keepends=True)
    for index, line in enumerate(lines):
        if (row := re.match(r"(CUDASYNC_\w+)\s*\(", line)) and row[1] in macros:
            body = expand(macros, row[1], split(inside(line, row.end() - 1)))
            lines[index] = body.replace("template <", "\ntemplate <") + "\n"
    return "".join(lines)


def functions(text):
    """(function, instruction, PTX ISA, sm, remark) of each function of a header in ptx/, in its order."""
    joined, macros = macros_of(text)
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
            raise ValueError(f"no function below `{line.strip()}`")
        while (row := re.match(r"(\w+)\s*\(", lines[below])) and row[1] in macros:
            arguments = split(inside("".join(lines[below:]), row.end() - 1))
            text = expand(macros, row[1], arguments)
            for definition in FUNCTION.finditer(text):
                yield *described(text[definition.start() :]), *facts
            below += 1
