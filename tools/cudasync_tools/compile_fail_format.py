"""The lit format of test/compile_fail, whose README.md says how a pair is written."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import re
import shlex
import subprocess
from pathlib import Path

from cudasync_tools import directives, nvrtc, toolchain
from cudasync_tools.directives import DirectiveError
from cudasync_tools.lit_format import Failure, VariantFormat

MACRO = "CUDASYNC_EXPECT_ERROR"
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)


class CompileFail(VariantFormat):
    DIRECTIVES = ("ERROR", "ABSENT", "ARCHS", "COMPILERS", "OPTIONS")
    COMPILERS = ("nvrtc", "nvcc", "host")

    def parse(self, source):
        text = source.read_text(encoding="utf-8")
        values, _ = directives.parse(text, self.DIRECTIVES)
        if not values["ERROR"]:
            raise DirectiveError("no `// ERROR: regular expression` line")
        if f"#if defined({MACRO})" not in text or "#else" not in text:
            raise DirectiveError(f"no `#if defined({MACRO})` … `#else` with the corrected line")
        return text, values

    def variants(self, source):
        _, values = self.parse(source)
        compilers = " ".join(values["COMPILERS"]).split() or ["nvrtc"]
        if unknown := set(compilers) - set(self.COMPILERS):
            raise DirectiveError(f"COMPILERS: {' '.join(unknown)}: known are {' '.join(self.COMPILERS)}")
        archs = directives.architectures(values["ARCHS"], default=("90",))
        if compilers[0] == "nvrtc" and not toolchain.is_one_of(6, source):
            compilers = [compiler for compiler in compilers if compiler != "nvcc"]
        names = [f"{compiler}-sm_{arch}" for compiler in compilers if compiler != "host" for arch in archs]
        return names + ["host"] * ("host" in compilers)

    def run(self, source, variant):
        text, values = self.parse(source)
        options = shlex.split(" ".join(values["OPTIONS"]).replace("%S", str(source.parent)))
        is_second = variant.startswith("nvcc") and "nvrtc" in " ".join(values["COMPILERS"]).split()
        if toolchain.THOROUGH or not (is_second or source in corrected(source.parent, variant)):
            works, log = self.compile(text, source, variant, options)
            if not works or log:
                raise Failure(f"{variant}: the corrected line must compile without a warning:\n{log}")
        works, log = self.compile(text, source, variant, [*options, f"-D{MACRO}"])
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
        """The text of a pair for NVRTC that needs no options, defines nothing and includes all else before it; or nothing."""
        try:
            text, values = self.parse(source)
            is_variant = variant.startswith("nvrtc") and variant in self.variants(source)
        except DirectiveError:
            return ""
        last = max((match.end() for match in INCLUDE.finditer(text)), default=0)
        is_plain = not values["OPTIONS"] and not re.search(r"^ *# *(?:if|define)", text[:last], re.MULTILINE) and "#define" not in text
        return text if is_variant and is_plain else ""

    def compile(self, text, source, variant, options):
        compiler, _, arch = variant.partition("-sm_")
        if compiler == "nvrtc":
            output, log = nvrtc.compile(text, str(source), arch, options)
            return output is not None, log
        if compiler == "nvcc":
            command = [toolchain.nvcc(), "-ptx", f"-arch=sm_{arch}", "-o", "/dev/null"]
        else:
            command = [toolchain.gxx(), "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++"]
        command += ["-std=c++17", *options, f"-I{toolchain.INCLUDE}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode == 0, done.stdout + done.stderr


@functools.cache  # of the process: lit makes another object for each test
def corrected(folder, variant):
    """The files of which NVRTC compiles the corrected lines without a warning, all in one unit: a namespace for each."""
    form = CompileFail()
    together = {path: text for path in sorted(folder.glob("*.cu")) if (text := form.joinable(path, variant))}
    if not together:
        return set()
    includes = sorted({line for text in together.values() for line in INCLUDE.findall(text)})
    bodies = (f"namespace pair_{at} {{\n{INCLUDE.sub('', text)}}}" for at, text in enumerate(together.values()))
    works, log = form.compile("\n".join([*includes, *bodies, ""]), Path("together.cu"), variant, [])
    return set(together) if works and not log else set()
