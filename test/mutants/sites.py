"""The places in the headers where a small fault would be an error of synchronization, and the fault for each of them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A site is named by its function and its text: `arrive_and_wait __syncthreads() #2 of 3` is the second `__syncthreads()` in the
# functions of this name in a header, which have three. One more or one less changes the names of all: which of them is which,
# and what sees a fault there, is then a question, and test/lint/test_fault_sites.py asks it.

import collections
import functools
import re
from pathlib import Path
from typing import NamedTuple

from cudasync_tools import cpp, toolchain

HEADERS = toolchain.INCLUDE / "cudasync"


class Site(NamedTuple):
    header: str  # below include/cudasync
    name: str  # of the function and the text, as the list has it
    begin: int  # of the text that the fault replaces
    end: int
    replacement: str


WITHOUT_SITES = {"hang_report.h"}  # positions in a text
WITHOUT_SYNCHRONIZATION = {"checked", "compat", "core", "hang", "ptx", "trace"}


@functools.cache
def headers():
    """Those of the types, the threads and the backend, and those that sites.txt has. The text of instructions is the business of
    instruction_words in test/lint/checks.py, except the order of the parts of an operand."""
    all_headers = (path.relative_to(HEADERS) for path in HEADERS.rglob("*.h"))
    found = {str(path) for path in all_headers if path.parts[0] not in WITHOUT_SYNCHRONIZATION}
    found |= {"ptx/clusterlaunchcontrol.h"}
    found |= {str(path.relative_to(HEADERS)) for path in HEADERS.glob("ptx/[!c]*.h") if PARTS.search(path.read_text(encoding="utf-8"))}
    return sorted((found | set(entries())) - WITHOUT_SITES)


def is_incomplete(header):
    """Whether only those of its places count that sites.txt has: a fault of the checked build seldom changes a report."""
    return header.startswith(("checked/", "hang/"))


# --- The kinds of faults: a pattern, and what replaces the match ---

WEAKER = {"acquire": "relaxed", "release": "relaxed", "acq_rel": "relaxed", "seq_cst": "acq_rel", "sc": "acq_rel"}
WEAKER_BUILTIN = {"ACQUIRE": "RELAXED", "RELEASE": "RELAXED", "ACQ_REL": "RELAXED", "SEQ_CST": "ACQ_REL"}
NARROWER = {"cluster": "cta", "gpu": "cta", "sys": "gpu"}
NARROWER_SCOPE = {"cluster": "block", "device": "block", "system": "device"}


BODY = re.compile(r"\s*(?:\{|noexcept\b|const\b)")


def is_declaration(code, match):
    """Of a function whose name this is."""
    return code[match.end()] == "(" and BODY.match(code, cpp.call_at(code, match.end()))


def is_use(code, match):
    """Whether this first argument of a template is that of a call or of an object, not of a type that is deduced."""
    begin = code.rindex("<", 0, match.start())
    end = re.compile(r"<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>").match(code, begin).end()
    return code[end] in "({;" or code[:begin].endswith("scope_on_device")


ORDER = re.compile(
    r"\bcase memory_order::(acquire|release|acq_rel|seq_cst)\b|"
    r"\b(?:memory_order_|memory_order::|sem_|dot_sem::)(acquire|release|acq_rel|seq_cst|sc)(?:_t)?\b|"
    r"\b__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b|"
    r"\b(?:load_acquire|fetch_add_release|atom_release_add|atom_release_cas|ld_acquire)(?=[<(])|"
    r"\bfence_(?:release|acquire)_t\b"
)
SCOPE = re.compile(
    r"(?<=\bscope_)(cluster|gpu|sys)(?=(?:_t)?\b)|\bthread_scope_(cluster|device|system)\b|(?<=<)Scope(?=[,>])"
)
FENCE = re.compile(
    r"(?<!:)\b(?:ptx::|backend::)?(?:fence\w*|keep_order)(?=[(<])|(?<!:)\bleading_fence(?=<)|\b__sync(?:warp|threads)(?=\()|\b\w+\.sync(?=\()|"
    r"\b__threadfence\w*(?=\()|\b(?:self\(\)\.|\w+->)notify_(?:one|all)(?=\()|\b(?:backend::)?(?:publish_\w+|acquire_what_was_seen|notify|notify_after_change|wake_all|sync_first_warp|meet_block)(?=[(<])"
)
COUNT = re.compile(
    r"(?:<<|>>) (\d+)\b|(?<=[\w)\]}] )([-+]) 1\b|\b(one_\w+)\b(?! =)|(?<=, )(1)(?=[),])|\b0 - (?=\w)|"
    r"(?<=[(,*+=] )(expected|arrivals|update|count)(?=[),;])|(?<=\()(expected|arrivals|update|count)(?=[),])|% (256)\b|(?<=[\w)] )([-+]) (?:expected|update|arrivals)\b"
)
PARITY = re.compile(r"\^ 1u?\b|(?<!bool )(?<!uint32 )\b(?:\w+\.)?odd\b(?! =)|\b(?:head|tail)_\.parity\b(?! \^)|\bhas_flipped(?=\()|(?<=[(,] )parity(?=[),])|(?<=\()parity(?=[),])")


def order_fault(match, code):
    text = match[0]
    if match[1]:
        return f"case static_cast<memory_order>({90 + len(match[1])})"
    if match[2]:
        return text.replace(match[2], WEAKER[match[2]])
    if match[3]:
        return text.replace(match[3], WEAKER_BUILTIN[match[3]])
    if text.startswith("fence_"):
        return "sem_relaxed_t"
    return text.replace("acquire", "relaxed").replace("release", "relaxed")


def scope_fault(match, code):
    if match[1]:
        return NARROWER[match[1]]
    return f"thread_scope_{NARROWER_SCOPE[match[2]]}" if match[2] else "thread_scope_block"


def count_fault(match, code):
    text = match[0]
    if match[1]:
        return text.replace(match[1], str(int(match[1]) + (1 if int(match[1]) < 62 else -1)))
    if match[2]:
        return f"{match[2]} 2" if match[2] == "+" else "- 0"
    if match[3]:
        return f"(2 * {text})"
    if match[4]:
        return "2"
    if match[5] or match[6]:
        return f"({text} + 1)"
    if match[7]:
        return f"% {int(match[7]) * 2}"
    if match[8]:
        return {"-": "+", "+": "-"}[match[8]] + text[1:]
    return "" if text.startswith("0 -") else text


def parity_fault(match, code):
    return match[0].replace("1", "0") if match[0].startswith("^") else f"!{match[0]}"


# In the text of instructions: registers that are the parts of one operand. The first two change places. Coordinates of tensor
# copies are not operands of an access.
PARTS = re.compile(r"(?:\bmov\.b128 (?:\w+, )?)?\{%\d+, %\d+[^}]*\}")


def numbered(found):
    """Sites of a header whose names may be the same. Those that are get a number, and how many there are."""
    counts, seen = collections.Counter(site.name for site in found), collections.Counter()
    for site in found:
        seen[site.name] += 1
        number = f" #{seen[site.name]} of {counts[site.name]}" if counts[site.name] > 1 else ""
        yield site._replace(name=site.name + number)


def parts(header):
    """Those sites of a header of instructions. A macro that has the same operand for each state space is one."""
    text = (HEADERS / header).read_text(encoding="utf-8")
    macros = [match.span() for match in re.finditer(r"^#define .*\\\n(?:.*\\\n)*.*\n", text, re.MULTILINE)]
    places: dict = {}
    for match in PARTS.finditer(text):
        macro = next((begin for begin, end in macros if begin <= match.start() < end), match.start())
        places.setdefault((match[0], macro), []).append(match.span())
    result = []
    for (operand, _), spans in places.items():
        begin, end = spans[0][0], spans[-1][1]
        swapped = re.sub(r"\{(%\d+), (%\d+)", r"{\2, \1", operand)
        result.append(Site(header, operand.replace(", ", " "), begin, end, text[begin:end].replace(operand, swapped)))
    return list(numbered(result))


# Calls that wait, in the headers of the types, with the object that they are called for. The faults are a function that returns
# too early, and a try that never succeeds. An arrival that is part of the call remains.
WAIT = re.compile(
    r"(?:\b[\w:]+(?:\([^()]*\)|\[[^\[\]]*\])?(?:\.|->))*\b(?:\w+(?:<[^<>;]*>)?::)*(?!note_)"
    r"(?:a?wait(?:_\w+)?|(?!fence_)\w+_wait(?:_\w+)?|(?:try_)?acquire(?:_(?!what)\w+)?|(?<!\.)sync(?:_(?!first)\w+)?|vote|take_numbered|test_ring|is_zero|has_canceled)(?=[(<])"
)
WITH_WAITS = re.compile(r"(?!checked/|hang/|thread/|trace/|backend/(?:order|tensor)/)")  # the headers


def wait_faults(code, begin, end):
    """(label, replacement) of each fault of a call."""
    text = code[begin:end]
    arguments = cpp.split_at_commas(text[text.index("(") + 1 : -1]) or [""]
    if "_and_wait" in text:
        arrival = re.sub("_and_wait(<Here>)?", "", text).replace("(phase_, where", "(phase_, 1, where")
    else:
        arrival = arguments[0] if re.search(r"\barrive(?:<\w+>)?\(", arguments[0]) else "0"
    function = next((code[first:begin] for first, last, _ in cpp.bodies(code) if first <= begin < last), "")
    is_alone = re.search(r"[;{})]\s*$", code[:begin]) and code[end] == ";"
    if is_alone or re.search(r"(?<!\] \{ )\breturn $", code[:begin]) and re.search(r"\bvoid \w+\(", function):
        return [("at once", f"static_cast<void>({arrival})")]
    is_value = re.search(r"\b(?:auto|Value) \w+\(", function) or code[:begin].endswith("static_cast<void>(")
    return [("at once", "true")] if is_value else [("at once", "true"), ("never", "false")]


FAULTS = [(ORDER, order_fault), (SCOPE, scope_fault), (COUNT, count_fault), (PARITY, parity_fault)]


def sites(header):
    """Those of a header."""
    if header.startswith("ptx/"):
        return parts(header)
    text = (HEADERS / header).read_text(encoding="utf-8")
    code = cpp.without_comments_and_directives(text)
    code = re.sub(r"const trace::span traced[({][^;]*;", lambda span: re.sub(r"[^\n]", " ", span[0]), code)  # what only a trace shows
    found = []
    for pattern, fault in FAULTS:
        for match in pattern.finditer(code):
            if is_declaration(code, match) or match[0] == "Scope" and (header.endswith("_host.h") or not is_use(code, match)):
                continue
            if pattern is COUNT and re.search("^thread/|/tensor/|^tensor/tensor_map", header):  # times and sizes
                continue
            if pattern is COUNT and re.match("(?:checked|hang|trace)/", header) and not re.search("expected|arrivals|update", match[0]):
                continue  # what packs records and texts
            if match[0] == "expected" and "/atomic" in f"/{header}":  # a value, not a count
                continue
            found.append((match.start(), match.end(), match[0], fault(match, code)))
    for match in FENCE.finditer(code):
        end = cpp.call_at(code, match.end())
        if BODY.match(code, end):
            continue
        found.append((match.start(), end, match[0] + "()", "static_cast<void>(0)"))
    for match in WAIT.finditer(code) if WITH_WAITS.match(header) else ():
        end = cpp.call_at(code, match.end())
        if not BODY.match(code, end) and code[end] != "(" and not re.search(r"[\w&>]\s$", code[: match.start()].removesuffix("return ")):
            name = re.sub(r"\(.*?\)|\[.*?\]|<.*", "", match[0])
            found += ((match.start(), end, f"{name}() {label}", fault) for label, fault in wait_faults(code, match.start(), end))
    bodies = cpp.bodies(code)
    result = []
    for begin, end, label, replacement in sorted(found):
        function = next((name for first, last, name in bodies if first <= begin < last), "-")
        result.append(Site(header, " ".join(f"{function} {label}".split()), begin, end, replacement))
    return list(numbered(result))


def mutated(site):
    """The text of its header with the fault."""
    text = (HEADERS / site.header).read_text(encoding="utf-8")
    return text[: site.begin] + site.replacement + text[site.end :]


# --- The list ---

LIST = Path(__file__).resolve().parent / "sites.txt"
LINE = re.compile(r"(?P<header>\S+\.h)|  (?P<head>\S.*):|    (?P<names>\S.*)")


@functools.cache
def entries():
    """{header: {name of a site: the test that sees the fault, or "because ..."}}"""
    result = {}
    for number, line in enumerate(LIST.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        assert match, f"sites.txt:{number}: neither a header nor a test nor sites"
        if match["header"]:
            now = result.setdefault(match["header"], {})
        elif match["head"]:
            head = match["head"]
        else:
            for name in match["names"].rstrip(",").split(", "):
                assert name not in now, f"sites.txt:{number}: {name} is there twice"
                now[name] = head
    return result


def listed(header):
    """[(site, the test that sees the fault there)]; sites with a reason instead of a test are left out."""
    tests = entries().get(header, {})
    return [(site, tests[site.name]) for site in sites(header) if not tests.get(site.name, "because").startswith("because")]
