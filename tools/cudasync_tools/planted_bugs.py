"""The programs of test/explore/bugs: each has a bug, and the marks in its lines say how the corrected twin differs and what the
machine reports."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import functools
import re
from typing import NamedTuple

from cudasync_tools import model, nvrtc, toolchain

FOLDER = toolchain.ROOT / "test/explore/bugs"
ARCH = "90a"
SLOW = {"grid_barrier_too_large"}  # it takes the machine ten seconds to know that 264 blocks hang
INCLUDE = re.compile(r"^#include ([<\"].*[>\"])$", re.MULTILINE)

# How a kernel must end, and a part of what is said, for each word behind "// finds:".
FINDINGS = {
    "data-race": ("races", "race: "),
    "missing-fence": ("races", "race: "),
    "hang": ("hung", "no thread gets any further"),
    "trap": ("trapped", ""),
    "too-many-arrivals": ("faulted", "more arrivals than its phase expects"),
    "divergence": ("races", "divergence: "),
    "ended-block": ("faulted", "block that has ended"),
}


class Form(NamedTuple):
    """A program with its bug, or its twin."""

    text: str
    kernel: model.Kernel


class Bug(NamedTuple):
    name: str
    title: str
    finds: tuple  # words of FINDINGS, any of which will do
    why_not: str  # if it is empty: the reason
    schedule: str  # of CUDASYNC_MACHINE_SCHEDULE, behind "// schedule:"
    headers: str  # whose: "none", "cuda" or "cudasync"
    lines: frozenset  # that a report may name
    wrong: Form
    right: Form


def form(name, source, is_right):
    """The twin has the code behind "// right:", and not the lines that end in "// wrong"."""
    if is_right:
        source = re.sub(r"^.*// wrong\b.*$", "", source, flags=re.MULTILINE)
        source = re.sub(r"// right: ", "", source)
    blocks, threads, cluster = re.search(r"return launch\(\w+, (\d+), ((?:dim3\()?[\d, ]+?\)?)(?:, (\d+))?\);", source).groups()
    shape = [int(number) for number in re.findall(r"\d+", threads.replace("dim3", ""))]
    entry = f"{name}_{'right' if is_right else 'wrong'}"
    kernel = model.Kernel(entry, (int(blocks), 1, 1), (*shape, 1, 1)[:3], (int(cluster or 1), 1, 1))
    source = INCLUDE.sub("", source)
    source = re.sub(r"^int main\(\)(.|\n)*", "", source, flags=re.MULTILINE)
    source, count = re.subn(rf'(extern "C" __global__ void ){name}\(', rf"\1{entry}(", source)
    assert count == 1, f"{name}: the kernel must have the name of its file"
    return Form(f'namespace {entry} {{\n#line 1 "{name}.cu"\n{source}\n}}\n', kernel)


def read(path):
    source = path.read_text(encoding="utf-8")
    title, finds, schedule = re.match(r"// (.*)\n// SPDX-.*\n// finds: (.*)\n(?:// schedule: (.*)\n)?", source).groups()
    words = finds.split()
    nothing = words[0] == "nothing,"
    assert nothing or all(word in FINDINGS for word in words), f"{path.name}: {finds}"
    lines = frozenset(
        number for number, line in enumerate(source.split("\n"), 1) if re.search(r"// (wrong, )?reported$", line)
    )
    included = INCLUDE.findall(source)
    headers = "cuda" if any("<" in each for each in included) else "none"
    return Bug(
        name=path.stem,
        title=title,
        finds=() if nothing else tuple(words),
        why_not=finds.removeprefix("nothing, because ") if nothing else "",
        schedule=schedule or "mixed",
        headers="cudasync" if any("<cudasync/" in each for each in included) else headers,
        lines=lines,
        wrong=form(path.stem, source, False),
        right=form(path.stem, source, True),
    )


@functools.cache
def bugs():
    return tuple(read(path) for path in sorted(FOLDER.glob("*.cu")))


@functools.cache
def module(headers):
    """All programs with the headers of this kind, and their twins: compiled at once, because the headers take longest."""
    group = [bug for bug in bugs() if bug.headers == headers]
    texts = [(FOLDER / f"{bug.name}.cu").read_text(encoding="utf-8") for bug in group]
    included = dict.fromkeys(each for text in texts for each in INCLUDE.findall(text) if each != '"launch.h"')
    source = "".join(f"#include {each}\n" for each in included)
    source += "".join(each.text for bug in group for each in (bug.wrong, bug.right))
    toolkit = toolchain.cuda_include()
    folders = [FOLDER, *([toolchain.INCLUDE] if headers == "cudasync" else []), toolkit / "cccl", toolkit]
    words = [f"-arch=compute_{ARCH}", "-lineinfo", "-default-device", "-w", *(f"-I{folder}" for folder in folders)]
    (ptx,), log = nvrtc.compile_by(nvrtc.load(toolchain.nvrtc()), ("PTX",), source, f"{headers}.cu", words)
    assert ptx is not None, log
    return model.Module(ptx, nvrtc.number(ARCH))


def run(bug, which, seed):
    """(how it ended, what was said) of bug.wrong or bug.right"""
    memory = (ctypes.c_uint64 * (model.SCRATCH // 8 + 32))()
    start = (ctypes.addressof(memory) + 127) // 128 * 128
    model.machine().model_allow(start, model.SCRATCH)
    end, _, said = module(bug.headers).run(which.kernel, seed, parameters=(start, 0))
    model.machine().model_forbid(start)
    return end, said


def is_found(bug, end, said):
    """Whether a run of bug.wrong ends as it must: with lines of the program that are marked, and with no others, except for those
    that have changed a word for which a loop waits. In any way, if the machine is not known to find the bug."""
    stops = re.sub(r"\n  [^\n]*again and again[^\n]*(\n    [^\n]*)*", "", said)
    lines = {int(line) for line in re.findall(rf"\b{bug.name}\.cu:(\d+)", stops)}
    finds = bug.finds or (FINDINGS if end != "finished" else ())
    return lines <= bug.lines and any(text in said if text else end == how for how, text in map(FINDINGS.get, finds))
