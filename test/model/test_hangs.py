"""Kernels that hang are known to in a moment, and those that read or count for long, or give up at some time, go on."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import time
from typing import NamedTuple

import pytest

from cudasync_tools import model, nvrtc, toolchain

BEGIN = """
typedef unsigned uint32;
typedef unsigned long long uint64;
__device__ uint64 global_timer() { uint64 now; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); return now; }
__device__ __noinline__ uint32 sum_of(volatile uint32* words) {
  uint32 sum = 0;
#pragma unroll 1
  for (uint32 at = 0; at < 2; ++at) sum += words[0];
  return sum;
}
extern "C" __global__ void kernel(uint32*, uint32* words) {
  const uint32 me = threadIdx.x;
  volatile uint32* const flag = words;
"""
POLL = "atomicAdd(words, 0) == 0"


class Kernel(NamedTuple):
    name: str
    source: str
    end: str
    block: int = 1024


KERNELS = [
    Kernel("a flag that nobody sets", f"while ({POLL}) {{}}", "hung"),
    Kernel("naps", f"while ({POLL}) __nanosleep(100);", "hung"),
    Kernel("naps that become longer", f"uint32 nap = 8;\nwhile ({POLL}) {{ __nanosleep(nap); if (nap < 256) nap *= 2; }}", "hung"),
    Kernel("naps after some attempts", f"for (uint32 at = 0; {POLL}; ++at) if (at >= 16) __nanosleep(64);", "hung"),
    Kernel("fewer naps after more attempts", f"for (int at = 30; {POLL}; --at) if (at > 9) __nanosleep(64); else if (at >= -7) __nanosleep(20);", "hung"),
    Kernel("naps in each round", f"for (uint32 round = 0; round < 3; ++round) {{\n for (uint32 at = 0; {POLL}; ++at) if (at >= 16) __nanosleep(64);\n"
           " atomicAdd(words + 1, 1); }", "hung"),
    Kernel("a count of attempts", f"uint32 count = 0;\nwhile ({POLL}) ++count;\nwords[1 + me] = count;", "hung"),
    Kernel("one of two flags", "for (;;) { uint32 at = 0;\n while (at < 4 && atomicAdd(words + at, 0) == 0) ++at;\n"
           " if (at < 4) break; }", "hung"),
    Kernel("the rest waits at a barrier", f"if (me == 5) while ({POLL}) {{}}\n__syncthreads();", "hung"),
    Kernel("a lock that is taken", "if (me == 0) words[0] = 1;\n__syncthreads();\nwhile (atomicCAS(words, 0, 1) != 0) {}", "hung"),
    Kernel("a loop that reads the time", f"uint64 last = 0;\nwhile ({POLL}) last = clock64();\nwords[2 + me] = last;", "hung", 256),
    Kernel("a limit of time", f"const uint64 begin = global_timer();\nwhile ({POLL}) if (global_timer() - begin > 2000000000) __trap();",
           "trapped", 64),
    Kernel("a limit of time of which a leap counts little", "uint64 counted = 0, last = global_timer();\n"
           f"for (uint32 look = 1; {POLL}; ++look) if (look % 32 == 0) {{\n const uint64 now = global_timer();\n"
           " counted += now - last < 12500000 ? now - last : 12500000;\n last = now;\n if (counted >= 200000000) __trap(); }", "trapped", 256),
    Kernel("a limit of attempts", f"uint32 count = 0;\nwhile ({POLL}) if (++count == 20000) __trap();", "trapped", 64),
    Kernel("a limit of attempts below zero", f"int count = 20000;\nwhile ({POLL}) if (--count < -20) __trap();", "trapped", 64),
    Kernel("a long sum before the flag", "if (me == 64) { uint32 sum = 0;\n#pragma unroll 1\nfor (uint32 at = 0; at < 20000; ++at)"
           f" sum += flag[1 + at % 64];\n atomicAdd(words, 1 + sum); }}\nwhile ({POLL}) {{}}", "finished", 96),
    Kernel("a long count without memory", "if (me == 0) {\n#pragma unroll 1\nfor (uint32 at = 0; at < 50000; ++at) asm volatile(\"\");\n"
           f" atomicAdd(words, 1); }}\nwhile ({POLL}) {{}}", "finished", 64),
    Kernel("a lane that comes late", f"if (me == 31) {{ for (uint32 at = 0; at < 3000; ++at) asm volatile(\"\"); atomicAdd(words, 1); }}\n"
           f"while ({POLL}) {{}}", "finished", 32),
    Kernel("a lane that comes late, and a limit of time", "if (me == 31) {\n#pragma unroll 1\n"
           f"for (uint32 at = 0; at < 20000; ++at) asm volatile(\"\");\n atomicAdd(words, 1); }}\n"
           f"const uint64 begin = global_timer();\nwhile ({POLL}) if (global_timer() - begin > 2000000000) __trap();", "finished", 32),
    Kernel("many calls that do the same", "uint32 sum = 0;\n#pragma unroll\nfor (uint32 at = 0; at < 512; ++at) sum += sum_of(words);\n"
           "words[1] = sum;", "finished", 1),
]


@functools.cache
def module(source):
    ptx, log = nvrtc.compile(BEGIN + source + "\n}\n", "kernel.cu", "90", ("-lineinfo", "-default-device"))
    assert ptx is not None, log
    return model.Module(ptx, 90)


@pytest.mark.parametrize("schedule", ["random", "priority"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_end(kernel, schedule, monkeypatch):
    monkeypatch.setenv("CUDASYNC_MACHINE_SCHEDULE", schedule)
    for seed in (1, 2) if toolchain.THOROUGH else (1,):
        begin = time.process_time()
        end, _, said = module(kernel.source).run(model.Kernel("kernel", block=(kernel.block, 1, 1)), seed, finds_races=False)
        assert end == kernel.end, said
        assert kernel.end != "hung" or time.process_time() - begin < 30


COMPUTES = BEGIN + """  const uint64 begin = global_timer();
  if (me == 9) {
    uint32 found = 1;
#pragma unroll 1
    for (uint32 step = 0; step < 60000; ++step) found = found * 1664525 + 1013904223;
    words[0] = found != 0 ? static_cast<uint32>((global_timer() - begin) / 1000000) : 0;
    atomicExch(words + 1, 1);
  }
  while (atomicAdd(words + 1, 0) == 0 && global_timer() != 0) __nanosleep(20);
}
"""


def test_time_does_not_fly_while_a_thread_computes():
    """A second at most, of which the time-outs of the checked build have several: the time passes faster only if all wait."""
    ptx, log = nvrtc.compile(COMPUTES, "rule.cu", "90", ())
    assert ptx is not None, log
    kernel = model.Kernel("kernel", block=(64, 1, 1))
    for seed in range(1, 4):
        end, _, said, milliseconds = model.Module(ptx, 90).run(kernel, seed, finds_races=False, reads=4)
        assert end == "finished" and milliseconds < 1000, (end, said, milliseconds)
