#!/usr/bin/env python3
"""The atlas: compares cudasync with both versions of CCCL and with code by hand in every shape of every operation."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import re
import sys
import time
from pathlib import Path

import compile_map
import compiler
import map_files
import time_map
from catalog import ARCHITECTURES, all_cases, is_counted, key_of
from compiler import peers
from cudasync_tools import nvrtc, toolbox

RECORDED = "the others are as recorded (%(default)s)"
BUILD = peers.ROOT / "build/atlas"


def sass(options):
    """Counts instructions and registers."""
    those = compiler.contestants(options.cccl)
    head, known = map_files.read_table(options.output)
    head = {"map": "sass", "contestants": head.get("contestants", {}) | {each.key: each.name for each in those}}
    is_wrong = False
    for arch in options.archs:
        cases = [case for case in all_cases() if is_counted(case, arch) and re.search(options.only, case.name)]
        start = time.monotonic()

        def progress(done, total, arch=arch, start=start):
            toolbox.say(f"sm_{arch}: {done} of {total} source texts, {time.monotonic() - start:.0f} s")

        chosen = [each for each in those if each.key in options.contestants]
        counts = compiler.count_all(chosen, cases, arch, options.jobs, progress)
        keys = {key_of(arch, case): counts.get(case.name, {}) for case in cases}
        found = {cell: {who: known[cell][who] for who in known.get(cell, {}) if who not in options.contestants} | counted for cell, counted in keys.items()}
        is_worse = report_worse(map_files.worse(known, found))
        is_wrong = is_wrong or is_worse
        if is_worse and not options.accept:
            continue
        if not options.only:  # without cells that are no more
            known = {cell: numbers for cell, numbers in known.items() if cell[0] != arch}
        known |= {cell: numbers for cell, numbers in found.items() if numbers}
        map_files.write_table(options.output, head, known)
    return is_wrong and not options.accept


def compilers(options):
    """Counts bytes of PTX, and instructions of the compiler."""
    those = [each for each in compiler.contestants(options.cccl) if each.key in options.contestants]
    head, known = map_files.read_table(options.output)
    cases = [case for case in all_cases() if re.search(options.only, case.name)]
    found = compile_map.measure(those, cases, options.jobs, options.instructions)
    is_worse = report_worse(map_files.worse(known, {cell: known.get(cell, {}) | numbers for cell, numbers in found.items()}))
    if is_worse and not options.accept:
        return 1
    for cell, numbers in found.items():
        known[cell] = known.get(cell, {}) | numbers
    head = {"map": "compile", "contestants": head.get("contestants", {}) | {each.key: each.name for each in those}}
    map_files.write_table(options.output, head, known)
    return 0


def report_worse(worse):
    for cell, before, now in worse[:50]:
        toolbox.say(f"worse: {' | '.join(cell)}: {before:.2f} is now {now:.2f}")
    if worse:
        toolbox.say(f"{len(worse)} cells are worse than recorded: mend them, or pass --accept and say why in the commit")
    return bool(worse)


def measure_times(options):
    """Measures a sample of cells on this machine's GPU."""
    start = time.monotonic()
    folder = BUILD / "time"
    folder.mkdir(parents=True, exist_ok=True)
    head, known = map_files.read_times(options.output if options.output.exists() else map_files.FILES["time"])
    seed = options.seed if options.seed is not None else len(head.get("seeds", [])) + 1
    cases = [case for case in all_cases() if re.search(options.only, case.name)]
    those = compiler.contestants(options.cccl)
    number = nvrtc.number(options.arch)
    kernels = time_map.chosen([case for case in cases if case.is_timed], known, seed, options.cells, number)
    files = time_map.build(kernels, those, options.arch, folder, options.jobs, options.seconds / 2)
    cells = time_map.plan_of(kernels, files)
    toolbox.say(f"seed {seed}: {len(kernels)} kernels, {len(cells)} cells, built in {time.monotonic() - start:.0f} s")
    if options.build_only:
        return 0

    def save(machine, found, failures):
        for name, measured in found.items():
            known.setdefault(name, {}).update(measured)
        gpus = sorted({*filter(None, head.get("gpu", "").split(", ")), machine["gpu"]})  # a cell is of one of them
        written = {"map": "time", **machine, "gpu": ", ".join(gpus), "contestants": {each.key: each.name for each in those}}
        written |= {"seeds": [*head.get("seeds", []), seed], "failed": [*head.get("failed", []), *failures]}
        map_files.write_times(options.output, written, known)

    time_map.measure(cells, folder, options.repetitions, options.seconds - (time.monotonic() - start), save)
    total = sum(len(case.cells()) for case in all_cases())
    toolbox.say(f"{sum(map(len, known.values()))} of {total} cells are known; {time.monotonic() - start:.0f} s; {options.output}")
    return 0


def above(options):
    """Prints the cells above the limit of a map."""
    listed = map_files.reasons()
    read = map_files.time_cells if options.map == "time" else map_files.read_table
    _, cells = map_files.read(options.map) if options.input is None else read(options.input)
    lines = []
    for cell, numbers in cells.items():
        value = map_files.ratio(numbers)
        name = f"{options.map}, " + " | ".join(cell)
        if value and value > map_files.ABOVE and re.search(options.only, name):
            number = map_files.reason_of(name, listed)
            lines.append((-value, f"{value:6.2f}  {'open' if number is None else number:>4}  {name}  {map_files.packed(numbers)}"))
    print("\n".join(line for _, line in sorted(lines)))
    print(f"{len(lines)} of {len(cells)} cells are above {map_files.ABOVE}; {' '.join(map_files.CONTESTANTS)}")
    return 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="MAP")
    for name, action, text in (
        ("sass", sass, "instructions and registers, without a GPU"),
        ("compile", compilers, "bytes of PTX and instructions of the compiler, without a GPU"),
        ("time", measure_times, "cycles, on one GPU: a sample that takes --seconds with its build"),
        ("above", above, "print the cells above the limit"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(action=action)
        command.add_argument("--only", default="", metavar="PATTERN", help="cells whose name matches")
        if name == "above":
            command.add_argument("--map", default="sass", choices=map_files.FILES)
            command.add_argument("--input", type=Path, metavar="FILE")
            continue
        command.add_argument("--cccl", metavar="DIR", help="folder of a CCCL to measure in addition to the toolkit's")
        command.add_argument("--output", type=Path, default=map_files.FILES[name], metavar="FILE", help="(%(default)s)")
        command.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes (%(default)s)")
        if name == "sass":
            command.add_argument("--archs", nargs="+", default=ARCHITECTURES, metavar="N", help="(%(default)s)")
        if name == "compile":
            command.add_argument("--instructions", action="store_true", help="count the instructions of the compiler, too, with valgrind: takes minutes")
        if name in ("sass", "compile"):
            command.add_argument("--contestants", nargs="+", default=map_files.CONTESTANTS, choices=map_files.CONTESTANTS, metavar="NAME", help=RECORDED)
            command.add_argument("--accept", action="store_true", help="record cells that became worse")
        if name == "time":
            command.add_argument("--arch", default="90a", metavar="N", help="(%(default)s); with an older one, use another --output")
            command.add_argument("--seed", type=int, metavar="N", help="of the sample (default: the number of earlier runs)")
            command.add_argument("--cells", type=int, default=6000, metavar="N", help="at most (%(default)s)")
            command.add_argument("--repetitions", type=int, default=7, metavar="N", help="(%(default)s)")
            command.add_argument("--seconds", type=int, default=270, metavar="N", help="with the build (%(default)s)")
            command.add_argument("--build-only", action="store_true", help="compile the kernels, and stop")
    return parser.parse_args()


@toolbox.reports_failure
def main():
    options = arguments()
    return options.action(options)


if __name__ == "__main__":
    sys.exit(main())
