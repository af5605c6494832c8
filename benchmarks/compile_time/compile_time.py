#!/usr/bin/env python3
"""Measures what a header adds to an empty kernel: CPU time, bytes of code, headers, and lines."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import peers
from cudasync_tools import toolbox

ROUNDS = 7
KERNEL = "__global__ void kernel() {}\n"
HEADERS = [
    "cuda/barrier",
    "cuda/atomic",
    "cuda/pipeline",
    "cuda/latch",
    "cuda/semaphore",
    "cudasync/named_barrier.h",
    "cudasync/cluster_barrier.h",
    "cudasync/grid_barrier.h",
    "cudasync/peer_barrier.h",
]
OF_TOOLKIT = ["cooperative_groups.h"]  # headers of the toolkit that include one of the headers above
NVCC = ["-std=c++17", "-arch=sm_90"]


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise toolbox.Failure(f"{command[0]} failed: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def written(source, folder):
    """The file that the compiler reads."""
    unit = folder / "unit.cu"
    unit.write_text(source, encoding="utf-8")
    return unit


def nvcc_seconds(source, options, folder):
    """The user and system time of nvcc and of all processes that it starts."""

    def children():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    unit = written(source, folder)
    before = children()
    run([toolbox.nvcc(), *NVCC, *options, "-c", unit, "-o", folder / "unit.o"])
    return children() - before


class Nvrtc:
    def __init__(self):
        beside = Path(toolbox.nvcc()).resolve().parents[1] / "lib64/libnvrtc.so"
        self.library = ctypes.CDLL(str(beside if beside.exists() else toolbox.nvrtc()))

    def compile(self, source, options):
        """(CPU time of one compilation in this process, bytes of the cubin)"""
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"unit.cu", 0, None, None)
        words = [word.encode() for word in [*NVCC, *options]]
        before = time.process_time()
        failed = self.library.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
        seconds = time.process_time() - before
        if failed:
            size = ctypes.c_size_t()
            self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            self.library.nvrtcGetProgramLog(program, log)
            raise toolbox.Failure(f"NVRTC: {log.value.decode()[:500]}")
        size = ctypes.c_size_t()
        self.library.nvrtcGetCUBINSize(program, ctypes.byref(size))
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return seconds, size.value


def counts(source, options, folder, own):
    """The number of opened headers, the number of these in the library, and the lines of code, all in the device pass."""
    unit = written(source, folder)
    lines = run([toolbox.nvcc(), *NVCC, *options, "-E", unit]).splitlines()
    opened = {match[1] for line in lines if (match := re.match(r'# \d+ "([^<].*?)"', line))}
    return {
        "headers": len(opened),
        "own": sum(1 for name in opened if own and name.startswith(f"{own}/")),
        "lines": sum(1 for line in lines if line.strip() and not line.startswith("#")),
    }


def measure(header, libraries, rounds, folder):
    """{name: row} for the libraries that have the header. The libraries take turns, so that other load affects all of them."""
    source_of_all = f"#include <{header}>\n{KERNEL}"
    units = {"(empty kernel)": (KERNEL, [], None)}
    for library in libraries:
        if header not in OF_TOOLKIT and not (library.folder / header).exists():
            continue
        units[library.name] = (source_of_all, library.nvcc_options(), library.folder)
    nvrtc = Nvrtc()
    with_nvrtc = header not in OF_TOOLKIT  # headers of the toolkit need more include folders
    rows: dict = {name: {"nvcc": [], "nvrtc": [], "cubin": 0} for name in units}
    for index in range(rounds + 1):  # the first round fills the caches
        if index:
            toolbox.say(f"   round {index} of {rounds}")
        for name, (source, nvcc_options, own) in units.items():
            nvcc = nvcc_seconds(source, nvcc_options, folder)
            if index:
                rows[name]["nvcc"].append(nvcc)
            if with_nvrtc:
                rtc, rows[name]["cubin"] = nvrtc.compile(source, [f"-I{own}"] if own else [])
                if index:
                    rows[name]["nvrtc"].append(rtc)
    for name, (source, nvcc_options, own) in units.items():
        rows[name].update(counts(source, nvcc_options, folder, own))
    return rows


def show(header, rows):
    """Prints the differences to the empty kernel, and the ratios of these differences to those of cudasync."""
    empty, ours, *_ = rows.values()
    print(f"{f'<{header}> over an empty kernel':40}{'nvcc CPU s':>12}{'ratio':>8}", end="")
    print(f"{'NVRTC CPU s':>13}{'ratio':>8}{'cubin B':>9}{'headers':>9}{'(own)':>7}{'lines':>8}")
    for name, row in rows.items():
        print(f"{name:40}", end="")
        for compiler, width in (("nvcc", 12), ("nvrtc", 13)):
            if not row[compiler]:
                print(f"{'':{width + 8}}", end="")
                continue
            base = statistics.median(empty[compiler])
            value = statistics.median(row[compiler]) - (0 if row is empty else base)
            print(f"{value:{width}.3f}", end="")
            ratio = value / max(statistics.median(ours[compiler]) - base, 0.001)
            print(f"{ratio:8.1f}" if row is not empty else f"{'':8}", end="")
        over = 0 if row is empty else 1
        cubin, headers, lines = (row[what] - over * empty[what] for what in ("cubin", "headers", "lines"))
        print(f"{cubin:9}{headers:9}{row['own']:7}{lines:8}")


@toolbox.reports_failure
def main():
    parser = peers.parser(__doc__)
    parser.add_argument("--headers", nargs="+", default=[*HEADERS, *OF_TOOLKIT], metavar="HEADER", help="%(default)s")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help="number of compilations of each contestant (%(default)s)")
    options = parser.parse_args()
    os.environ.pop("NVCC_APPEND_FLAGS", None)
    with tempfile.TemporaryDirectory() as folder:
        libraries = peers.libraries(options.cccl)
        rows = {}
        for number, header in enumerate(options.headers, 1):
            toolbox.say(f"\n[{number}/{len(options.headers)}] <{header}>")
            rows[header] = measure(header, libraries, options.rounds, Path(folder))
            show(header, rows[header])
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
