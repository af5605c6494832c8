"""The map of times: compiles the kernels of a sample of cells, and measures them on a GPU."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import random
import subprocess
import sys
import threading
import time

import compiler
from compiler import HERE
from cudasync_tools import nvrtc, toolbox, toolchain
from time_worker import TILE

SILENCE = 10  # seconds after which the worker hangs
SAVED = 10  # seconds between two saves of what is known
OWN = 90  # the architecture of the GPU, for which PTX for an older one is assembled
CHUNK = 40  # kernels of a source text: 16 cores compile many of them at a time
CELLS_OF_KERNEL = 12


def key_of(place, shape, argument):
    """The name of a cell in its case."""
    return " ".join(word for word in (place, f"{shape[0]}x{shape[1]}", argument[0]) if word)


def chosen(cases, known, seed, count, arch):
    """[(case, place, [(shape, argument)])]: first kernels with cells that have not been measured, and then any."""
    rng = random.Random(seed)
    kernels = []
    for case in cases:
        for place in case.places:
            cells = [(shape, argument) for where, shape, argument in case.cells() if where == place]
            new = [cell for cell in cells if key_of(place, *cell) not in known.get(case.name, {})]
            if case.least_arch <= arch and cells:
                rng.shuffle(new)
                rng.shuffle(cells)
                kernels.append((case, place, new[:CELLS_OF_KERNEL] or cells[:2], bool(new)))
    rng.shuffle(kernels)
    groups = sorted({kernel[0].group for kernel in kernels})
    taken, total = [], 0
    queues = [[kernel for kernel in sorted(kernels, key=lambda each: not each[3]) if kernel[0].group == group] for group in groups]
    while total < count and any(queues):  # a kernel of each group in turn, three of the large groups
        for queue in queues:
            for _ in range(min(len(queue), 3 if len(queue) > 200 else 1)):
                taken.append(queue.pop(0)[:3])
                total += len(taken[-1][2])
    return taken


def built(job):
    """Writes the cubins of a chunk; [(index of the kernel, file)]. Code for an older architecture is PTX that ptxas assembles."""
    contestant, chunk, arch, folder = job
    cases = [case for _, case, _ in chunk]
    texts = [case.timed(f"k{index}", contestant.key, place) for index, case, place in chunk]
    found = []
    is_older = nvrtc.number(arch) < OWN
    for part, ((code,), indexes) in enumerate(compiler.compile_kernels(contestant, cases, texts, arch, ("PTX" if is_older else "CUBIN",))):
        file = f"{contestant.key}_{chunk[0][0]}_{part}.cubin"
        if is_older:
            (folder / f"{file}.ptx").write_bytes(code.rstrip(b"\0"))
            command = [toolchain.ptxas(), f"-arch=sm_{OWN}", "-o", folder / file, folder / f"{file}.ptx"]
            if subprocess.run(command, capture_output=True, check=False).returncode:  # a kernel that crashes ptxas
                continue
        else:
            (folder / file).write_bytes(code)
        found += [(chunk[index][0], file) for index in indexes]
    return contestant.key, found


def build(kernels, those, arch, folder, jobs, seconds):
    """{index of the kernel: {contestant: (file, function)}}, of those that are built within these seconds."""
    deadline = time.monotonic() + seconds
    work = []
    for contestant in those:
        by_headers = {}
        for index, (case, place, _) in enumerate(kernels):
            if compiler.with_code(contestant, [case], arch):
                by_headers.setdefault(case.headers, []).append((index, case, place))
        for same in by_headers.values():
            work += [(contestant, same[start : start + CHUNK], arch, folder) for start in range(0, len(same), CHUNK)]
    work.sort(key=lambda job: job[1][0][0])
    found = {}
    for _, (key, files) in compiler.in_processes(built, work, jobs, deadline):
        for index, file in files:
            found.setdefault(index, {})[key] = (file, f"k{index}")
    return found


def plan_of(kernels, files):
    """The cells, as the worker reads them. A cell without a peer tells nothing."""
    cells = []
    for index, (case, place, shapes) in enumerate(kernels):
        if "ours" not in files.get(index, {}) or len(files[index]) < 2:
            continue
        for (threads, blocks), argument in shapes:
            common = {"shape": (threads, max(blocks, 2) if case.memory == "cluster" else blocks), "argument": argument, "kernels": files[index]}
            common |= {"value": case.value, "is_unknown": case.memory == "unknown", "has_setup": bool(case.library.setup), "rounds": case.rounds}
            common |= {"shared_bytes": TILE if case.group in ("copies", "pipelines") else 0}
            cells.append(common | {"case": case.name, "key": key_of(place, (threads, blocks), argument)})
    return cells


def lines_of(folder, first, deadline):
    """The lines of a worker that begins at this cell, until it ends, hangs or runs out of time."""
    command = [sys.executable, str(HERE / "time_worker.py"), str(folder), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        last = [time.monotonic() + SILENCE]  # the first line comes after the start of CUDA

        def watch():
            while process.poll() is None:
                if time.monotonic() > min(last[0] + SILENCE, deadline):
                    process.kill()
                time.sleep(0.1)

        threading.Thread(target=watch, daemon=True).start()
        for line in process.stdout:
            last[0] = time.monotonic()
            if line.endswith("\n"):
                yield json.loads(line)


def measure(cells, folder, repetitions, seconds, save):
    """Calls save(what the GPU is, {case: {key of the cell: {contestant: cycles}}}, failures) now and then and at the end.

    A contestant that hangs or fails in a cell is left out of all cells of the kernel. failures: [case, key, contestant, why].
    """
    deadline = time.monotonic() + seconds
    machine, found, failures, number, saved = {}, {}, [], 0, time.monotonic()
    while number < len(cells) and time.monotonic() < deadline:
        (folder / "plan.json").write_text(json.dumps({"repetitions": repetitions, "cells": cells}), encoding="utf-8")
        failure = ("", "ends or is silent without a word")
        for line in lines_of(folder, number, deadline):
            if "gpu" in line:
                machine = line
            elif "failed" in line:
                failure = line["contestant"], line["failed"]
            else:
                number = line["cell"] + 1
                if line["cycles"]:
                    found.setdefault(cells[line["cell"]]["case"], {})[cells[line["cell"]]["key"]] = line["cycles"]
            if time.monotonic() > saved + SAVED:
                save(machine, found, failures)
                saved = time.monotonic()
        if not machine:
            raise toolbox.Failure("no cell was measured: is there a GPU?")
        if number < len(cells) and time.monotonic() < deadline:
            leave_out(cells[number], *failure, failures)
            number += not failure[0]
    save(machine, found, failures)
    toolbox.say(f"{number} of {len(cells)} cells measured, {len(failures)} kernels hang or fail")


def leave_out(cell, contestant, why, failures):
    """Without the contestant, or all of them if it is unknown; the cells of a kernel have the same dictionary."""
    failures.append([cell["case"], cell["key"], contestant, why])
    toolbox.say(f"failed: {cell['case']}, {cell['key']}: {contestant or 'unknown which'}: {why}")
    for key in [contestant] if contestant else list(cell["kernels"]):
        del cell["kernels"][key]
