#!/usr/bin/env python3
"""All-reduces and barriers of PyTorch and NCCL, to compare with the program gpus: torchrun --nproc-per-node N with_torch.py"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# --json FILE writes the results in the format of the benchmark programs. It needs PyTorch 2.6 or newer and two GPUs. Each
# sample is the mean of 50 calls in a CUDA graph.

import argparse
import json
import os
import statistics
import sys

SIZES = {"8 KiB": 2 << 10, "64 KiB": 16 << 10, "256 KiB": 64 << 10, "512 KiB": 128 << 10, "4 MiB": 1 << 20}  # floats
CALLS = 50
SAMPLES = 5


def samples(torch, call):
    """Microseconds for each call."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(CALLS):
                call()
        found = []
        for _ in range(SAMPLES + 1):
            torch.distributed.barrier()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            stream.synchronize()
            found.append(begin.elapsed_time(end) * 1000 / CALLS)
    return found[1:]


def contestants(torch, symmetric, group, size):
    """[(benchmark, operation, name, function)]"""
    ordinary = torch.ones(size, device="cuda")
    shared = symmetric.empty(size, dtype=torch.float32, device="cuda")
    handle = symmetric.rendezvous(shared, group)
    shared.fill_(1)
    operations = torch.ops.symm_mem
    found = [
        ("all_reduce", "all-reduce", "NCCL", lambda: torch.distributed.all_reduce(ordinary)),
        ("all_reduce", "all-reduce", "PyTorch, one_shot_all_reduce", lambda: operations.one_shot_all_reduce(shared, "sum", group)),
        ("all_reduce", "all-reduce", "PyTorch, two_shot_all_reduce_", lambda: operations.two_shot_all_reduce_(shared, "sum", group)),
    ]
    if size == min(SIZES.values()):
        found.append(("meet", "the blocks with the same index of all ranks", "PyTorch, symmetric memory barrier", lambda: handle.barrier(channel=0)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    try:
        import torch
        import torch.distributed._symmetric_memory as symmetric

        rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        torch.distributed.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
    except Exception as missing:
        print(f"skipped: {missing!r}; run it with torchrun")
        return 77
    group = torch.distributed.group.WORLD.group_name
    results = []
    for label, size in SIZES.items():
        for benchmark, operation, name, call in contestants(torch, symmetric, group, size):
            found = samples(torch, call)
            is_meeting = benchmark == "meet"
            row = {"benchmark": benchmark, "operation": operation, "name": name, "kind": "peer", "path": "native"}
            row |= {"configuration": f"{ranks} x {1 if is_meeting else label}", "unit": "ns per phase" if is_meeting else "us"}
            row["samples"] = [1000 * each for each in found] if is_meeting else found
            row["median"] = statistics.median(row["samples"])
            results.append(row)
            if rank == 0:
                print(f"{row['configuration']:>11}: {name:35} {row['median']:9.1f} {row['unit']}", flush=True)
    if rank == 0 and options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"gpu": torch.cuda.get_device_name(), "results": results}, file, indent=1)
    torch.distributed.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
