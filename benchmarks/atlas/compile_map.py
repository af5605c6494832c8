"""The map of compilers: bytes of PTX of each row, and for a few rows the instructions that NVRTC executes, counted with valgrind."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import concurrent.futures
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import compiler
from compiler import HERE
from cudasync_tools import nvrtc, toolbox, toolchain

ARCH = "90a"
PTX, COUNTED = f"{ARCH}, bytes of PTX", f"{ARCH}, millions of instructions"
USES = 32  # of an operation in a kernel, of which the compiler's instructions are counted
USUAL = ("relaxed device", "device", "4 stages, aligned<16>", "aligned<16>")
# What programs use most, in each form.
COUNTED_ROWS = (
    r"fetch_add u32, (shared|global|unknown), (un)?used",
    r"fetch_add u64, unknown, used",
    r"fetch_max (i32|float), unknown, used",
    r"(load|exchange|compare_exchange_strong) u32, unknown, used",
    r"store u32, unknown, unused",
    r"fetch_add u8, unknown, used",
    r"arrive_and_wait, (shared|unknown)",
    r"counting_semaphore acquire, global",
    r"group, barrier, to shared, (char|int4)\*",
    r"unified pipeline, a ring",
)


def one_of_each_row(cases):
    """The usual case of each row, or its first one."""
    rows = {}
    for case in cases:
        if case.is_counted and case.least_arch <= nvrtc.number(ARCH):
            rows.setdefault((case.group, case.row), []).append(case)
    usual = {column: place for place, column in enumerate(USUAL)}

    def rank(case):
        is_local = case.memory == "shared" and case.column.endswith("device")
        return usual.get(case.column, len(USUAL)) + is_local * len(USUAL)

    return [min(row, key=rank) for row in rows.values()]


def ptx_bytes(job):
    """{index: (bytes,)}, without comments: the compiler writes two around each assembly statement."""
    contestant, cases, arch = job
    kernels = [case.counted(f"k{index}", contestant.key) for index, case in enumerate(cases)]
    found = {}
    for (ptx,), _ in compiler.compile_kernels(contestant, cases, kernels, arch, ("PTX",)):
        for text in re.split(r"^(?=\.visible \.entry )", ptx.decode(), flags=re.MULTILINE)[1:]:
            name = re.match(r"\.visible \.entry k(\d+)", text)
            kernel = text[: text.index("\n}")]  # functions may follow
            found[int(name[1])] = (len(re.sub(r"^\s*//.*\n", "", kernel, flags=re.MULTILINE)),)
    return found


def instructions(job):
    """(what was compiled, millions of instructions): a kernel with many uses, or an empty one."""
    contestant, case, has_uses = job
    kernel = case.counted("k0", contestant.key, USES) if has_uses else 'extern "C" __global__ void k0() {}\n'
    text, _ = compiler.text_of(contestant, [case], [kernel])
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "atlas.cu"
        source.write_text(text, encoding="utf-8")
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", sys.executable, "-S", str(HERE / "compile_map.py")]
        command += [toolchain.nvrtc(), str(source), *compiler.options(contestant, ARCH, ("CUBIN",))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or not found:
        return job, None
    return job, int(found[1].replace(",", "")) / 1e6


def count_all(those, cases, jobs):
    """{(COUNTED, group, row, column): {contestant: (millions of instructions for the uses alone,)}}"""
    if not shutil.which("valgrind"):
        raise toolbox.Failure("counting the instructions of the compiler needs valgrind: install it, or leave --instructions out")
    chosen = [case for case in cases if any(re.fullmatch(pattern, case.row) for pattern in COUNTED_ROWS)]
    uses = [(each, case, True) for case in chosen for each in compiler_of(those, case)]
    empty = {(each.key, case.headers): (each, case, False) for each, case, _ in uses}
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, (job, count) in enumerate(pool.map(instructions, [*empty.values(), *uses]), 1):
            toolbox.say(f"   {number} of {len(empty) + len(uses)}: {job[0].key}, {job[1].name if job[2] else 'headers alone'}: {count}")
            counts[job[0].key, job[1].name if job[2] else job[1].headers] = count
    found = {}
    for each, case, _ in uses:
        base, count = counts[each.key, case.headers], counts[each.key, case.name]
        if base is not None and count is not None:
            found.setdefault((COUNTED, case.group, case.row, case.column), {})[each.key] = (max(count - base, 0.1),)
    return found


def compiler_of(those, case):
    return [each for each in those if compiler.with_code(each, [case], ARCH)]


def measure(those, cases, jobs, with_instructions):
    """{(what, group, row, column): {contestant: (number,)}}"""
    chosen = one_of_each_row(cases)
    work = [(each, part, ARCH) for each in those for part in compiler.chunks(compiler.with_code(each, chosen, ARCH))]
    found = {}
    for number, ((each, part, _), sizes) in enumerate(compiler.in_processes(ptx_bytes, work, jobs), 1):
        toolbox.say(f"   {number} of {len(work)} source texts")
        for index, size in sizes.items():
            case = part[index]
            found.setdefault((PTX, case.group, case.row, case.column), {})[each.key] = size
    return found | (count_all(those, chosen, jobs) if with_instructions else {})


if __name__ == "__main__":  # the process whose instructions are counted
    library, file, *words = sys.argv[1:]
    made, log = nvrtc.compile_by(nvrtc.load(library), ("CUBIN",), Path(file).read_text(encoding="utf-8"), "atlas.cu", words)
    sys.exit(log if made[0] is None else 0)
