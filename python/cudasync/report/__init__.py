"""`python -m cudasync report`: which barriers the threads of a hanging kernel wait for, from a process or a core dump; any build will do."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cudasync import doctor
from cudasync.report import data, text, waits
from cudasync.report.dump import Dump

_SKIP = "skip_nonrelocated_elf_images,skip_global_memory,skip_local_memory,skip_constbank_memory"
_SECONDS = 300


def run(target: str, json_file: Path | None = None) -> int:
    """Prints the report of the process with this number, or of this core dump, and writes it as JSON. Returns the exit status."""
    try:
        with tempfile.TemporaryDirectory(prefix="cudasync-") as folder:
            if re.fullmatch("[0-9]+", target) and not Path(target).exists():
                dump, pictures = _dump_of_process(int(target), Path(folder) / "core")
            else:
                dump = Dump(Path(target))
                pictures = waits.look_at(dump)
            lines = list(text.report(dump, pictures))
            if json_file is not None:
                json_file.write_text(json.dumps(data.data(dump, pictures), indent=2) + "\n", encoding="utf-8")
    except OSError as why:
        print(f"cudasync: error: {why.filename or target}: {why.strerror}", file=sys.stderr)
        return 1
    except ValueError as why:
        print(f"cudasync: error: {target}: {why}", file=sys.stderr)
        return 1
    for line in lines:
        print(f"cudasync: {line}")
    return 0


def _dump_of_process(process: int, core: Path) -> tuple[Dump, list[waits.Picture]]:
    if not Path(f"/proc/{process}").exists():
        raise ValueError("there is no such process")
    said = _debug(process, f"generate-core-file --no-cpu --cuda-core-file {core} --cuda-flags {_SKIP}")
    if not core.exists():
        raise ValueError(f"cuda-gdb made no core dump: {_last_line(said)}")
    dump = Dump(core)
    pictures = waits.look_at(dump)
    values = waits.polled(pictures)
    if values:
        types = {1: "char", 2: "short", 4: "int", 8: "long"}
        reads = [f"print/x *(@global unsigned {types.get(size, 'long')} *){address:#x}" for address, size in values]
        said = _debug(process, *[part for (address, _), read in zip(values, reads) for part in (f"echo \\nat {address:#x}\\n", read)])
        for address, value in re.findall(r"^at (0x[0-9a-f]+)\n\$\d+ = (0x[0-9a-f]+)$", said, re.MULTILINE):
            dump.values[int(address, 16)] = int(value, 16)
    return dump, pictures


def _debug(process: int, *commands: str) -> str:
    """What cuda-gdb says about commands. The process stops meanwhile, and then goes on."""
    debugger = doctor.find_tool("cuda-gdb")
    if debugger is None:
        raise ValueError("a report of a process needs cuda-gdb, which comes with the CUDA toolkit; or give the file of a core dump")
    line = [debugger, "-nx", "-batch", "-p", str(process), *[part for each in commands for part in ("-ex", each)], "-ex", "detach"]
    try:
        done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ValueError(f"cuda-gdb has not ended after {_SECONDS} s") from None
    return done.stdout


def _last_line(said: str) -> str:
    lines = [each.strip() for each in said.splitlines() if each.strip()]
    wrong = [each for each in lines if re.search(r"error|not permitted|unable|cannot|no cuda|no such", each, re.IGNORECASE)]
    return (wrong or lines or ["it printed nothing"])[-1]
