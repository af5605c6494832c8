"""A kernel of Numba that uses a barrier of cudasync: functions from CUDA C++, compiled by NVRTC and linked to the kernel."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# It needs a GPU of sm_70 or newer, Numba (numba-cuda 0.30 or newer; with 0.30, NumPy 2.4), cffi and cudasync:
#   python3 examples/python/smooth_with_numba.py
# Exit status: 0 if the result is right; 77 if the machine lacks something; 1 otherwise.

import sys
import tempfile

import cudasync

THREADS = 256  # of a block

# A function that Numba calls returns 0, and takes the place of its result first. Both have no result.
SOURCE = r"""
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __device__ int init_barrier(int*, block_barrier* bar, int threads) {
  init(bar, threads);
  return 0;
}
extern "C" __device__ int arrive_and_wait(int*, block_barrier* bar) {
  bar->arrive_and_wait();
  return 0;
}
"""


def functions(arch):
    """The machine code of the functions. Numba would pass the folder of CCCL before that of cudasync, so NVRTC is called here."""
    return cudasync.compile_cubin(SOURCE, arch, [*cudasync.compile_options(), "-rdc=true"])


def kernel(numba, cuda, ffi):
    """The function that Numba compiles: each element becomes the mean of itself and of the next two in its block."""
    init_barrier = cuda.declare_device("init_barrier", "int32(CPointer(uint64), int32)")
    arrive_and_wait = cuda.declare_device("arrive_and_wait", "int32(CPointer(uint64))")

    def smooth(data):
        bar = ffi.from_buffer(cuda.shared.array(1, numba.uint64))  # the 8 bytes of the barrier
        cells = cuda.shared.array(THREADS, numba.float32)
        thread = cuda.threadIdx.x
        if thread == 0:
            init_barrier(bar, THREADS)
        cuda.syncthreads()
        cells[thread] = data[cuda.blockIdx.x * THREADS + thread]
        arrive_and_wait(bar)
        total = cells[thread] + cells[(thread + 1) % THREADS] + cells[(thread + 2) % THREADS]
        data[cuda.blockIdx.x * THREADS + thread] = total / numba.float32(3)

    return smooth


def main():
    try:
        import cffi
        import numba
        import numpy
        from numba import cuda

        major, minor = cuda.get_current_device().compute_capability
    except Exception as missing:  # also without a driver or a GPU
        print(f"skipped: {str(missing).strip().partition(chr(10))[0]}")
        return 77

    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(functions(f"sm_{major}{minor}"))
        file.flush()
        smooth = cuda.jit(link=[file.name])(kernel(numba, cuda, cffi.FFI()))
        data = numpy.random.default_rng(1).random(100 * THREADS, dtype=numpy.float32)
        result = cuda.to_device(data)
        smooth[100, THREADS](result)
        found = result.copy_to_host()
    rows = data.reshape(100, THREADS)
    expected = (rows + numpy.roll(rows, -1, 1) + numpy.roll(rows, -2, 1)) / 3
    is_right = numpy.allclose(found.reshape(100, THREADS), expected)
    print("PASS" if is_right else "FAIL")
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
