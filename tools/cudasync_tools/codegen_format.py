"""The lit format of test/codegen, whose README.md says how a test is written."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import io
import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

from cudasync_tools import atomic_matrix, cuda_ptx_matrix, directives, nvrtc, operand_audit, order_audit, progress_audit, ptx_text, ptxas, sass, toolchain
from cudasync_tools.directives import DirectiveError
from cudasync_tools.lit_format import Failure, VariantFormat


def file_check(check_text, name, prefixes, text):
    """Runs FileCheck in this process; returns its message and the text that it stopped at, empty if all checks hold."""
    options = Options(name, check_prefixes=sorted(prefixes))
    file = FInput("output", text)
    matcher = Matcher(options, file, Parser(options, io.StringIO(check_text), *pattern_for_opts(options)))
    matcher.stderr = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(matcher.stderr):
        failed = matcher.run()
    if not failed:
        return ""
    rest = text[file.range.start : file.range.end].splitlines()[:40]
    return "\n".join([matcher.stderr.getvalue(), "--- the text after the last match ---", *rest, "---"])


def twins(kernels):
    """The x of each pair ours_x, hand_x. One without the other is an error."""
    ours, hand = ({name[5:] for name in kernels if name.startswith(start)} for start in ("ours_", "hand_"))
    if ours != hand:
        raise Failure(f"kernels without a twin: {', '.join(sorted(ours ^ hand))}")
    return sorted(ours)


def table(rows):
    """Aligned lines of (kernel, sass.Kernel)."""
    lines = [f"{'kernel':40} instructions  called  registers"]
    lines += [f"{name:40} {k.instructions:12}  {k.called:6}  {k.registers:9}" for name, k in rows]
    return "\n".join(lines)


def longer_twins(kernels):
    """[(kernels, message)] for what ours has more than the hand-written twin."""
    findings = []
    for name in twins(kernels):
        ours, hand = kernels[f"ours_{name}"], kernels[f"hand_{name}"]
        for what, count, allowed in (
            ("instructions", ours.instructions + ours.called, hand.instructions + hand.called),
            ("registers", ours.registers, hand.registers),
        ):
            if count > allowed:
                findings.append(
                    ({f"ours_{name}", f"hand_{name}"}, f"ours_{name}: {count} {what}, hand_{name}: {allowed}")
                )
    return findings


def different_twins(ptx, arch):
    """[message] for each kernel that does not have all synchronizing instructions of its hand-written twin, in their order. For
    newer architectures the compiler puts the branches of a function in another order."""
    messages = []
    kernels = ptx_text.synchronizing(ptx.decode())
    for name in twins(kernels):
        ours, hand = kernels[f"ours_{name}"], kernels[f"hand_{name}"]
        if lacking := ptx_text.lacking(ours, hand):
            messages.append(f"ours_{name} lacks {', '.join(lacking)}, which hand_{name} has")
        elif nvrtc.number(arch) < 100 and not ptx_text.has_order_of(ours, hand):
            messages.append(f"ours_{name} and hand_{name} have another order:\n  {', '.join(ours)}\n  {', '.join(hand)}")
    return messages


def above_limit(kernels, limits):
    """[(kernels, message)] for each kernel that is missing or longer than its LIMIT."""
    findings = []
    for name, limit, what in limits:
        if name not in kernels:
            findings.append((set(), f"LIMIT: there is no kernel {name}"))
        elif (count := getattr(kernels[name], what)) > limit:
            findings.append(({name}, f"{name}: {count} {what}, the limit is {limit}"))
    return findings


def wrong_counts(code, counts):
    """[message] for each kernel that is missing or whose instructions are not as many as its COUNT."""
    findings = []
    for kernel, name, count in counts:
        if kernel not in code:
            findings.append(f"COUNT: there is no kernel {kernel}")
            continue
        found = sum(bool(re.match(rf"(@!?\w+ )?{re.escape(name)}\b", line)) for line in code[kernel])
        if found != count:
            findings.append(f"{kernel}: {found} {name}, expected {count}")
    return findings


def sass_prefixes(prefixes, arch):
    """Those that FileCheck looks for in the SASS. nvdisasm 13.1 no longer reads sm_70."""
    of_sass = {prefix for prefix in prefixes if prefix.startswith("SASS") and directives.prefix_covers(prefix, arch)}
    return of_sass if nvrtc.number(arch) >= 75 else set()


def listed(code):
    """The text that FileCheck reads, of {kernel: its lines}."""
    return "\n".join(f"{name}:\n" + "\n".join(f"    {line}" for line in lines) for name, lines in sorted(code.items()))


MATRICES = {
    "atomic": atomic_matrix,
    "cuda_ptx": cuda_ptx_matrix,
    "operand": operand_audit,
    "order": order_audit,
    "progress": progress_audit,
}


_looked_at = set()  # variants. These are not the format's own, of which lit hands its worker a copy with each test
_compiled = {}  # {(source, architecture): what Codegen.compile() returns for it}


class Codegen(VariantFormat):
    DIRECTIVES = ("ARCHS", "NVCC", "LIMIT", "COUNT", "OPTIONS", "MATRIX")

    def __init__(self):
        self.found = {}  # {variant: [source]} of this run

    def getTestsForPath(self, testSuite, path_in_suite, litConfig, localConfig):
        wanted = re.compile(os.environ.get("LIT_FILTER", ""), re.IGNORECASE)
        for test in super().getTestsForPath(testSuite, path_in_suite, litConfig, localConfig):
            if wanted.search(test.getFullName()):
                self.found.setdefault(test.path_in_suite[-1], []).append(Path(testSuite.getSourcePath(path_in_suite)))
            yield test

    def parse(self, source):
        text = source.read_text(encoding="utf-8")
        return text, *directives.parse(text, self.DIRECTIVES, checks=True)

    def limits(self, values, arch):
        """[(kernel, limit, of what)] of the LIMIT lines that hold on this architecture."""
        result = []
        for value in values["LIMIT"]:
            match = re.fullmatch(r"(\w+) sm_(\d+)(\+?) (\d+)(?: (registers))?", value)
            if not match:
                raise DirectiveError(f"LIMIT: {value}: expected `kernel sm_NN[+] count` or `kernel sm_NN[+] count registers`")
            if directives.covers(int(match[2]), bool(match[3]), arch):
                result.append((match[1], int(match[4]), match[5] or "instructions"))
        return result

    def counts(self, values, arch):
        """[(kernel, name of instructions, count)] of the COUNT lines that hold on this architecture."""
        result = []
        for value in values["COUNT"]:
            match = re.fullmatch(r"(\w+) sm_(\d+)(\+?) ([A-Z][\w.]*) (\d+)", value)
            if not match:
                raise DirectiveError(f"COUNT: {value}: expected `kernel sm_NN[+] INSTRUCTION count`")
            if directives.covers(int(match[2]), bool(match[3]), arch):
                result.append((match[1], match[4], int(match[5])))
        return result

    def variants(self, source):
        """One a target, sm_80 say, which stands for all of its architectures (in a run that is not thorough for one of them), and
        one for each compilation by nvcc (then for the newest architecture of a sixth of the files)."""
        _, values, _ = self.parse(source)
        self.limits(values, nvrtc.ARCHITECTURES[0])
        self.counts(values, nvrtc.ARCHITECTURES[0])
        targets = directives.by_target(directives.architectures(values["ARCHS"]))
        if values["MATRIX"] and not toolchain.THOROUGH:
            # The PTX of sm_75, for 70 by an older NVRTC; for 80 it has other barriers, but the same atomics. The functions of
            # cuda::ptx are the same for 100 as for 90, and more.
            same = {"atomic": (70, 80), "order": (70, 80), "operand": (70, 80), "cuda_ptx": (70, 90)}.get(values["MATRIX"][0], (70,))
            targets = [target for target in targets if target[0] not in same]
            others = [target for target in targets if target[0] != 90]
            if len(targets) > len(others) > 1:  # sm_90, and one of these for every other file, so that each has its turn
                has_turn = len(values["MATRIX"][0]) % 2 == toolchain.turn(2 * len(others)) // len(others)
                targets = sorted(toolchain.in_turn(others) * has_turn + [target for target in targets if target[0] == 90])
        if "CUDASYNC_CHECKED" in " ".join(values["OPTIONS"]) and not toolchain.THOROUGH:
            # ptxas takes 5 s and more for the reports of hangs: all files but one take turns.
            others = sorted(path.stem for path in source.parent.glob("*checked*.cu") if path.stem != "checked_registers")
            is_in_turn = source.stem not in others or others.index(source.stem) == toolchain.turn(len(others))
            targets = targets[-1:] if is_in_turn else []
        by_nvcc = directives.architectures(values["NVCC"], default=())
        by_nvcc = by_nvcc if toolchain.THOROUGH else by_nvcc[-1:] * toolchain.is_one_of(6, source)
        return [f"sm_{number}" for number, _ in targets] + [f"nvcc-sm_{arch}" for arch in by_nvcc]

    def run(self, source, variant):
        text, values, prefixes = self.parse(source)
        options = shlex.split(" ".join(values["OPTIONS"]))
        arch = variant.rpartition("_")[2]
        if variant.startswith("nvcc"):
            of_sass = {prefix for prefix in prefixes if prefix.startswith("SASS")}
            return self.check(source, text, values, of_sass, arch, self.cubin_by_nvcc(source, arch, options), None, set())
        archs = self.architectures(source, values, arch)
        if values["MATRIX"]:
            return MATRICES[values["MATRIX"][0]].run(text, str(source), archs)
        self.look_ahead(variant)
        known = set()
        reports = []
        plain = None  # the PTX of the first architecture without a suffix, and of all others of this target
        for arch in archs:
            if plain and arch.isdigit():
                cubin, ptx = ptxas.assemble(plain, arch), plain
            else:
                cubin, ptx = self.compile(text, source, arch, options)
                plain = plain or (ptx if arch.isdigit() else None)
            reports.append(self.check(source, text, values, prefixes, arch, cubin, ptx, known))
        return "\n".join(reports)

    def architectures(self, source, values, number):
        """Those of this target. In a run that is not thorough one of them: the oldest in one file, the newest in the next."""
        archs = dict(directives.by_target(directives.architectures(values["ARCHS"])))[int(number)]
        if toolchain.THOROUGH:
            return archs
        return [archs[-1] if toolchain.is_one_of(2, source) and not values["MATRIX"] else archs[0]]

    def look_ahead(self, variant):
        """Compiles all files of this run for a target, so that nvdisasm, which takes 0.3 s to start, sees all their instructions
        at once. What does not compile fails when its turn comes."""
        sources = [] if toolchain.THOROUGH or variant in _looked_at else self.found.get(variant, [])
        _looked_at.add(variant)
        codes = {}
        for source in sources:
            with contextlib.suppress(DirectiveError, Failure, toolchain.ToolMissing):
                text, values, prefixes = self.parse(source)
                (arch,) = self.architectures(source, values, variant.rpartition("_")[2])
                if not values["MATRIX"]:
                    _compiled[source, arch] = self.compile(text, source, arch, shlex.split(" ".join(values["OPTIONS"])))
                    if sass_prefixes(prefixes, arch):
                        of_arch = codes.setdefault(arch, {})
                        of_arch |= {(source, kernel): code for kernel, code in sass.code(_compiled[source, arch][0]).items()}
        for arch, of_arch in codes.items():
            with contextlib.suppress(toolchain.ToolMissing):
                sass.decoded(of_arch, arch)

    def check(self, source, text, values, prefixes, arch, cubin, ptx, known):
        """known: (kernel, code) of what has been checked for another architecture: to disassemble it takes longest."""
        prefixes = {prefix for prefix in prefixes if directives.prefix_covers(prefix, arch)}
        of_ptx = {prefix for prefix in prefixes if prefix.startswith("PTX")}
        of_sass = sass_prefixes(prefixes, arch)
        kernels = sass.kernels(cubin)
        limits = self.limits(values, arch)
        counts = self.counts(values, arch)
        if not (of_ptx or of_sass or limits or counts or twins(kernels)):
            raise Failure(f"sm_{arch}: nothing is checked here; restrict ARCHS")

        findings = longer_twins(kernels) + above_limit(kernels, limits)
        failures = [message for _, message in findings] + (different_twins(ptx, arch) if ptx else [])
        if of_ptx:
            failures.append(file_check(text, str(source), of_ptx, ptx.decode()))
        report = f"sm_{arch}\n{table(sorted(kernels.items()))}"
        if any(failures):
            suspects = set().union(*(names for names, _ in findings))
            raise Failure("\n".join([*failures, report, self.listing_if_possible(cubin, suspects)]))
        if of_sass and (message := self.check_sass(source, text, of_sass, arch, cubin, known)):
            raise Failure(f"sm_{arch}: {message}")
        if counts and (messages := wrong_counts(sass.disassemble(cubin), counts)):
            raise Failure("\n".join([*messages, self.listing(cubin, {kernel for kernel, _, _ in counts} & set(kernels))]))
        return report

    def check_sass(self, source, text, prefixes, arch, cubin, known):
        code = sass.code(cubin)
        if known.issuperset(code.items()):
            return ""
        known |= set(code.items())
        return file_check(text, str(source), prefixes, listed(sass.lines(cubin, arch)))

    def listing(self, cubin, names):
        code = sass.disassemble(cubin)
        return listed({name: code[name] for name in names})

    def listing_if_possible(self, cubin, names):
        try:
            return self.listing(cubin, names) if names else ""
        except toolchain.ToolMissing as missing:
            return f"(no listing: {missing})"

    def compile(self, text, source, arch, options):
        """The cubin, and the PTX that it is made of."""
        if (source, arch) in _compiled:
            return _compiled.pop((source, arch))
        (cubin, ptx), log = nvrtc.compile_to(("CUBIN", "PTX"), text, str(source), arch, options)
        if cubin is None or log:
            raise Failure(f"NVRTC for sm_{arch}:\n{log}")
        return cubin, ptx

    def cubin_by_nvcc(self, source, arch, options):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "test.cubin"
            command = [toolchain.nvcc(), "-cubin", f"-arch=sm_{arch}", "-std=c++17", f"-I{toolchain.INCLUDE}"]
            command += ["-Werror", "all-warnings", *options, "-o", str(output), str(source)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise Failure(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
            return output.read_bytes()
