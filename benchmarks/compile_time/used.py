#!/usr/bin/env python3
"""Counts the instructions that compilers execute for a header alone, a program that uses it, and one by hand. Needs valgrind."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import peers
from compile_time import KERNEL, NVCC, run, written
from cudasync_tools import toolbox, toolchain

EMPTY, BY_HAND = "(empty)", "by hand"
PROGRAM = "void function() {}\n"
COUNT = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
OTHERS = "--trace-children-skip=*/gcc,*/g++,*/cc1plus,*/as,*/cudafe++,*/ptxas,*/fatbinary"


def counted(log):
    return int(re.search(r"I\s+refs:\s+([\d,]+)", log)[1].replace(",", ""))


def children(command, process, folder, skipped=()):
    """The instructions of the processes of this name that the command starts."""
    run([*COUNT, "--trace-children=yes", *skipped, f"--log-file={folder}/counts.%p", *command])
    logs = [log.read_text(encoding="utf-8") for log in folder.glob("counts.*")]
    for log in folder.glob("counts.*"):
        log.unlink()
    return sum(counted(log) for log in logs if re.search(rf"Command: \S*/{process} ", log) and "I   refs" in log)


def cicc(source, library, folder):
    """The device compiler of nvcc: from the preprocessed source text to PTX."""
    options = library.nvcc_options() if library else []
    command = [toolbox.nvcc(), *NVCC, *options, "-ptx", written(source, folder), "-o", folder / "unit.ptx"]
    return children(command, "cicc", folder, [OTHERS])


def nvrtc(source, library, folder):
    """NVRTC, from the source text to a cubin, in a process of Python."""
    unit = written(source, folder)
    program = [sys.executable, "-S", HERE.parent / "atlas/compile_map.py", toolchain.nvrtc(), unit, *NVCC]
    log = folder / "counts"
    run([*COUNT, f"--log-file={log}", *program, *([f"-I{library.folder}", f"-I{toolchain.cuda_include()}"] if library else [])])
    return counted(log.read_text(encoding="utf-8"))


def gxx(source, library, folder):
    """The host's compiler, with -O2: from the source text to assembly."""
    unit = folder / "unit.cpp"
    unit.write_text(source, encoding="utf-8")
    include = [f"-I{library.folder}", f"-I{toolchain.cuda_include()}"] if library else []
    return children([toolchain.gxx(), "-std=c++17", "-O2", *include, "-S", unit, "-o", folder / "unit.s"], "cc1plus", folder)


#             the compiler: how it is counted, the programs, an empty one
COMPILERS = {"cicc": (cicc, "cu", KERNEL), "NVRTC": (nvrtc, "cu", KERNEL), "g++": (gxx, "cpp", PROGRAM)}


def texts_of(folder, suffix):
    """{name: source text} of each program in the folder, and of all of them in one source text."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / folder).glob(f"*.{suffix}"))}
    includes = list(dict.fromkeys(line for text in texts.values() for line in re.findall(r"#include.*", text)))
    bodies = (re.sub(r"#include.*", "", text) for text in texts.values())
    texts["all"] = "\n".join([*includes, *(f"namespace program_{number} {{\n{body}}}\n" for number, body in enumerate(bodies))])
    return texts


def programs(suffix, empty):
    """{(name, form): source text} of each program, of its headers alone, and by hand."""
    texts = texts_of("used", suffix)
    alone = {"\n".join([*re.findall(r"#include.*", text), empty]): name for name, text in reversed(texts.items())}
    found = {(EMPTY, "alone"): empty} | {(name, "alone"): text for text, name in alone.items()}
    found |= {(name, "used"): text for name, text in texts.items()}
    return found | {(name, BY_HAND): text for name, text in texts_of("by_hand", suffix).items() if text}


@toolbox.reports_failure
def main():
    parser = peers.parser(__doc__)
    parser.add_argument("--compilers", nargs="+", default=list(COMPILERS), choices=list(COMPILERS), help="%(default)s")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        raise toolbox.Failure("counting instructions needs valgrind: install it")
    counts = json.loads(options.json.read_text(encoding="utf-8")) if options.json and options.json.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for compiler in options.compilers:
            count, suffix, empty = COMPILERS[compiler]
            for (name, form), text in programs(suffix, empty).items():
                row = counts.setdefault(compiler, {}).setdefault(name, {}).setdefault(form, {})
                for library in [None] if name == EMPTY or form == BY_HAND else peers.libraries(options.cccl):
                    key = library.name if library else ""
                    if key not in row:  # a run goes on where the last one ended
                        row[key] = count(text, library, Path(folder))
                        if options.json:
                            options.json.write_text(json.dumps(counts, indent=1), encoding="utf-8")
                    print(f"{compiler:8}{name:14}{form:8}{key:24}{row[key] / 1e6:10,.0f} million instructions", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
