"""The lit format of test/compile_fail, whose README.md says how a pair is written."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from cudasync_tools import directives, nvrtc, toolchain
from cudasync_tools.directives import DirectiveError
from cudasync_tools.lit_format import Failure, VariantFormat

MACRO = "CUDASYNC_EXPECT_ERROR"
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)
NAME = re.compile(r"^ *// misuse: (\w+)$")
NAMES = re.compile(NAME.pattern, re.MULTILINE)
WRONG, RIGHT = re.compile(r".*  // wrong$"), re.compile(r".*  // right$")


def misuses(text, name):
    """{name: its translation unit}: the lines before the first misuse, the lines after the last `// common:` before it, and its own.
    Other lines are empty, so that messages have the numbers of lines. If the common lines open a function, the next `}` without
    indentation closes it for all. A file without `// misuse: NAME` is one misuse, with the name of the file.
    """
    lines = text.splitlines()
    found, head, common, inside = {}, [], [], []
    now = head
    for number, line in enumerate(lines):
        if match := NAME.match(line):
            if match[1] in found:
                raise DirectiveError(f"line {number + 1}: a second misuse with the name {match[1]}")
            now = found[match[1]] = [*head, *common]
            inside.append(now)
        elif line == "// common:":
            now = common = []
            inside = []
        now.append(number)
        if line == "}" and common and inside and lines[common[-1]].endswith("{"):
            for misuse in inside[:-1]:
                misuse.append(number)
            common, inside, now = [], [], []
    units = found or {name: head}
    return {key: "".join(f"{line if number in kept else ''}\n" for number, line in enumerate(lines)) for key, kept in units.items()}


def without(pattern, text):
    """The text with the lines of the misuse, or with those of the corrected code, empty."""
    return "".join("\n" if pattern.match(line) else f"{line}\n" for line in text.splitlines())


DIRECTIVES = ("ERROR", "ABSENT", "ARCHS", "COMPILERS", "OPTIONS")


@functools.cache
def parsed(text, stem):
    result = {}
    for name, unit in misuses(text, stem).items():
        values, _ = directives.parse(unit, DIRECTIVES)
        if not values["ERROR"]:
            raise DirectiveError(f"{name}: no `// ERROR: regular expression` line")
        has_lines = all(any(map(pattern.match, unit.splitlines())) for pattern in (WRONG, RIGHT))
        if not has_lines and (f"#if defined({MACRO})" not in unit or "#else" not in unit):
            raise DirectiveError(f"{name}: no lines `… // wrong` and `… // right`, and no `#if defined({MACRO})` … `#else` with the corrected line")
        result[name] = unit, values
    return result


class CompileFail(VariantFormat):
    COMPILERS = ("nvrtc", "nvcc", "host")

    def parse(self, source):
        """{name: (text, values of the comments)} of the misuses in a file."""
        return parsed(source.read_text(encoding="utf-8"), source.stem)

    def variants(self, source):
        """Names such as nvrtc-sm_90, with the name of the misuse before it if the file has several: copied/nvrtc-sm_90."""
        return [
            variant if name == source.stem else f"{name}/{variant}"
            for name, (_, values) in self.parse(source).items()
            for variant in self.variants_of(source, name, values)
        ]

    def variants_of(self, source, name, values):
        compilers = " ".join(values["COMPILERS"]).split() or ["nvrtc"]
        if unknown := set(compilers) - set(self.COMPILERS):
            raise DirectiveError(f"COMPILERS: {' '.join(unknown)}: known are {' '.join(self.COMPILERS)}")
        archs = directives.architectures(values["ARCHS"], default=("90",))
        if compilers[0] == "nvrtc" and "nvcc" in compilers and not toolchain.THOROUGH and names_in(source.parent).index(name) % 12:
            compilers.remove("nvcc")
        names = [f"{compiler}-sm_{arch}" for compiler in compilers if compiler != "host" for arch in archs]
        return names + ["host"] * ("host" in compilers)

    def run(self, source, variant):
        name, _, variant = variant.rpartition("/")
        text, values = self.parse(source)[name or source.stem]
        options = shlex.split(" ".join(values["OPTIONS"]).replace("%S", str(source.parent)))
        is_second = variant.startswith("nvcc") and "nvrtc" in " ".join(values["COMPILERS"]).split()
        if toolchain.THOROUGH or not (is_second or (source, name or source.stem) in corrected(source.parent, variant)):
            works, log = self.compile(without(WRONG, text), source, variant, options)
            if not works or log:
                raise Failure(f"{variant}: the corrected line must compile without a warning:\n{log}")
        works, log = self.compile(without(RIGHT, text), source, variant, [*options, f"-D{MACRO}"])
        if works:
            raise Failure(f"{variant}: the misuse compiles")
        for expected in values["ERROR"]:
            if not re.search(expected, log):
                raise Failure(f"{variant}: the misuse fails, but not with /{expected}/:\n{log}")
        for unwanted in values["ABSENT"]:
            if found := re.search(unwanted, log):
                raise Failure(f"{variant}: the message must not contain `{found[0]}`:\n{log}")
        return f"{variant}: {log}"

    def joinable(self, source, variant):
        """{name: text} of the misuses for NVRTC that need no options, define nothing and include all else before them."""
        try:
            return {
                name: without(WRONG, text)
                for name, (text, values) in self.parse(source).items()
                if variant.startswith("nvrtc") and variant in self.variants_of(source, name, values) and is_plain(text, values)
            }
        except DirectiveError:
            return {}

    def compile(self, text, source, variant, options):
        compiler, _, arch = variant.partition("-sm_")
        if compiler == "nvrtc":
            output, log = nvrtc.compile(text, str(source), arch, options)
            return output is not None, log
        if compiler == "nvcc":
            command = [toolchain.nvcc(), "-ptx", f"-arch=sm_{arch}", "-o", "/dev/null"]
        else:
            command = [toolchain.gxx(), "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++"]
        with tempfile.TemporaryDirectory() as folder:
            unit = Path(folder, source.name)
            unit.write_text(f'#line 1 "{source}"\n{text}', encoding="utf-8")
            command += ["-std=c++17", *options, f"-I{toolchain.INCLUDE}", f"-I{source.parent}", str(unit)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode == 0, done.stdout + done.stderr


def is_plain(text, values):
    last = max((match.end() for match in INCLUDE.finditer(text)), default=0)
    return not values["OPTIONS"] and not re.search(r"^ *# *(?:if|define)", text[:last], re.MULTILINE) and "#define" not in text


@functools.cache
def names_in(folder):
    """Of all misuses in a folder, sorted."""
    return sorted(name for path in folder.glob("*.cu") for name in NAMES.findall(path.read_text(encoding="utf-8")) or [path.stem])


@functools.cache  # of the process: lit makes another object for each test
def corrected(folder, variant):
    """(file, name) of the misuses of which NVRTC compiles the corrected lines without a warning, all in one unit."""
    form = CompileFail()
    together = {(path, name): text for path in sorted(folder.glob("*.cu")) for name, text in form.joinable(path, variant).items()}
    if not together:
        return set()
    includes = sorted({line for text in together.values() for line in INCLUDE.findall(text)})
    bodies = (f"namespace pair_{at} {{\n{INCLUDE.sub('', text)}}}" for at, text in enumerate(together.values()))
    works, log = form.compile("\n".join([*includes, *bodies, ""]), Path("together.cu"), variant, [])
    return set(together) if works and not log else set()
