"""Names that libcu++ has and ours have not are on the page, and no others; ours put no others into cuda; macros are CCCL's."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import fnmatch
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cudasync_tools import clang, cpp, toolchain

PAGE = toolchain.ROOT / "docs" / "api" / "compatibility.md"

TOPICS = ("atomic", "barrier", "latch", "semaphore")
INCLUDES = "".join(
    f"#include <{name}>\n" for name in [*(f"cuda/{topic}" for topic in (*TOPICS, "pipeline")), *(f"cuda/std/{topic}" for topic in TOPICS)]
)
NAMESPACES = ("cuda::", "cuda::device::", "cuda::device::experimental::", "cuda::ptx::")
OF_STD = re.compile("|".join([*TOPICS, "memory_order", "thread_scope", "kill_dependency"]))
CLASSES = {
    "atomic": "cuda::atomic<int>",
    "atomic_ref": "cuda::atomic_ref<int>",
    "atomic_flag": "cuda::std::atomic_flag",
    "barrier": "cuda::barrier<cuda::thread_scope_block>",
    "latch": "cuda::latch<cuda::thread_scope_block>",
    "counting_semaphore": "cuda::counting_semaphore<cuda::thread_scope_block>",
    "pipeline": "cuda::pipeline<cuda::thread_scope_block>",
    "pipeline_shared_state": "cuda::pipeline_shared_state<cuda::thread_scope_block, 2>",
}
IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")


def toolkit():
    return Path(shutil.which(toolchain.nvcc())).resolve().parents[1]


def newest():
    """The headers of the CCCL with which the package is tested. In a run that is not thorough none: they take ten seconds."""
    folder = os.environ.get("CUDASYNC_TEST_CCCL") if toolchain.THOROUGH else None
    return [Path(folder).parents[2] / "include"] if folder else []


class Compiler:
    """clang, with one library's headers."""

    def __init__(self, folder, include):
        words = [word for word in clang.command(toolchain.clang(), toolkit(), "device", folder) if word != "-S"]
        self.words = [*words, "-fsyntax-only", "-std=c++20", "--cuda-gpu-arch=sm_90", "-ferror-limit=0", f"-I{include}"]
        self.source = folder / "names.cu"

    def run(self, text, *options):
        self.source.write_text(INCLUDES + text, encoding="utf-8")
        words = [str(word) for word in (*self.words, *options, self.source)]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def declared(self):
        """Qualified names, without versions in namespaces, of what the headers declare."""
        done = self.run("", "-Xclang", "-ast-list")
        assert done.returncode == 0, done.stderr
        names = (re.sub(r"<.*?>|\b__4::", "", line.strip()) for line in done.stdout.splitlines())
        return {name for name in names if name.startswith("cuda::")}

    def known(self, declarations):
        """The keys of those declarations that compile."""
        first = INCLUDES.count("\n") + 1
        log = self.run("".join(f"{text}\n" for text in declarations.values())).stderr
        wrong = {int(line) for line in re.findall(rf"^{re.escape(str(self.source))}:(\d+):\d+: error", log, re.MULTILINE)}
        elsewhere = [line for line in log.splitlines() if " error: " in line and not line.startswith(str(self.source))]
        assert not elsewhere, "\n".join(elsewhere)
        return {key for line, key in enumerate(declarations, first) if line not in wrong}


def namespace_names(declared):
    for name in declared:
        scope, _, last = name.rpartition("::")
        if IDENTIFIER.fullmatch(last) and (f"{scope}::" in NAMESPACES or (scope == "cuda::std" and OF_STD.search(last))):
            yield name


def member_names(declared):
    """Members of the classes, and of what they may be derived from."""
    members = {name.rpartition("::") for name in declared if re.search("|".join((*TOPICS, "pipeline")), name)}
    return sorted({last for scope, _, last in members if scope.count("::") >= 1 and IDENTIFIER.fullmatch(last)})


def declarations(names, members):
    all_names = {name: f"namespace n_{name.replace('::', '_')} {{ using {name}; }}" for name in sorted(names)}
    for kind, concrete in CLASSES.items():
        for member in members:
            all_names[f"{kind}::{member}"] = f"struct of_{kind}_{member} : {concrete} {{ using {concrete}::{member}; }};"
    return all_names


def listed(of_newer=True):
    """The literals, but for links, of the section on what is missing, with or without those of newer versions."""
    section = PAGE.read_text(encoding="utf-8").partition("What is missing\n")[2]
    if not of_newer:
        section = section.partition("### In newer versions of CCCL\n")[0]
    return [name.removeprefix("cuda::") for name in re.findall(r"(?<!\[)`([a-z_0-9*:]+::[a-z_0-9*]+)`", section)]


@pytest.fixture(scope="module")
def missing(tmp_path_factory):
    exist = {}
    for folder in (toolkit() / "include" / "cccl", *newest()):
        theirs = Compiler(tmp_path_factory.mktemp("theirs"), folder)
        declared = theirs.declared()
        wanted = declarations(namespace_names(declared), member_names(declared))
        exist |= {name: wanted[name] for name in theirs.known(wanted)}
    ours = Compiler(tmp_path_factory.mktemp("ours"), toolchain.INCLUDE)
    return {name.removeprefix("cuda::") for name in exist.keys() - ours.known(exist)}


# Names in cuda that the toolkit's libcu++ does not have, with the reason.
OF_A_LATER_LIBCUDACXX = {"cuda::device::for_each_canceled_block", "cuda::make_tma_descriptor"}
OF_A_LATER_LIBCUDACXX |= {f"cuda::tma_{name}" for name in ("interleave_layout", "l2_fetch_size", "oob_fill", "swizzle")}
OF_A_LATER_STANDARD = {  # of C++26: [atomics.syn]
    f"{scope}::atomic_{operation}{suffix}"
    for scope in ("cuda", "cuda::std")
    for operation in ("fetch_max", "fetch_min", *(f"store_{word}" for word in ("add", "and", "max", "min", "or", "sub", "xor")))
    for suffix in ("", "_explicit")
}
SCOPE_OF_OURS = {"cuda::thread_scope_cluster", "cuda::std::thread_scope_cluster"}  # of libcu++'s enumeration


def exported(text):
    """The qualified names that using-declarations of a header declare. Several namespaces may open and close in a line."""
    scopes = []
    for found in re.finditer(r"(inline )?namespace ([\w:]+) \{|^(\}+)  // namespace|^\s*using (cudasync::[^;=]*);", text, re.MULTILINE):
        if found[2]:
            scopes.append(() if found[1] else (found[2],))
        elif found[3]:
            del scopes[-len(found[3]) :]
        else:
            yield from ("::".join([*(name for scope in scopes for name in scope), last]) for last in cpp.exported(found[4]))


def test_only_names_of_libcudacxx_are_exported(tmp_path):
    inner = "namespace std { inline namespace __4 {\nusing cudasync::standard::two,\n    cudasync::three;\n}}  // namespace std::__4\n"
    text = f"namespace cuda {{\nusing cudasync::one;\n{inner}}}  // namespace cuda\n"
    assert list(exported(text)) == ["cuda::one", "cuda::std::two", "cuda::std::three"]
    headers = [path for path in (toolchain.INCLUDE / "cuda").rglob("*") if path.is_file()]
    headers.append(toolchain.INCLUDE / "cudasync/compat/std_names.h")
    names = {name for path in headers for name in exported(path.read_text(encoding="utf-8")) if name.startswith("cuda::")}
    assert len(names) > 100
    theirs = Compiler(tmp_path, toolkit() / "include" / "cccl")
    wanted = {name: f"namespace n{number} {{ using {name}; }}" for number, name in enumerate(sorted(names))}
    wanted = {"": "#include <cuda/work_stealing>", **wanted}
    wanted |= {f"{name} in std": f"namespace s{number} {{ using {name.replace('cuda::', 'cuda::std::', 1)}; }}" for number, name in enumerate(sorted(names))}
    known = theirs.known(wanted)
    # The functions of the standard also accept the scoped classes, so they are in cuda, too.
    functions = {name for name in names if re.match(r"cuda::(atomic_|kill_)", name) and f"{name} in std" in known}
    assert names - known - functions == OF_A_LATER_LIBCUDACXX | OF_A_LATER_STANDARD | SCOPE_OF_OURS


def test_what_is_missing_is_listed(missing):
    silent = {name for name in missing if not any(fnmatch.fnmatchcase(name, pattern) for pattern in listed())}
    assert not silent, f"{len(silent)} names are missing, and the page does not say so: {' '.join(sorted(silent))}"


def test_what_is_listed_is_missing(missing):
    wrong = [pattern for pattern in listed(of_newer=bool(newest())) if not fnmatch.filter(missing, pattern)]
    assert not wrong, f"the page calls names missing that are not: {' '.join(wrong)}"


MACROS = re.compile(r"#define ((?:CCCL_(?:\w+_)?VERSION|_LIBCUDACXX_CUDA_API_VERSION\w*|NV_[A-Z]\w*)(?:\(.*?\))?) ?(.*)")


def macros(header, *folders):
    words = [toolchain.gxx(), "-std=c++17", "-dM", "-E", *(f"-I{folder}" for folder in folders), "-x", "c++", "-"]
    done = subprocess.run(words, input=f"#include <{header}>\n", capture_output=True, text=True, check=True)
    return {match[1]: match[2] for line in done.stdout.splitlines() if (match := MACROS.fullmatch(line))}


@pytest.mark.parametrize("header", [*re.findall("<(.*?)>", INCLUDES), "cuda/ptx", "cuda/work_stealing"])
def test_macros(header):
    theirs = [toolkit() / "include" / "cccl", toolkit() / "include"]
    expected = macros(header, *theirs)
    assert "CCCL_VERSION" in expected and any(name.startswith("NV_IF_TARGET") for name in expected)
    assert macros(header, toolchain.INCLUDE, *theirs) == expected
