"""Reads C++ headers with patterns, for all scripts and tests: it understands what our own headers contain."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

# --- Text ---


def without_comments(text):
    """The code alone: comments, strings and characters blanked, lines kept."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\''
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def split_at_commas(text):
    """The text between commas that are in no brackets."""
    words, depth, last = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter in "(<{[") - (letter in ")>}]")
        if letter == "," and depth == 0:
            words.append(text[last:index])
            last = index + 1
    return [word for word in (*words, text[last:]) if word.strip()]


def comment_above(text, position):
    """The comment in the lines directly above a position, as one line, without the instruction at its end."""
    lines = []
    for line in reversed(text[:position].splitlines()):
        if not line.startswith("// "):
            break
        lines.insert(0, line[3:])
    return re.sub(r"(?<=[.)]) [a-z][\w.:]*\.$", "", " ".join(lines))


ASSERTION = re.compile(r"\bstatic_assert\s*\(")
WHOLE_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def assertion(text, position):
    """The text between the parentheses of which the first ends here; parentheses in strings do not count."""
    depth, begin = 1, position
    while depth:
        string = WHOLE_STRING.match(text, position)
        position = string.end() if string else position + 1
        if not string:
            depth += {"(": 1, ")": -1}.get(text[position - 1], 0)
    return text[begin : position - 1]


def messages(text):
    """Those of static_assert: none for an assertion that has no text."""
    text = re.sub(r"(?m)^\s*//.*$", "", text)
    found = []
    for match in ASSERTION.finditer(text):
        parts = WHOLE_STRING.findall(assertion(text, match.end()))
        if parts:
            found.append("".join(part[1:-1] for part in parts).replace('\\"', '"'))
    return found


# --- Declarations ---


def exported(declaration):
    """The names in a using-declaration such as `using cudasync::latch, cudasync::standard::barrier;`."""
    return [word.strip().rpartition("::")[2] for word in declaration.removesuffix(";").split(",")]


def names_of(text):
    """{class: names of its public members} of a header, and {"": names outside of classes}."""
    found = {"": set()}
    for owner, name, _ in declarations(text, found):
        found[owner].add(name)
    return found


def declarations(text, classes=None):
    """(class or "", name, position) of each public declaration of a header; `classes` gets a set for each class."""
    classes = {} if classes is None else classes
    text = without_comments(text)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*$", lambda line: re.sub(r"[^\n]", " ", line[0]), text, flags=re.MULTILINE)
    scopes, start, index = [], 0, 0
    while index < len(text):
        letter = text[index]
        if letter == "(":
            index += len(inside(text, index)) + 2
            continue
        if letter in "{;":
            statement = " ".join(text[start:index].split())
            position = start + len(text[start:index]) - len(text[start:index].lstrip())
            is_public = scopes and scopes[-1][0] == "class" and scopes[-1][2] == "public"
            if is_public or all(scope[0] == "namespace" for scope in scopes):
                owner = scopes[-1][1] if is_public else ""
                yield from ((owner, name, position) for name in names_in(statement))
            if letter == "{":
                scopes.append(scope_of(statement, classes))
            start = index + 1
        elif letter == "}":
            scopes.pop()
            start = index + 1
        elif letter == ":" and re.fullmatch(r"\s*(public|private|protected)\s*", text[start:index]):
            if scopes and scopes[-1][0] == "class":
                scopes[-1][2] = text[start:index].strip()
            start = index + 1
        index += 1


def scope_of(statement, classes):
    """What a brace opens: a namespace, a class with its name and its access, or anything else."""
    head = re.sub(r"template <(?:[^<>]|<[^<>]*>)*>", "", statement)
    head = re.sub(r"__attribute__\(\(\w+\)\)", "", head)
    if re.match(r"\s*(inline )?namespace\b", head) or not statement:
        return ["namespace", "", ""]
    if "(" not in head and (kind := re.search(r"\b(class|struct)\s+(\w+)(?!.*=)", head)):
        classes.setdefault(kind[2], set())
        return ["class", kind[2], "public" if kind[1] == "struct" else "private"]
    return ["other", "", ""]


def names_in(statement):
    """The names that a member declaration declares."""
    if "= delete" in statement or re.search(r"\bfriend class\b|\bstatic_assert\b|^$", statement):
        return set()
    if alias := re.search(r"\busing (\w+) =", statement):
        return {alias[1]}
    if re.match(r"using ", statement):
        return set()
    text = re.sub(r"template <(?:[^<>]|<[^<>]*>)*>|__attribute__\(\(\w+\)\)|alignas\([^()]*(?:\([^()]*\))?[^()]*\)", "", statement)
    if re.match(r"\s*(inline )?namespace\b|\s*extern\b", text) or "->" in text.split("decltype")[0]:
        return set()
    if re.match(r"\s*enum :", text):  # has no name: its enumerators are helpers
        return set()
    if kind := re.match(r"\s*(?:class|struct|enum class|enum)\s+(\w+)", text):
        return {kind[1]} if "(" not in text else set()
    is_value = re.match(r"[^(]*(?<!operator) = ", text)
    if not is_value and (name := name_of(text)):
        return {"conversion" if re.match(r"operator \w", name) else name.replace("operator ", "operator")}
    if value := re.search(r"\b([a-z]\w*)(?: =.*|\[.*)?$", re.sub(r"\{.*", "", text)):
        return {value[1]}
    return set()


def name_of(declaration):
    """The function that a declaration declares, or None."""
    text = re.sub(r"\[\[nodiscard\]\]|\bdecltype\(.*", "", declaration).replace("(max)", " max")
    found = re.search(r"(operator\s*(?:[^\s\w(]+|\w+)|~?\w+)\s*\(", text)
    return found and re.sub(r"\s+", " ", found[1])


# --- The bodies of functions ---


def without_comments_and_directives(text):
    """The text with comments, directives and strings replaced by spaces, so that positions stay the same."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    text = re.sub(r"//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.MULTILINE)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', blank, text)


NOT_A_NAME = re.compile(r"template\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>|\[\[.*?\]\]|(?:alignas|__attribute__|decltype)\s*\((?:[^()]|\([^()]*\))*\)")


def bodies(code):
    """[(begin, end, name)] of the bodies of functions and of what leads to them; the name of a class for what else is in it."""
    code = code.replace("= {}", "=   ")  # of a parameter
    result = []
    scopes = []  # (kind, name, begin)
    chunk = 0  # where the current declaration begins
    for match in re.finditer(r"[{};]|^(?:public|private|protected):", code, re.MULTILINE):
        inside = bool(scopes) and scopes[-1][0] == "function"
        if match[0] == "{":
            lead = NOT_A_NAME.sub(" ", code[chunk : match.start()])
            if inside:
                scopes.append(("function", None, 0))
            elif re.search(r"\bnamespace\b|\bextern\b", lead):
                scopes.append(("namespace", None, 0))
            elif (found := re.match(r"\s*(?:struct|class|union|enum(?: class)?)\s+(\w+)?", lead)) and "(" not in lead:
                scopes.append(("class", found[1], 0))
            elif found := re.search(r"(operator\s*\S+?|~?\w+)\s*\(", lead):
                scopes.append(("function", found[1], chunk))
            else:
                scopes.append(("function", None, 0))
        elif match[0] == "}" and scopes:
            kind, name, begin = scopes.pop()
            if kind == "function" and name:
                result.append((begin, match.end(), name))
            inside = inside and scopes and scopes[-1][0] == "function"
        if not inside:
            chunk = match.end()
    return sorted(result)


def call_at(code, position):
    """The end of the call whose template arguments or parenthesis begin here."""
    depth = 0
    while position < len(code):
        if code[position] == "<" and depth == 0:
            position = re.compile(r"<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>").match(code, position).end()
            continue
        depth += (code[position] == "(") - (code[position] == ")")
        position += 1
        if depth == 0:
            return position
    raise AssertionError("a call without an end")


# --- Tables of macros, and the instructions of the functions in ptx/ ---

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
    while call := re.compile(r"(\w+)\s*\(").search(text, done):
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
    words = next(words for words in map(str.split, statements) if not re.match(r"\.reg|mov\.b128|setp|add\.u32", words[0]))
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


# The macros of ptx/qualified.h, with the names of the template arguments in place of the order and the scope.
STATEMENT = (["BEGINNING", "NUMBERS", "REST", "..."], 'asm volatile(BEGINNING ".sem.scope" REST __VA_ARGS__ : "memory");')
QUALIFIED = {"CUDASYNC_ORDERED": STATEMENT, "CUDASYNC_QUALIFIED": STATEMENT}


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
            body = re.sub(r"\} (?=CUDASYNC_(?:DEVICE|API) )", "}\n", body.replace("template <", "\ntemplate <"))
            lines[index] = body.lstrip() + "\n"
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
            definition = definition[: definition.index("\n}")]
            if call := re.search(r"CUDASYNC_ORDERED\(", definition):
                definition = definition[: call.start()] + expand(macros, "CUDASYNC_ORDERED", split(inside(definition, call.end() - 1)))
            if "asm" in definition:  # else it calls a function of the compiler's
                yield *described(definition), *facts
        elif not re.match(r"CUDASYNC_\w+\s*\(", lines[below]):
            raise ValueError(f"no function below `{line.strip()}`")
        while (row := re.match(r"(\w+)\s*\(", lines[below])) and row[1] in macros:
            arguments = split(inside("".join(lines[below:]), row.end() - 1))
            row_text = expand(macros, row[1], arguments)
            for function in FUNCTION.finditer(row_text if "asm" in row_text else ""):
                yield *described(row_text[function.start() :]), *facts
            below += 1
