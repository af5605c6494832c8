"""A kernel of Warp that uses a barrier of cudasync: native functions, compiled by Warp with the headers of cudasync."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# It needs a GPU of sm_70 or newer, Warp 1.19 or newer and cudasync:
#   python3 examples/python/smooth_with_warp.py
# Exit status: 0 if the result is right; 77 if the machine lacks something; 1 otherwise.

import sys

import cudasync

THREADS = 256  # of a block

# Warp inserts this before the kernels. A snippet is the body of a function, in which nothing can be included.
PREAMBLE = f"""
#include <cuda/barrier>
constexpr int threads_of_block = {THREADS};
"""

# Each element becomes the mean of itself and of the next two in its block, all threads of which have an element.
SNIPPET = """
__shared__ float cells[threads_of_block];
__shared__ cuda::barrier<cuda::thread_scope_block> bar;
cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<threads_of_block>(bar));
const int here = static_cast<int>(threadIdx.x);
cells[here] = data[index];
bar.arrive_and_wait();
float total = 0;
for (int step = 0; step < 3; ++step)
  total += cells[(here + step) % threads_of_block];
data[index] = total / 3;
"""


def kernel():
    """The kernel. Options and functions belong to the module of Warp with the name of this file."""
    import warp as wp

    options = wp.ModuleBuildOptions(extra_cuda_include_dirs=[str(cudasync.include_dir())], extra_cuda_preamble=PREAMBLE)
    wp.set_module_options({"extra_build_options": options, "enable_backward": False})

    def smooth_native(data: wp.array[wp.float32], index: wp.int32): ...

    def smooth(data: wp.array[wp.float32]):
        smooth_native(data, wp.tid())

    smooth_native = wp.func_native(SNIPPET)(smooth_native)
    return wp.kernel(smooth)


def main():
    try:
        import numpy
        import warp as wp

        wp.init()
        if not wp.is_cuda_available():
            raise ImportError("Warp finds no GPU")
    except Exception as missing:  # also without a driver
        print(f"skipped: {missing}")
        return 77

    data = numpy.random.default_rng(1).random(100 * THREADS, dtype=numpy.float32)
    result = wp.array(data, device="cuda")
    wp.launch(kernel(), dim=data.size, inputs=[result], block_dim=THREADS)
    rows = data.reshape(100, THREADS)
    expected = (rows + numpy.roll(rows, -1, 1) + numpy.roll(rows, -2, 1)) / 3
    is_right = numpy.allclose(result.numpy().reshape(100, THREADS), expected)
    print("PASS" if is_right else "FAIL")
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
