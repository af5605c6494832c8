#!/usr/bin/env python3
"""Writes the parts of API pages that are generated from the headers: the signatures, and the PTX instruction of each function."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# test/lint checks that each part is what this program writes.

import argparse
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import cpp, pages
from cudasync_tools.pages import folded, table

PROGRAM = "docs/tables.py"
FUNCTION = re.compile(
    r"^[ \t]*(?:template <(?P<template>(?:[^<>]|<[^<>]*>)*)>\s*)?CUDASYNC_(?P<kind>API|DEVICE) (?P<returns>[^(;{}=\n]*?)(?P<name>\w+)\(",
    re.MULTILINE,
)
WIDTH = 120


def header(name):
    return (ROOT / "include/cudasync" / name).read_text(encoding="utf-8")


class Function:
    """A function that a header declares: its parts as the pages show them."""

    def __init__(self, text, match):
        self.name = match["name"]
        self.kind = {"API": "__host__ __device__", "DEVICE": "__device__"}[match["kind"]]
        self.returns = match["returns"].strip()
        self.template = [word.strip() for word in cpp.split_at_commas(match["template"] or "")]
        self.parameters = [" ".join(word.split()) for word in cpp.split_at_commas(cpp.inside(text, match.end() - 1))]
        self.comment = cpp.comment_above(text, match.start())
        after = text[match.end() - 1 + len(cpp.inside(text, match.end() - 1)) + 2 :]
        self.is_noexcept = bool(re.match(r"\s*(?:const )?noexcept", after))
        self.body = after[: after.index("\n}")] if "\n}" in after else after.split("\n", 1)[0]


def functions(text):
    return [Function(text, match) for match in FUNCTION.finditer(text)]


def signature(function):
    """As the pages write it: names of the library's own helpers are replaced by what they stand for."""
    template, parameters = list(function.template), list(function.parameters)
    if "class Here = target::here" in template:
        template.remove("class Here = target::here")
    for name in ("Order", "Success", "Failure"):
        if f"class {name}" in template:
            template.remove(f"class {name}")
            parameters = [re.sub(rf"^{name} ", "memory_order ", word) for word in parameters]
    joined = re.sub(r"(, )?(\[\[maybe_unused\]\] )?\bcaller where = caller::here\(\)", "", ", ".join(parameters))  # which users do not pass
    joined = joined.replace("typename atomic_number<Value>::operand_type", "typename atomic<Value, Scope>::operand_type")
    joined = re.sub(r"identity<(\w+)>", r"\1", joined)
    joined = re.sub(r"\b(u?int\d+)\b", r"\1_t", joined)
    joined = joined.replace("block_barrier&", "barrier<thread_scope_block>&")
    returns = re.sub(r"\b(u?int\d+)\b", r"\1_t", function.returns)
    start = f"{function.kind} {returns} {function.name}("
    lines, line = [], start
    for index, word in enumerate(cpp.split_at_commas(joined)):
        last = index == len(cpp.split_at_commas(joined)) - 1
        end = (" noexcept" if function.is_noexcept else "") + ");" if last else ","
        if index and len(line) + 1 + len(word.strip()) + len(end) > WIDTH:
            lines.append(line)
            line = " " * len(start) + word.strip()
        else:
            line += (" " if index else "") + word.strip()
        line += "" if last else ","
    lines.append(line + ")" + (" noexcept" if function.is_noexcept else "") + ";")
    return ([f"template <{', '.join(template)}>"] if template else []) + lines


def block(found):
    lines = [line for function in found for line in signature(function)]
    return ["```cpp", *lines, "```", ""]


def explained(found):
    """The signatures with what they do: a paragraph if that is the same for all of them, otherwise comments."""
    found = list(found)
    if len({function.comment for function in found}) == 1:
        return [*block(found), *wrapped(found[0].comment), ""]
    lines = []
    for function in found:
        lines += [*([""] if lines else []), *("// " + line for line in wrapped(function.comment, WIDTH - 3)), *signature(function)]
    return ["```cpp", *lines, "```", ""]


def wrapped(text, width=WIDTH):
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


# --- The functions of the standard on atomic objects ---

# A function's member and its instruction: a function in ptx/, and the operation with which it is called.
READ_MODIFY_WRITES = {"exchange": "exch", "and": "and_op", "or": "or_op", "xor": "xor_op", "min": "min", "max": "max", "add": "add", "sub": "add"}


def instruction_of_atomic(name):
    """(header in ptx/, the beginning of the functions there, what the page says) of a function on atomics, or None."""
    member = re.sub(r"^atomic_(flag_)?|_explicit$", "", name)
    if "compare_exchange" in member:
        return "atom", r"atom\(sem, scope, op_cas", "`atom.cas`"
    if member in ("load", "test", "wait"):
        return "ld_st", r"ld\(", "a loop around `ld`" if member == "wait" else "`ld`"
    if member in ("store", "clear"):
        return "ld_st", r"st\(", "`st`"
    operation = "exchange" if member in ("exchange", "test_and_set") else member.partition("_")[2]
    if operation not in READ_MODIFY_WRITES:
        return None
    word = READ_MODIFY_WRITES[operation]
    kind = "red" if member.startswith("store_") else "atom"
    return kind, rf"{kind}\(sem, scope, op_{word}", f"`{kind}.{word.removesuffix('_op')}`"


def lowest(name, start):
    """(PTX ISA, architecture) of the functions of a header in ptx/ that begin so: the lowest of each."""
    rows = [row for row in cpp.functions(header(f"ptx/{name}.h")) if re.match(start, simple(row[0]))]
    if not rows:
        raise ValueError(f"{name}.h has no {start}")
    return min(((row[2], row[3]) for row in rows), key=lambda row: (int(row[1][3:5]), float(row[0])))


def simple(function):
    return re.sub(r"(op_\w+)_t\b", r"\1", function)


def member_link(name):
    member = re.sub(r"^atomic_(flag_)?|_explicit$", "", name)
    if name.startswith("atomic_flag_"):
        anchors = {"wait": "wait-notify_one-notify_all", "notify_one": "wait-notify_one-notify_all", "notify_all": "wait-notify_one-notify_all"}
        return f"[`{member}`](#{anchors.get(member, member)})"
    page = (ROOT / "docs/api/atomic.md").read_text(encoding="utf-8")
    for heading in re.findall(r"^### (.*)$", page, re.MULTILINE):
        words = re.findall(r"`(\w+)`", heading)
        if member in words or (member.startswith("store_") and words == ["store_add", "store_"]):
            anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            return f"[`{member}`](atomic.md#{anchor})"
    raise ValueError(f"atomic.md has no heading for {member}")


def atomic_functions():
    found = [function for function in functions(cpp.expanded(header("atomic_functions.h"))) if function.name != "kill_dependency"]
    groups = {}
    for function in found:
        groups.setdefault(function.name.removesuffix("_explicit"), []).append(function)
    for name, overloads in groups.items():
        names = list(dict.fromkeys(function.name for function in overloads))
        yield from ["### " + ", ".join(f"`{word}`" for word in names), "", *block(overloads)]
        if name == "atomic_init":
            yield from [
                *wrapped(
                    "Initializes the object with the value. The store is not atomic: call the function before any other thread uses the object."
                ),
                "",
            ]
            continue
        text = f"Calls {member_link(name)}."
        if instruction := instruction_of_atomic(name):
            isa, architecture = lowest(*instruction[:2])
            text += f" Instruction: {instruction[2]}, PTX ISA {isa}, {architecture} and newer."
        elif "notify" in name:
            text += " On the device, the function compiles to no instruction."
        else:
            text += " The result is a compile-time constant."
        yield from [*wrapped(text), ""]


# --- cuda::ptx and cuda::device::experimental ---

COLUMNS = ("Instruction", "PTX ISA", "From")

# The sections of the page, and which functions are in each.
SECTIONS = {
    "Barriers in shared memory": r"mbarrier_",
    "Cluster barrier": r"barrier_cluster_|getctarank",
    "Bulk copies": r"cp_async_bulk",
    "Fences": r"fence",
    "One thread of a warp": r"elect_sync",
}


def ptx_rows():
    """Every function in ptx/ as (name, parameters, instruction, PTX ISA, architecture)."""
    for path in sorted((ROOT / "include/cudasync/ptx").glob("*.h")):
        for function, instruction, isa, architecture, _ in cpp.functions(path.read_text(encoding="utf-8")):
            name = re.match(r"\w+", function)[0]
            yield name, cpp.split_at_commas(cpp.inside(function, function.index("("))), instruction, isa, architecture


ROWS = list(ptx_rows())


def accepted(argument):
    """The types of parameters that an argument of a call may have, as a pattern."""
    argument = argument.replace("_t{}", "")  # a tag
    if argument in ("sem", "scope"):
        return rf"{argument}(?:_|$)"
    if re.match(r"\{.*\}$", argument):
        return rf"const int32 \(&at\)\[{len(cpp.split_at_commas(argument[1:-1]))}\]"
    if argument.startswith("ptx::space_"):
        return re.escape(argument.removeprefix("ptx::") + "_t")
    if argument in ("at", "coordinates"):
        return r"const int32 \(&at\)"
    if argument.startswith("address_in("):
        return r"(shared|cluster)_address |(const )?void\*"
    if re.match(r"ptx::to_shared\(|backend::require_mbarrier\(", argument):
        return r"(shared|cluster)_address "
    if cast := re.match(r"static_cast<(\w+)>", argument):
        return rf"{cast[1]} "
    return r"(?!sem(?:_|$)|scope(?:_|$)|shared_address|cluster_address|const int32 \(&)"


def called_rows(name, arguments):
    """The functions in ptx/ that a call with these arguments may select."""
    packs = sum(argument.endswith("...") for argument in arguments)
    for row in ROWS:
        least = len(arguments) - packs
        if row[0] == name and least <= len(row[1]) <= len(arguments):
            if all(re.match(accepted(argument), parameter.strip()) for argument, parameter in zip(arguments, row[1])):
                if name != "cp_async_bulk_tensor" and name != "cp_async_bulk" or one_space(row[1]):
                    yield row


def one_space(parameters):
    """A destination in shared memory and its barrier have one kind of address."""
    kinds = [word.split()[0] for word in (parameters[0], parameters[-1]) if "_address " in word]
    return len(set(kinds)) < 2 or "source" in parameters[-1]


def calls(function, helpers):
    """(name, arguments) of the call of a function in ptx/ that the body makes, perhaps through a helper."""
    names = {row[0] for row in ROWS}
    for call in re.finditer(r"ptx::(\w+)(?:<\w+(?:\{\})?>)?\(", function.body):
        if call[1] in names:
            return call[1], [word.strip() for word in cpp.split_at_commas(cpp.inside(function.body, call.end() - 1))]
    call = next(call for call in re.finditer(r"(\w+)<Here>\(", function.body) if call[1] in helpers)
    given = [word.strip() for word in cpp.split_at_commas(cpp.inside(function.body, call.end() - 1))]
    name, arguments = calls(helpers[call[1]], {})
    parameters = [re.search(r"\(&(\w+)\)|(\w+)$", word) for word in helpers[call[1]].parameters]
    known = {match[1] or match[2]: value for match, value in zip(parameters, given)}
    return name, [known.get(argument, argument) for argument in arguments]


def compat(name):
    """The functions of a header in compat/ in their namespace of names, {name: comment} of those from ptx/, and helpers."""
    text = cpp.expanded(header(f"compat/{name}.h"))
    start = re.search(r"^namespace (ptx_names|experimental) \{", text, re.MULTILINE).end()
    own = functions(text[start:])
    comments = {match[1]: cpp.comment_above(text, start + match.start()) for match in re.finditer(r"^using ptx::(\w+);", text[start:], re.MULTILINE)}
    helpers = {function.name: function for function in functions(text[:start])}
    return own, comments, helpers


HOST_PASS = re.compile(r"^#if !CUDASYNC_DEVICE_PASS\n.*?^#else\n", re.MULTILINE | re.DOTALL)


def taken_functions(name):
    """A function of ptx/ under its own name: one signature for all tags, without the empty functions for the host pass."""
    for path in sorted((ROOT / "include/cudasync/ptx").glob("*.h")):
        for function in functions(cpp.expanded(HOST_PASS.sub("", path.read_text(encoding="utf-8")))):
            if function.name == name:
                yield function


def instructions(rows):
    """A table of instructions. Those that differ only in the rank of a tensor are one row."""
    has_ranks = len({rank for row in rows for rank in re.findall(r"\.tensor(\.\dd)\.", row[2])}) > 1
    words = [re.sub(r"\.\dd\.", ".Nd.", row[2]) if has_ranks else row[2] for row in rows]
    found = {}
    for word, row in zip(words, rows):
        found.setdefault((f"`{word}`", row[3], row[4]), row)
    for (word, isa, architecture), row in found.items():
        same = [other for key, other in found.items() if key[0] == word and len(other[1]) < len(row[1])]
        yield word + (f" with `{row[1][-1].split()[-1]}`" if same else ""), isa, architecture


def described(name):
    """{function: (signatures, rows)} of the functions in a header in compat/."""
    own, taken, helpers = compat(name)
    result = {}
    for word, comment in taken.items():
        result[word] = list(taken_functions(word)), [row for row in ROWS if row[0] == word]
        for function in result[word][0]:
            function.comment = comment
    for function in own:
        signatures, rows = result.setdefault(function.name, ([], []))
        signatures.append(function)
        found = list(called_rows(*calls(function, helpers)))
        if not found:
            raise ValueError(f"{function.name}: no function in ptx/ for {calls(function, helpers)}")
        rows += found
    return result


TAG = re.compile(r"^(sem|scope|space)_\w+_t$")


def tags_in_one(found):
    """One signature for functions that differ only in their tags."""
    shapes = {}
    for function in found:
        shapes.setdefault(tuple(TAG.sub(r"\1", word) for word in function.parameters), []).append(function)
    for shape, same in shapes.items():
        if len(same) > 1:
            tags = [word for word in shape if word in ("sem", "scope", "space")]
            same[0].template = [f"dot_{tag} {tag.capitalize()}" for tag in tags]
            same[0].parameters = [f"{word}_t<{word.capitalize()}> {word}" if word in tags else word for word in shape]
        yield same[0]


# These are not functions, or functions in the table of special registers. The page describes them in its text.
WITHOUT_SECTION = re.compile(r"(?:sem|scope|space|op|dot|cta_group|n32|get_sreg)_")


def cuda_ptx():
    found = {name: rows for name, rows in described("ptx").items() if not WITHOUT_SECTION.match(name)}
    for title, pattern in SECTIONS.items():
        yield from [f"### {title}", ""]
        for name in [name for name in found if re.match(pattern, name)]:
            signatures, rows = found.pop(name)
            lines = [*explained(tags_in_one(signatures)), *table(COLUMNS, instructions(rows))]
            yield from [f"#### `ptx::{name}`", "", *folded("Signatures and instructions", lines)]
    if found:
        raise ValueError(f"no section for {', '.join(found)}")
    yield from ["### Special registers", "", *wrapped("Each function has no parameters and returns the value of a special register."), ""]
    texts = [cpp.expanded(header(f"ptx/{name}.h")) for name in ("global_timer", "special_registers")]
    returned = {function.name: f"`{function.returns}_t`" for text in texts for function in functions(text)}
    rows = [(f"`ptx::{row[0]}`", returned[row[0]], f"`{row[2].split()[-1]}`", row[3], row[4]) for row in ROWS if row[0].startswith("get_sreg_")]
    yield from table(("Function", "Returns", "Register", "PTX ISA", "From"), rows)


# The sections of the functions that only <cuda/ptx> declares: the headers in compat/ and their titles.
MORE = {
    "ptx_remote": "Stores and atomics in other blocks, and arrivals after `cp.async`",
    "ptx_copies": "More copies",
    "ptx_reductions": "Reductions by the copy engine",
    "ptx_tensormap": "Tensor maps",
    "ptx_tensor_cores": "Tensor cores, registers and restricted fences",
    "ptx_multimem": "Memory of several GPUs",
}


def rows_of(function):
    """The functions in ptx/ that a function in compat/ calls, perhaps through a helper of the same name."""
    names = {row[0] for row in ROWS if not row[2].startswith("cvta")}
    called = next(name for name in re.findall(r"ptx::(\w+)(?:<\w+>)?\(", function.body) if name in names)
    rows = [row for row in ROWS if row[0] == called]
    takes = {word for word in ("cta_group", "sem_weak") if any(word in parameter for parameter in function.parameters)}
    rows = [row for row in rows if {word for word in ("cta_group", "sem_weak") if any(word in parameter for parameter in row[1])} == takes]
    if "space_cluster_t" in function.parameters:
        return [row for row in rows if "cluster_pointer" in "".join(row[1])]
    if called == "cp_reduce_async_bulk":
        return [row for row in rows if "global_pointer" in "".join(row[1])]
    for sem in ("sem_acquire_t", "sem_release_t"):
        if any(sem in parameter for parameter in function.parameters):
            rows = [row for row in rows if any(sem in parameter for parameter in row[1])]
    return rows


def types_in_one(rows):
    """A table of instructions. Those that differ only in the last part, their type, are one row."""
    found = {}
    for word, isa, architecture in instructions(rows):
        start, _, last = word.strip("`").rpartition(".")
        found.setdefault((start, isa, architecture), []).append(last)
    for (start, isa, architecture), types in found.items():
        last = types[0] if len(types) == 1 else "{" + ", ".join(dict.fromkeys(types)) + "}"
        yield f"`{start}.{last}`", isa, architecture


def more_of_cuda_ptx():
    for name, title in MORE.items():
        own, taken, _ = compat(name)
        groups = {}
        for word, comment in taken.items():
            for function in taken_functions(word):
                function.comment = comment
                groups[word] = [function], [row for row in ROWS if row[0] == word]
        for function in own:
            signatures, rows = groups.setdefault(function.name, ([], []))
            signatures.append(function)
            called = rows_of(function)
            if not called:
                raise ValueError(f"{function.name}: no function in ptx/")
            rows += [row for row in called if row not in rows]
        yield from [f"### {title}", ""]
        for word, (signatures, rows) in groups.items():
            many = len(rows) > 8 and "tensor" not in word
            lines = [*explained(signatures), *table(COLUMNS, (types_in_one if many else instructions)(rows))]
            yield from [f"#### `ptx::{word}`", "", *folded("Signatures and instructions", lines)]


def experimental():
    for name, (signatures, rows) in described("tensor_copies").items():
        lines = [*explained(signatures), *table(COLUMNS, instructions(rows))]
        yield from [f"### `experimental::{name}`", "", *folded("Signatures and instructions", lines)]


# --- cudasync::ptx ---


def ptx_headers():
    """(path, the first line, the functions) of each header in ptx/."""
    for path in sorted((ROOT / "include/cudasync/ptx").glob("*.h")):
        text = path.read_text(encoding="utf-8")
        purpose = text.splitlines()[0].removeprefix("// ").removesuffix(".")
        instructions, colon, rest = purpose.partition(": ")
        if colon and re.fullmatch(r"[a-z][\w.]*(, [a-z][\w.]*)*", instructions):
            purpose = ", ".join(f"`{word}`" for word in instructions.split(", ")) + colon + rest
        yield path, purpose, list(cpp.functions(text))


def header_table():
    rows = [(f"[`<cudasync/ptx/{path.name}>`](../../include/cudasync/ptx/{path.name})", purpose) for path, purpose, _ in ptx_headers()]
    yield from table(("Header", "Contents"), rows)


def ptx_functions():
    for path, _, found in ptx_headers():
        if found:
            yield from [f"### `<cudasync/ptx/{path.name}>`", ""]
            rows = [(f"`{row[0]}`", f"`{row[1]}`", *row[2:4], remark_on(row)) for row in found]
            heads = ("Function", "Instruction", "PTX", "From", "Remark")
            columns = 5 if any(row[4] for row in rows) else 4  # a table without remarks has no column for them
            yield from folded(f"{len(rows)} {'functions' if len(rows) > 1 else 'function'}", table(heads[:columns], [row[:columns] for row in rows]))


def remark_on(row):
    """The remark of a function as text of a cell of a table, without the instruction if it begins with that."""
    first, _, rest = row[4].partition(". ")
    remark = rest if row[1].startswith(first.rstrip(".") or " ") else row[4]
    return re.sub(r"([|*<])", r"\\\1", remark)


PARTS = {
    "atomic-functions": atomic_functions,
    "cuda-ptx": cuda_ptx,
    "cuda-ptx-more": more_of_cuda_ptx,
    "experimental": experimental,
    "ptx-headers": header_table,
    "ptx-functions": ptx_functions,
}


def written(text):
    """The page with each part as this program makes it."""
    return pages.written(PROGRAM, text, PARTS)


def own_pages():
    """(path, text) of the pages that have such a part."""
    for path in sorted((ROOT / "docs/api").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if pages.names(PROGRAM, text):
            yield path, text


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    for path, text in own_pages():
        path.write_text(written(text), encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
