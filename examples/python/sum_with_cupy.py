"""A sum of a large array from CuPy: a ring of bulk copies, compiled by NVRTC, and a hang reported as an exception."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# It needs a GPU of sm_90 or newer, CuPy and cudasync:
#   python3 examples/python/sum_with_cupy.py           prints the sum, and compares it with CuPy's
#   python3 examples/python/sum_with_cupy.py --hang    one warp does not release a tile: prints the report
# Exit status: 0 if the sum is right, or the hang was reported; 77 if the machine lacks something; 1 otherwise.

import argparse
import os
import sys
import tempfile

import cudasync

TILE = 2048  # elements
CONSUMERS = 256  # threads that add; the block has one more warp

SOURCE = r"""
#include <cuda/atomic>
#include <cuda/pipeline>

constexpr unsigned stages = 4;
using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<CONSUMERS / 32>>;

// One warp begins copies, the others add. FORGET is the number of the tile that one warp does not release; no tile has the
// number -1.
extern "C" __global__ void sum_up(const unsigned* data, unsigned long long size, unsigned long long* total) {
  alignas(16) __shared__ unsigned stage[stages][TILE];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());

  if (threadIdx.x >= CONSUMERS) {
    if (!cudasync::elect_one_of_warp()) return;
    ring::producer_state at;
    for (unsigned long long first = blockIdx.x * TILE; first < size; first += gridDim.x * TILE) {
      pipe.producer_acquire(at, TILE * 4);
      pipe.copy(at, stage[at.index()], data + first, cuda::aligned_size_t<16>(TILE * 4));
      at.advance();
    }
    return;
  }
  unsigned long long sum = 0;
  int number = 0;
  ring::consumer_state at;
  for (unsigned long long first = blockIdx.x * TILE; first < size; first += gridDim.x * TILE) {
    pipe.consumer_wait(at);
    for (unsigned cell = threadIdx.x; cell < TILE; cell += CONSUMERS)
      sum += stage[at.index()][cell];
    if (threadIdx.x >= 32 || number++ != FORGET) pipe.consumer_release(at);
    at.advance();
  }
  for (unsigned offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0)
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*total).store_add(sum, cuda::memory_order_relaxed);
}
"""


def source(forget):
    return f"#define TILE {TILE}\n#define CONSUMERS {CONSUMERS}\n#define FORGET {forget}\n" + SOURCE


def load(cupy, forget, options):
    """The module. CuPy would pass the folder of its own CCCL before that of cudasync, so NVRTC is called without it."""
    cubin = cudasync.compile_cubin(source(forget), "sm_90", options)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        module = cupy.RawModule(path=file.name)
        module.get_function("sum_up")  # loads it
        return module


def sum_up(cupy, module, data):
    total = cupy.zeros(1, dtype=cupy.uint64)
    blocks = cupy.cuda.Device().attributes["MultiProcessorCount"]
    module.get_function("sum_up")((blocks,), (CONSUMERS + 32,), (data, cupy.uint64(data.size), total))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hang", action="store_true", help="forget one release")
    options = parser.parse_args()
    try:
        import cupy

        if int(cupy.cuda.Device().compute_capability) < 90:
            raise ImportError("bulk copies need a GPU of sm_90 or newer")
    except Exception as missing:  # also without a driver or a GPU
        print(f"skipped: {missing}")
        return 77

    data = cupy.arange(TILE * 100000, dtype=cupy.uint32)
    expected = int(data.sum(dtype=cupy.uint64))
    if not options.hang:
        module = load(cupy, -1, cudasync.compile_options())
        result = int(sum_up(cupy, module, data)[0])
        print(f"{data.size} elements: the sum is {result}, CuPy's is {expected}")
        print("PASS" if result == expected else "FAIL")
        return int(result != expected)

    module = load(cupy, 1, cudasync.compile_options(checked=True))
    try:
        with cudasync.HangReport(module) as report:
            report.set_timeout(milliseconds=500)
            sum_up(cupy, module, data)
            report.wait(lambda: cupy.cuda.get_current_stream().done)
    except cudasync.Hang as hang:
        print(hang)
        is_explained = hang.json["likely_cause"]["cause"] == "stage_not_released"
        print("PASS" if is_explained else "FAIL", flush=True)
        os._exit(int(not is_explained))  # the context is lost, and CuPy would complain about each object that it destroys
    print("FAIL: there is no report")
    return 1


if __name__ == "__main__":
    sys.exit(main())
