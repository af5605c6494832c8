"""An RMS norm as a function of JAX: a kernel that loads rows by bulk copies, called through JAX's foreign function interface."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# It needs a GPU of sm_90 or newer, nvcc, JAX 0.5 or newer and cudasync:
#   python3 examples/python/rms_norm_with_jax.py
# Exit status: 0 if the result is right; 77 if the machine lacks something; 1 otherwise.

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

import cudasync

KERNEL = r"""
#include <cuda/atomic>
#include <cuda/barrier>

constexpr unsigned threads = 256;  // of a block
constexpr unsigned most = 8192;    // values of a row

// One block for each row of `size` values, a multiple of 4: divides them by their root mean square.
__global__ void __launch_bounds__(threads) rms_norm(const float* rows, float* output, unsigned size, float epsilon) {
  alignas(16) __shared__ float row[most];
  __shared__ float sum_of_squares;
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<threads>(bar));

  if (threadIdx.x == 0) {
    sum_of_squares = 0;
    cuda::device::barrier_expect_tx(bar, size * 4);
    cuda::device::memcpy_async_tx(row, rows + size_t{blockIdx.x} * size, cuda::aligned_size_t<16>(size * 4), bar);
  }
  bar.arrive_and_wait();  // the row and the zero are visible

  float squares = 0;
  for (unsigned cell = threadIdx.x; cell < size; cell += threads)
    squares += row[cell] * row[cell];
  cuda::atomic_ref<float, cuda::thread_scope_block>(sum_of_squares).store_add(squares, cuda::memory_order_relaxed);
  bar.arrive_and_wait();  // all threads have added

  const float scale = rsqrtf(sum_of_squares / size + epsilon);
  for (unsigned cell = threadIdx.x; cell < size; cell += threads)
    output[size_t{blockIdx.x} * size + cell] = row[cell] * scale;
}
"""

HANDLER = r"""
#include <xla/ffi/api/ffi.h>

namespace ffi = xla::ffi;

static ffi::Error launch(cudaStream_t stream, ffi::Buffer<ffi::F32> rows, ffi::ResultBuffer<ffi::F32> output, float epsilon) {
  const auto shape = rows.dimensions();
  if (shape.size() != 2 || shape[1] % 4 != 0 || shape[1] > most)
    return ffi::Error::InvalidArgument("rows of up to 8192 values, a multiple of 4");
  rms_norm<<<static_cast<unsigned>(shape[0]), threads, 0, stream>>>(rows.typed_data(), output->typed_data(),
                                                                   static_cast<unsigned>(shape[1]), epsilon);
  const cudaError_t status = cudaGetLastError();
  return status == cudaSuccess ? ffi::Error::Success() : ffi::Error::Internal(cudaGetErrorString(status));
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(handler, launch,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::PlatformStream<cudaStream_t>>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>()
                                  .Attr<float>("epsilon"),
                              {ffi::Traits::kCmdBufferCompatible});  // it only launches a kernel: JAX may record it in a graph
"""


def compile_handler(include, folder, arch="native"):
    """The path of the shared library with the kernel and its handler. include: the folder of JAX's headers."""
    source, library = Path(folder, "rms_norm.cu"), Path(folder, "rms_norm.so")
    source.write_text(KERNEL + HANDLER, encoding="utf-8")
    command = ["nvcc", "-shared", "-Xcompiler", "-fPIC", f"-arch={arch}", *cudasync.compile_options(), "-isystem", include]
    subprocess.run([*command, "-o", library, source], check=True)
    return library


def main():
    try:
        import jax
        import numpy

        if float(jax.devices("cuda")[0].compute_capability) < 9:
            raise ImportError("bulk copies need a GPU of sm_90 or newer")
        with tempfile.TemporaryDirectory() as folder:
            library = ctypes.CDLL(str(compile_handler(jax.ffi.include_dir(), folder)))
    except Exception as missing:  # also without a GPU or nvcc
        print(f"skipped: {missing}")
        return 77

    jax.ffi.register_ffi_target("rms_norm", jax.ffi.pycapsule(library.handler), platform="CUDA")

    @jax.jit
    def rms_norm(rows):
        call = jax.ffi.ffi_call("rms_norm", jax.ShapeDtypeStruct(rows.shape, rows.dtype))
        return call(rows, epsilon=numpy.float32(1e-5))

    @jax.jit
    def expected(rows):
        return rows * jax.lax.rsqrt((rows * rows).mean(axis=1, keepdims=True) + 1e-5)

    rows = jax.random.normal(jax.random.key(1), (1000, 4096), dtype=numpy.float32)
    is_right = numpy.allclose(rms_norm(rows), expected(rows), rtol=1e-5, atol=1e-5)
    print("PASS" if is_right else "FAIL")
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
