"""The habits that a program can check: each function takes a header's name and text, and yields findings."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools import cpp, headers
from cudasync_tools.toolchain import INCLUDE

# Each folder of include/cudasync, from the lowest. A header includes its own folder and lower ones.
LAYERS = "core ptx thread hang trace backend checked types compat public".split()
BACKEND = "order atomic phase permit copy grid tensor".split()  # the folders of backend/, likewise
VERSION = re.search(r"VERSION (\d+)", (INCLUDE / "cudasync/core/config.h").read_text(encoding="utf-8"))[1]
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"

# Arithmetic, special registers, bits and conversions of addresses have nothing to do with memory: volatile and clobber are optional.
WITHOUT_CLOBBER = tuple(f"cudasync/ptx/{name}.h" for name in ("address", "arithmetic", "special_registers"))

# Files that may ask for the compilation pass.
KNOWS_THE_PASS = ("cudasync/core/target.h", "cudasync/core/config.h")

# The only header outside compat/ that declares a reserved name, of NVIDIA's.
DECLARES_A_RESERVED_NAME = ("cudasync/core/barrier_base.h",)

# Layers and headers with functions out of line, which only the checked and traced builds have; in kernels with setmaxnreg, the
# release build must have no calls.
HAS_CALLS = ("hang", "checked", "trace", "cudasync/core/config.h", "cudasync/core/assert.h", "cudasync/make_pipeline.h")

# Reserved names that compilers, glibc and CUDA give us to use.
GIVEN = re.compile(
    r"__(device|host|global|shared|constant|managed|forceinline|noinline|inline|align|launch_bounds|grid_constant)__"
    r"|__(cplusplus|FILE|LINE|func|COUNTER|VA_ARGS|linux|APPLE|x86_64|aarch64|clang|clang_major|GLIBC|attribute|BYTE_ORDER|ORDER_\w+_ENDIAN|GNUC|GNUC_MINOR|NVCC|NVCOMPILER)(__)?"
    r"|__(CUDA|CUDACC|CUDA_ARCH|INT\d+_TYPE|UINT\d+_TYPE|SIZE_TYPE|PTRDIFF_TYPE|SANITIZE|ATOMIC|SIZEOF)\w*"
    r"|__(has_\w+|builtin_\w+|atomic_\w+|nv_atomic_\w+|is_\w+|cvta_\w+|is[A-Z]\w+|threadfence\w*|sync\w+|shfl_\w+|match_\w+)"
    r"|__(trap|brkpt|nanosleep|activemask|ffs|ffsll|popc|popcll|clz|byte_perm|double2hiint|longlong_as_double|int128|ldg|stcg|any_sync|all_sync|ballot_sync|umulhi)"
    r"|__(half2?|nv_bfloat16|nv_bfloat162|extension__|cpp_\w+)"
    r"|__(reduce_\w+_sync|cudaCDP\w*|assert_fail|underlying_type|declspec|has_include|cccl_lib_\w+)"
    r"|_(Pragma|WIN32|MSC_VER|MSVC_LANG|LIBCPP_\w+|GLIBCXX_\w+)"
)


def is_shim(name):
    return any(part.startswith("__") for part in name.split("/"))


def layer(name):
    if not name.startswith("cudasync/"):
        return "public"
    parts = name.split("/")
    if len(parts) == 2:
        return "public" if name in headers.only_ours() else "types"
    return "types" if parts[1] in headers.FOLDERS_OF_TYPES else parts[1]


def is_above(name, other):
    """In a higher layer, or in a higher folder of backend/."""
    if layer(name) == layer(other) == "backend":
        return BACKEND.index(name.split("/")[2]) > BACKEND.index(other.split("/")[2])
    return LAYERS.index(layer(name)) > LAYERS.index(layer(other))


def matches(pattern, text, message):
    for match in re.finditer(pattern, text, re.MULTILINE):
        yield f"line {cpp.line_of(text, match.start())}: {match[0].strip()}: {message}"


def opening(name, text):
    """A sentence, the licence, and (in headers of ours) a guard named after the path."""
    lines = text.splitlines() + ["", ""]
    if not re.fullmatch(r"// \S.*[.:]", lines[0]):
        yield "line 1: not one sentence that says what the file is for"
    if lines[1] != f"// {SPDX}":
        yield f"line 2: not `// {SPDX}`"


def guard(name, text):
    if is_shim(name):
        return
    path = name.removeprefix("cudasync/")
    macro = "CUDASYNC_" + re.sub(r"\W", "_", path.removesuffix(".h")).upper() + "_H"
    if f"#ifndef {macro}\n#define {macro}\n" not in text:
        yield f"no include guard {macro}"
    yield from matches(r"^\s*#\s*pragma\s+once", text, "use the guard: it can tell a wrong include order")


def version(name, text):
    """Each public header with content of its own begins by the order of folders and ends by the version."""
    if layer(name) != "public" or is_shim(name) or name.startswith("cuda/std/"):
        return
    if "_H\n\n#include <cudasync/compat/include_order.h>\n" not in text:
        yield "the first include is not <cudasync/compat/include_order.h>"
    if not re.search(rf"\n#endif\n\n#if CUDASYNC_VERSION != {VERSION}\n#error .*\n#endif\n$", text):
        yield f"does not end by comparing CUDASYNC_VERSION to {VERSION}"


def includes(name, text):
    """Downwards or sideways, by full path, and the same among the folders of backend/. cuda/std/ and cuda/__ may be CCCL's."""
    yield from matches(r'^\s*#\s*include\s*"[^"]*"', text, "include by full path: NVRTC cannot resolve relative ones")
    if is_shim(name):
        return
    for match in re.finditer(r"^\s*#\s*include\s*<(cudasync/[^>]+|cuda/(?!std/|__)[^>]+)>", text, re.MULTILINE):
        if is_above(match[1], name):
            yield f"line {cpp.line_of(text, match.start(1))}: {match[1]} is above {name}"


def inline_assembly(name, text):
    """Only in ptx/, volatile and with a memory clobber."""
    code = cpp.without_comments(text)
    for match in re.finditer(r"\b(?:asm|__asm__|__asm)\b", code):
        where = f"line {cpp.line_of(text, match.start())}"
        if layer(name) != "ptx":
            yield f"{where}: inline assembly stands only in cudasync/ptx/"
            continue
        statement = text[match.start() : text.index(");", match.start())]
        if name in WITHOUT_CLOBBER:
            continue
        if not re.match(r"asm\s+volatile\b", statement):
            yield f"{where}: asm without volatile"
        if '"memory"' not in statement:
            yield f'{where}: asm without a "memory" clobber'


def out_of_line(name, text):
    """No function of the release build is out of line: docs/design/decisions/setmaxnreg_calls.md."""
    if layer(name) in HAS_CALLS or name in HAS_CALLS:
        return
    yield from matches(
        r"__noinline__|\bnoinline\b|CUDASYNC_API_OUT_OF_LINE", cpp.without_comments(text), "ptxas refuses calls in kernels with setmaxnreg"
    )


def active_lanes(name, text):
    """Lanes that then wait for each other are at one place: those in a function may have come from several."""
    if layer(name) in ("hang", "checked", "trace"):
        yield from matches(r"__activemask\b", cpp.without_comments(text), "use CUDASYNC_LANES_HERE: nvcc -Ofc=max inlines no functions")


def asserted_spaces(name, text):
    """After an assertion of is_shared alone, cicc takes the test of another address with the same base to be false."""
    code = cpp.without_comments(text)
    yield from matches(r"CUDASYNC_ASSERT\([^;\"]*\bis_shared\(", code, "use ptx::is_shared_to_assert, or the compiler assumes what is wrong")


def tests_of_addresses(name, text):
    """cicc crashes at a test of a pointer to bytes in a class, so ptx::tested_address hides what it points to."""
    if name != "cudasync/backend/grid/first_warp.h":  # its pointer comes from a statement
        yield from matches(
            r"__is(?:Shared|ClusterShared|Global|Local)\((?!object\.value\))", cpp.without_comments(text), "use ptx::is_shared(object)"
        )


def instruction_version(name, text):
    """Each PTX function, and each run of rows of a table of them, stands below `// PTX x.y, sm_NN.`"""
    if layer(name) != "ptx":
        return
    lines = text.splitlines()
    tables = set(re.findall(r"^#define (\w+)\(", text, re.MULTILINE))
    for index, line in enumerate(lines):
        in_macro = line.startswith("#define") or lines[index - 1].endswith("\\")
        if re.search(r"\basm\b", cpp.without_comments(line)) and not in_macro:
            ends = r"\}|CUDASYNC_DEVICE.*\}$"  # of the previous function
        elif (row := re.match(r"(\w+)\s*\(", line)) and row[1] in tables:
            ends = r"(?!\w+\s*\()"
        else:
            continue
        above = index - 1
        while above >= 0 and not re.match(ends, lines[above]) and not re.match(r"\s*// PTX \d", lines[above]):
            above -= 1
        if not re.match(r"\s*// PTX \d\.\d, sm_\d+[af]?(\.| )", lines[max(above, 0)]):
            yield f"line {index + 1}: no line `// PTX x.y, sm_NN.` above this function"


ORDERS_AND_SCOPES = {"relaxed", "acquire", "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys"}
# In the name of a function, these are words of its instruction, too; with them the orders.
NAMED = ORDERS_AND_SCOPES - {"sc", "sys"} | {"parity", "noinc", "no_complete", "expect_tx", "complete_tx", "read", "aligned", "commit_group", "wait_group", "test_wait", "try_wait"}
# What the qualified form of an instruction requires, although nothing in the C++ function says so.
IMPLIED = {"expect_tx": {"relaxed", "cta"}, "complete_tx": {"relaxed", "cta"}, "wait": {"acquire"}, "remote": {"cluster"}, "barrier_cluster": {"cluster"}, "red_async": {"relaxed", "cluster"}}
SPACES = {"shared::cta": r"\b(shared_address|space_shared)", "shared::cluster": r"\b(cluster_address|space_cluster)", "global": r"\b(global_pointer|space_global)", "shared": r"\bshared_pointer"}


def instructions(text):
    """(line, the C++ function or row of a table, its name, the instructions in its strings)"""
    text = re.sub(r"//[^\n]*", "", text)
    tables = set(re.findall(r"^#define (\w+)\(", text, re.MULTILINE))
    rows = re.finditer(r"^(\w+)\s*\((.*)\)$", text, re.MULTILINE)
    functions = re.finditer(r"CUDASYNC_DEVICE [^{;]*?(\w+)\(([^{}]*)\)\s*\{((?:[^{}]|\{[^{}]*\})*?)\n? *(?:\\\n)?\s*\}", text)
    in_row = r"(?:^\.|(?:^|[ ;])(?=\w+\.))([a-z][\w:]*(?:\.[\w:]+)*)"  # also what follows the name of the instruction
    in_function = r"(?:^|[ ;])([a-z]\w*(?:\.[\w:]+)+)"
    found = [(row.start(), f"{row[1]} {row[2]}", row[2], in_row) for row in rows if row[1] in tables]
    found += [(each.start(), f"{each[1]} {each[2]}", each[3], in_function) for each in functions]
    for position, declared, body, pattern in found:
        whole = re.sub(r'", "(?:%\d)+",[\s\\]*"', ".sem.scope", body)  # CUDASYNC_ORDERED("red", "%2%3", ".global...
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', whole)
        lead = re.sub(r'"[^"]*"', "", declared)
        function = next((word for word in re.findall(r"\b[a-z][a-z0-9_]*\b", lead) if not word.endswith(("_t", "int32", "int64"))), "")
        for mnemonic in re.findall(pattern, "\n".join(strings), re.MULTILINE):
            if not re.match(r"(?:mov|setp|selp|reg|cvta?|brev|bfind|isspacep|redux|setmaxnreg|createpolicy)\.", mnemonic):
                yield cpp.line_of(text, position), lead, function, mnemonic


def instruction_words(name, text):
    """The order, the scope and the space in the text of an instruction are those of the function's name and parameters."""
    if layer(name) != "ptx":
        return
    tables = (  # (a pattern with two words, what differs from each other)
        (r'_text<dot_(?:sem|scope)::(\w+)>\[\d+\] = "\.(\w+)";', "the qualifier and its text"),
        (r'\((\w+)_pointer, "\.(\w+)"', "the pointer and its text"),
    )
    for pattern, what in tables:
        for match in re.finditer(pattern, text):
            if match[1] != match[2]:
                yield f"line {cpp.line_of(text, match.start())}: {what} differ: {match[1]}, {match[2]}"
    for line, declared, function, mnemonic in instructions(text):
        parts = mnemonic.lower().split(".")
        tags = set(re.findall(r"\b(?:sem|scope)_(\w+?)_t\b", declared))
        named = {word for word in NAMED if re.search(rf"_{word}(?:_|$)|^{word}$", function)}
        implied = set().union(*(words for key, words in IMPLIED.items() if key in declared.lower()))
        for word in sorted(ORDERS_AND_SCOPES.intersection(parts) - tags - named - implied):
            yield f"line {line}: {mnemonic}: nothing in {function}({declared.strip()}) says .{word}"
        for word in sorted(named if "sem" in parts else tags | named):
            if word.replace("_complete", "complete") not in parts and f"::{word}" not in mnemonic:
                yield f"line {line}: {mnemonic}: the function {function} says {word}"
        spaces = {space for space, words in SPACES.items() if re.search(words, declared)}
        if re.search(r"_pointer\b|\bspace_global", declared) and "shared_address" not in declared:
            wrong = spaces.symmetric_difference({"global", "shared"}.intersection(parts))
        else:  # of a row without an address, another parameter of the macro names the space
            wrong = {"shared::cta", "shared::cluster"}.intersection(parts) - spaces if re.search(r"_address\b|\bspace_", declared) else set()
        for space in sorted(wrong - ({"shared::cluster"} if function == "mapa" else set())):
            yield f"line {line}: {mnemonic}: the parameters of {function} and .{space} differ"


def names(name, text):
    """No reserved identifier that nobody gave us, no single letter, no macro without our prefix, no architecture."""
    code = cpp.without_comments(text)
    if layer(name) != "compat" and not is_shim(name) and name not in DECLARES_A_RESERVED_NAME:
        for match in re.finditer(r"(?<![\w#])(?:_[A-Z]\w*|\w*__\w*)", code):
            if not GIVEN.fullmatch(match[0]) and not (layer(name) == "public" and match[0].startswith("_CUDA_")):
                yield f"line {cpp.line_of(code, match.start())}: {match[0]}: reserved for compilers and libc"
        yield from matches(r"^\s*#\s*define\s+(?!CUDASYNC_|_CUDA_|__cccl_lib_|LIBCUDACXX_ATOMIC_)\w+", code, "macros begin with CUDASYNC_")
    yield from matches(r"(?<![\w.#])[A-Za-z](?!\w)", code, "a single letter is a macro of somebody's")
    if name not in KNOWS_THE_PASS:
        yield from matches(r"\b__CUDA_ARCH\w*", code, "ask cudasync/core/target.h")


FUNCTION_HEAD = re.compile(r"\)\s*(?:const|noexcept|&&?|:.*)*\s*$", re.DOTALL)


def conditionals(name, text):
    """No #if in the body of a function: a build or a target is an overload, a tag or `if constexpr`."""
    head, inside = "", []  # of each open brace: whether it is in a function
    for number, line in enumerate(cpp.without_comments(text).split("\n"), 1):
        if line.lstrip().startswith("#"):
            if re.match(r"\s*#\s*if", line) and any(inside):
                yield f"line {number}: {line.strip()}: in the body of a function"
            continue
        for part in re.split(r"([{};])", line):
            if part == "{":
                inside.append(any(inside) or bool(FUNCTION_HEAD.search(head)) and not re.search(r"\b(?:class|struct) \w+\s*(?::|$)", head))
            elif part == "}" and inside:
                inside.pop()
            head = "" if part in ("{", "}", ";") and part else head + part
        head += "\n"


def shim_size(name, text):
    if is_shim(name) and len(text.splitlines()) > 6:
        yield "a shim has at most six lines"


HEADER_CHECKS = (opening, guard, version, includes, inline_assembly, out_of_line, active_lanes, asserted_spaces, tests_of_addresses, instruction_version, instruction_words, names, conditionals, shim_size)
