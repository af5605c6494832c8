#!/usr/bin/env python3
"""Measures the cells of a plan, and prints a line of JSON for each: a process of its own, which the caller ends if it hangs."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import json
import os
import statistics
import struct
import sys
from pathlib import Path

from gpu import TOO_LARGE, Gpu

MEMORY = 64 << 20
CYCLES = 60_000  # of a launch
LAUNCH_LIMIT = 20_000_000  # cycles of one round, above which a cell is not measured
TILE = 65536 + 256


def is_comparison(kernels):
    return "ours" in kernels and len(kernels) > 1


def packed(kind, number):
    """A kernel argument of this C++ type."""
    data = struct.pack({"float": "f", "double": "d"}[kind], number) if kind in ("float", "double") else int(number).to_bytes(16, "little")
    return ctypes.create_string_buffer(data, 16)


class Failed(Exception):
    """A kernel of this contestant hangs or fails: this process is of no more use."""

    def __init__(self, contestant, why):
        super().__init__(why)
        self.contestant = contestant


class Worker:
    def __init__(self, folder):
        self.folder = folder
        self.gpu = Gpu()
        self.memory = self.gpu.memory(MEMORY)
        self.holder = self.gpu.memory(16)
        self.gpu.write(self.holder, struct.pack("<Q", self.memory.value))
        self.cycles = self.gpu.memory(8 * 4096)
        self.out = self.gpu.memory(16)
        self.modules = {}  # a file has tens of kernels
        self.loaded = {}

    def functions(self, file, name, has_setup, shared_bytes):
        key = file, name
        if key not in self.loaded:
            names = [name, *([f"{name}_setup"] if has_setup else [])]
            if file not in self.modules:
                self.modules[file] = self.gpu.module((self.folder / file).read_bytes())
            self.loaded[key] = self.gpu.functions(self.modules[file], names, shared_bytes)
        return self.loaded[key]

    def run(self, cell, contestant, rounds):
        """Cycles of a round: the median over the blocks."""
        threads, blocks = cell["shape"]
        shared_bytes = cell["shared_bytes"]
        file, name = cell["kernels"][contestant]
        memory = self.holder if cell["is_unknown"] else self.memory
        _, value, second = cell["argument"]
        words = [packed(cell["value"], value), packed(cell["value"], second)]
        try:
            functions = self.functions(file, name, cell["has_setup"], shared_bytes)
            if cell["has_setup"]:
                self.gpu.launch(functions[f"{name}_setup"], 1, 1, shared_bytes, [memory, ctypes.c_uint(threads * blocks)])
            arguments = [memory, *words, ctypes.c_uint(rounds), self.cycles, self.out]
            self.gpu.launch(functions[name], blocks, threads, shared_bytes, arguments, cell["has_setup"])
            self.gpu.finish()
        except OSError as error:  # a TimeoutError, too
            if error.errno in TOO_LARGE:
                raise
            raise Failed(contestant, str(error)) from error
        return statistics.median(self.gpu.read(self.cycles, blocks)) / rounds

    def measure(self, cell, repetitions):
        """{contestant: median cycles of a round}; the contestants take turns, in an order that changes."""
        first = {}
        for contestant in cell["kernels"]:
            try:
                first[contestant] = [self.run(cell, contestant, rounds) for rounds in (1, 2)][1]
            except OSError:  # too large
                continue
        if not is_comparison(first) or max(first.values()) > LAUNCH_LIMIT:
            return {}
        most = cell["rounds"]
        rounds = most if most == 1 else max(2, min(4 * most, int(CYCLES / max(1, *first.values()))))
        samples = {contestant: [] for contestant in first}
        order = list(first)
        for repetition in range(repetitions):
            for contestant in order[repetition % len(order) :] + order[: repetition % len(order)]:
                samples[contestant].append(self.run(cell, contestant, rounds))
        return {contestant: statistics.median(values) for contestant, values in samples.items()}


def main():
    folder, first = Path(sys.argv[1]), int(sys.argv[2])
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    worker = Worker(folder)
    print(json.dumps({"gpu": worker.gpu.name(), "multiprocessors": worker.gpu.multiprocessors()}), flush=True)
    for number, cell in enumerate(plan["cells"][first:], first):
        try:
            found = worker.measure(cell, plan["repetitions"]) if is_comparison(cell["kernels"]) else {}
            if found and found["ours"] > 1.05 * min(found.values()):  # again, and longer
                found = worker.measure(cell, 3 * plan["repetitions"])
        except Failed as failed:
            print(json.dumps({"cell": number, "contestant": failed.contestant, "failed": str(failed)}), flush=True)
            os._exit(1)  # a kernel that hangs would keep the driver from ending
        print(json.dumps({"cell": number, "cycles": found}), flush=True)


if __name__ == "__main__":
    main()
