#!/usr/bin/env python3
"""Compiles the code blocks of all Markdown pages, and compares the signatures in them with the headers."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# - A `cuda` block is compiled for sm_90. All of them are one translation unit, each in a namespace of its own.
# - A block with `int main(` is a program, and is compiled on its own: `cuda` by nvcc, `cpp` by the host's compiler.
# - A block after a comment `<!-- from FILE -->` is a part of that file, which another test compiles.
# - Any other `cpp` block is a list of signatures: the headers must declare each with the same specifiers.
#
# A comment in front of a block says what surrounds it:
#
#     <!-- context sm_90a continued
#     __device__ void publish();
#     __device__ void meet(cuda::barrier<cuda::thread_scope_block>& bar) {
#     -->
#
# The lines stand before the block, after all public headers, and braces that they open are closed behind it. The block is
# compiled for the architectures that are named, else for sm_90. `continued` puts it into the namespace of the block before it.

import argparse
import ast
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import cpp, pages

OTHERS = {"cmake", "console", "python", "text", "yaml"}
PACKAGE = ROOT / "python/cudasync/__init__.py"
FLAGS = ["-std=c++17", f"-I{ROOT / 'include'}"]
# Examples declare what they do not use: variables and functions.
WARNINGS = ["-Werror=all-warnings", "-diag-suppress=177,550,831,940", "-Xcompiler=-Wall,-Wextra,-Werror"]

LIBCUDACXX = sorted(f"cuda/{path.name}" for path in (ROOT / "include/cuda").iterdir() if path.is_file())
OURS = sorted(f"cudasync/{path.name}" for path in (ROOT / "include/cudasync").glob("*.h"))
INCLUDES = [f"#include <{name}>" for name in (*LIBCUDACXX, *OURS, "cooperative_groups.h", "chrono", "utility")]

COMMENT = re.compile(r"//[^\n]*")
DECLARATION = re.compile(r"^(?!\s*(?://|#))([^\n{};]*?\bCUDASYNC_(?:API|DEVICE)\b(?:[^;{}\n]|(?<== )\{\}|\n(?!\s*\n))*?)(?=\s*(?:;|(?<!= )\{|\n?\s+: ))", re.M)
# Functions that only a host program has: nothing marks them.
HOST_HEADERS = ("hang_report.h", "tensor/im2col_map.h", "launch_queue.h", "system_atomics.h", "tensor/tensor_map.h", "tensor/tma_descriptor.h", "trace/save.h")
HOST_MEMBER = re.compile(r"^  ((?:\[\[nodiscard\]\] )?(?:[\w:*]+ )*\w+\([^;{}\n]*\)(?: const)?(?: noexcept)?)(?= \{)", re.M)
HOST_FUNCTION = re.compile(
    r"^((?:\[\[nodiscard\]\] )?(?:inline )?(?:cudaError_t|tensor_map_or_error|CUtensorMap|const char\*|void) \w+\((?:[^;{}]|\{\})*\))"
    r"(?= \{)",
    re.M,
)
SPECIFIERS = ("[[nodiscard]]", "__host__", "__device__", "static", "constexpr", "explicit", "friend", "noexcept")


def unit(parts):
    """One translation unit: the includes of all blocks, then a namespace for each block and those that continue it."""
    includes, body, is_open = list(INCLUDES), [], False
    for number, block in enumerate(parts):
        if not block.is_continued:
            body += ["}"] * is_open + [f"namespace block_{number} {{"]
            is_open = True
        for text, line in ((block.context, block.context_line), (block.code, block.line)):
            includes += [include for include in re.findall(r"^#include .*$", text, re.M) if include not in includes]
            body += [f'#line {line} "{block.page}"', re.sub(r"^#include .*$", "", text, flags=re.M)]
        opened = COMMENT.sub("", block.context)
        body.append("}" * (opened.count("{") - opened.count("}")))
    return "\n".join([*includes, *body, "}\n" if is_open else ""])


def compile_all(found, nvcc, cxx, folder):
    """The messages of the compilers that fail."""
    jobs = []
    fragments = [block for block in found if block.language == "cuda" and not block.is_program() and not block.file]
    for arch in sorted({arch for block in fragments for arch in block.architectures}):
        source = folder / f"{arch}.cu"
        source.write_text(unit([block for block in fragments if arch in block.architectures]), encoding="utf-8")
        jobs.append([nvcc, *FLAGS, *WARNINGS, "-cubin", f"-arch={arch}", "-o", folder / "out.cubin", source])
    for number, block in enumerate(block for block in found if block.is_program()):
        source = folder / f"program_{number}.{'cu' if block.language == 'cuda' else 'cpp'}"
        source.write_text(f'#line {block.line} "{block.page}"\n{block.code}', encoding="utf-8")
        if block.language == "cuda":
            for arch in block.architectures:
                jobs.append([nvcc, *FLAGS, *WARNINGS, "-cubin", f"-arch={arch}", "-o", folder / "out.cubin", source])
        else:
            jobs.append([cxx, *FLAGS, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", source])
    for job in jobs:
        if job[0]:
            done = subprocess.run([str(word) for word in job], capture_output=True, text=True, check=False)
            if done.returncode:
                yield done.stdout + done.stderr


def specifiers(declaration):
    return frozenset(word for word in SPECIFIERS if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", declaration))


def declared():
    """{function: the sets of specifiers with which the headers declare it}."""
    result = {}
    for header in (ROOT / "include/cudasync").rglob("*.h"):
        for found in DECLARATION.finditer(cpp.expanded(header.read_text(encoding="utf-8"))):
            text = found[1].replace("CUDASYNC_API", "__host__ __device__").replace("CUDASYNC_DEVICE", "__device__")
            text = re.sub(r"^\s*[A-Z_]+\s*$", "", text, flags=re.M)
            if name := cpp.name_of(text):
                result.setdefault(name, set()).add(specifiers(text))
    for host_header in HOST_HEADERS:
        text = (ROOT / "include/cudasync" / host_header).read_text(encoding="utf-8")
        for found in (*HOST_MEMBER.finditer(text), *HOST_FUNCTION.finditer(text)):
            result.setdefault(cpp.name_of(found[1]), set()).add(specifiers(found[1]))
    return result


def wrong_signatures(found):
    """What the pages say about a function and the headers do not."""
    known = declared()
    for block in found:
        if not block.is_signatures():
            continue
        for text in COMMENT.sub("", block.code).split(";"):
            name = cpp.name_of(text)
            if not name or re.search(r"=\s*(default|delete)\s*$|^\s*(template\s*<.*>\s*)?(class|struct|enum|using)\b", text):
                continue
            shown = specifiers(text)
            name = re.sub(r"^(~?)(?=cluster_exit_guard)", r"\1basic_", name)  # an alias
            if shown not in known.get(name, ()):
                words = " or ".join(" ".join(sorted(each)) or "none" for each in known.get(name, ())) or "no such function"
                yield f"{block.page}:{block.line}: {name}: the headers have: {words}"


def wrong_python(found):
    """Syntax errors, and members of the package that it does not have."""
    names = {node.name for node in ast.parse(PACKAGE.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}
    names |= {"Hang", "HangReport", "compile_cubin"}
    for block in found:
        if block.language != "python":
            continue
        try:
            tree = ast.parse(block.code)
        except SyntaxError as error:
            yield f"{block.page}:{block.line}: {error}"
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "cudasync" and node.attr not in names:
                yield f"{block.page}:{block.line}: cudasync.{node.attr}: no such name in the package"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvcc", help="without it, device code is not compiled")
    parser.add_argument("--cxx", help="without it, host code is not compiled")
    parser.add_argument("--keep", type=Path, help="a folder for the translation units")
    options = parser.parse_args()
    found = list(pages.blocks())
    errors = [
        f"{block.page}:{block.line}: code blocks are {', '.join(sorted(OTHERS | {'cpp', 'cuda'}))}"
        for block in found
        if block.language not in OTHERS | {"cpp", "cuda"}
    ]
    errors += [f"{block.page}:{block.line}: not a part of {block.file}" for block in found if block.file and not block.is_copied()]
    errors += wrong_signatures(found)
    errors += wrong_python(found)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        errors += compile_all(found, options.nvcc, options.cxx, folder)
    for error in errors:
        print(error)
    count = sum(block.language in ("cpp", "cuda") for block in found)
    print(f"{count} code blocks on {len({block.page for block in found})} pages, {len(errors)} errors")
    return 1 if errors or not count else 0


if __name__ == "__main__":
    sys.exit(main())
