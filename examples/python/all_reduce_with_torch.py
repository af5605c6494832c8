"""An all-reduce and an RMS norm in one kernel, over the GPUs of one host, as an extension of PyTorch."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# It needs PyTorch 2.6 or newer, nvcc and cudasync, and one process for each GPU:
#   python3 examples/python/all_reduce_with_torch.py                                   one GPU
#   torchrun --nproc-per-node 4 examples/python/all_reduce_with_torch.py               four GPUs
# It compares the result with PyTorch's, and the time with that of NCCL and torch.nn.functional.rms_norm.
# Exit status: 0 if the result is right; 77 if the machine lacks something; 1 otherwise.

import os
import sys

import cudasync

BLOCKS = 64
THREADS = 512
CHUNKS = 4  # of 8 values, for each thread and row: rows have up to 16,384 values
PART = 256  # bytes of a cudasync::peer_part<>

KERNEL = r"""
#include <cudasync/peer_barrier.h>

using part = cudasync::peer_part<>;

__device__ float from_bfloat(unsigned bits) { return __uint_as_float(bits << 16); }
__device__ unsigned to_bfloat(float value) {  // to nearest, ties to even
  const unsigned bits = __float_as_uint(value);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

__device__ float sum_of_block(float value) {
  __shared__ float sums[32];
  for (unsigned offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffff, value, offset);
  __syncthreads();  // the sums of the row before have been read
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (unsigned warp = 0; warp < THREADS / 32; ++warp)
    sum += sums[warp];
  return sum;
}

// inputs: of all ranks, rows of `size` bfloat16 numbers, a multiple of 8. Each rank computes all rows: the sum over the ranks,
// divided by its root mean square, times the weight.
extern "C" __global__ void __launch_bounds__(THREADS)
    all_reduce_norm(part* const* parts, const uint4* const* inputs, unsigned rank, unsigned gpus, unsigned rows,
                    unsigned size, const uint4* weight, uint4* output, float epsilon) {
  cudasync::peer_block_barrier bar(parts, rank, gpus, blockIdx.x);
  bar.arrive_and_wait();  // the inputs of all GPUs are complete: the kernels that wrote them came before
  const unsigned chunks = size / 8;
  for (unsigned row = blockIdx.x; row < rows; row += gridDim.x) {
    float sums[CHUNKS][8] = {};
    float squares = 0;
#pragma unroll
    for (unsigned step = 0; step < CHUNKS; ++step) {
      const unsigned chunk = step * THREADS + threadIdx.x;
      if (chunk >= chunks) break;
      for (unsigned gpu = 0; gpu < gpus; ++gpu) {
        const uint4 found = inputs[gpu][row * chunks + chunk];
        const unsigned words[4] = {found.x, found.y, found.z, found.w};
#pragma unroll
        for (unsigned word = 0; word < 4; ++word) {
          sums[step][2 * word] += from_bfloat(words[word] & 0xffff);
          sums[step][2 * word + 1] += from_bfloat(words[word] >> 16);
        }
      }
#pragma unroll
      for (unsigned index = 0; index < 8; ++index)
        squares += sums[step][index] * sums[step][index];
    }
    const float scale = rsqrtf(sum_of_block(squares) / size + epsilon);
#pragma unroll
    for (unsigned step = 0; step < CHUNKS; ++step) {
      const unsigned chunk = step * THREADS + threadIdx.x;
      if (chunk >= chunks) break;
      const uint4 by = weight[chunk];
      const unsigned words[4] = {by.x, by.y, by.z, by.w};
      unsigned result[4];
#pragma unroll
      for (unsigned word = 0; word < 4; ++word)
        result[word] = to_bfloat(sums[step][2 * word] * scale * from_bfloat(words[word] & 0xffff)) |
                       to_bfloat(sums[step][2 * word + 1] * scale * from_bfloat(words[word] >> 16)) << 16;
      output[row * chunks + chunk] = {result[0], result[1], result[2], result[3]};
    }
  }
  bar.arrive_and_wait();  // all GPUs have read the inputs, which may be overwritten now
}
"""

INCLUDES = "#include <ATen/cuda/CUDAContext.h>\n"  # before the macros

LAUNCH = r"""
// parts, inputs: the addresses of all ranks, in device memory.
void launch(const torch::Tensor& parts, const torch::Tensor& inputs, int64_t rank, int64_t rows, const torch::Tensor& weight,
            torch::Tensor& output, double epsilon) {
  all_reduce_norm<<<BLOCKS, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<part* const*>(parts.data_ptr<int64_t>()),
      reinterpret_cast<const uint4* const*>(inputs.data_ptr<int64_t>()), static_cast<unsigned>(rank),
      static_cast<unsigned>(parts.numel()), static_cast<unsigned>(rows), static_cast<unsigned>(weight.numel()),
      reinterpret_cast<const uint4*>(weight.data_ptr()), reinterpret_cast<uint4*>(output.data_ptr()),
      static_cast<float>(epsilon));
  TORCH_CHECK(cudaGetLastError() == cudaSuccess, "the launch failed");
}
"""

DECLARATION = """
void launch(const torch::Tensor& parts, const torch::Tensor& inputs, int64_t rank, int64_t rows, const torch::Tensor& weight,
            torch::Tensor& output, double epsilon);
"""


def macros():
    return "".join(f"#define {name} {value}\n" for name, value in (("BLOCKS", BLOCKS), ("THREADS", THREADS), ("CHUNKS", CHUNKS)))


def load():
    """The extension. The first process compiles it, and the others find it in the cache."""
    from torch.utils.cpp_extension import load_inline

    return load_inline(
        "all_reduce_with_torch",
        cpp_sources=DECLARATION,
        cuda_sources=INCLUDES + macros() + KERNEL + LAUNCH,
        functions=["launch"],
        extra_cuda_cflags=[*cudasync.compile_options()],
    )


class Shared:
    """Memory that all ranks can access: the parts of the barriers, and after them the input of this rank."""

    def __init__(self, torch, rank, ranks, rows, size):
        room = BLOCKS * PART
        if ranks == 1:
            memory = torch.empty(room + rows * size * 2, dtype=torch.uint8, device="cuda")
            addresses = [memory.data_ptr()]
        else:
            import torch.distributed._symmetric_memory as symmetric

            memory = symmetric.empty(room + rows * size * 2, dtype=torch.uint8, device="cuda")
            self.handle = symmetric.rendezvous(memory, torch.distributed.group.WORLD.group_name)
            addresses = list(self.handle.buffer_ptrs)
        memory.zero_()
        self.memory = memory
        self.input = memory[room:].view(torch.bfloat16).view(rows, size)
        self.parts = torch.tensor(addresses, dtype=torch.int64, device="cuda")
        self.inputs = self.parts + room
        torch.cuda.synchronize()
        if ranks > 1:
            torch.distributed.barrier()  # no rank uses a part before it is zero


def microseconds(torch, call, times=200):
    for _ in range(20):
        call()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(times):
        call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1000 / times


def main():
    try:
        import torch

        if not torch.cuda.is_available():
            raise ImportError("PyTorch finds no GPU")
        rank, ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        if ranks > 8:
            raise ImportError("the example is for up to 8 GPUs")
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        if ranks > 1:
            torch.distributed.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
        if rank == 0:
            extension = load()
        if ranks > 1:
            torch.distributed.barrier()
        if rank != 0:
            extension = load()
    except Exception as missing:  # also without nvcc
        print(f"skipped: {missing}")
        return 77

    is_right = True
    size, epsilon = 8192, 1e-5
    weight = torch.rand(size, device="cuda", generator=torch.Generator("cuda").manual_seed(1)).to(torch.bfloat16)
    for rows in (1, 16, 128):
        shared = Shared(torch, rank, ranks, rows, size)
        output = torch.empty(rows, size, dtype=torch.bfloat16, device="cuda")
        shared.input.normal_(generator=torch.Generator("cuda").manual_seed(2 + rank))
        total = shared.input.float()
        if ranks > 1:
            torch.distributed.all_reduce(total)
        expected = torch.nn.functional.rms_norm(total, (size,), weight.float(), epsilon)
        fused = lambda: extension.launch(shared.parts, shared.inputs, rank, rows, weight, output, epsilon)  # noqa: B023, E731
        for _ in range(3):
            fused()
        error = (output.float() - expected).abs().max().item() / expected.abs().max().item()
        is_right &= error < 0.01

        partial = shared.input.clone()

        def separate():
            if ranks > 1:
                torch.distributed.all_reduce(partial)  # noqa: B023
            return torch.nn.functional.rms_norm(partial, (size,), weight, epsilon)  # noqa: B023

        ours, theirs = microseconds(torch, fused), microseconds(torch, separate)
        if rank == 0:
            print(f"{ranks} GPUs, {rows} x {size}: largest error {error:.4f}; {ours:.1f} us, NCCL and rms_norm {theirs:.1f} us")
    if rank == 0:
        print("PASS" if is_right else "FAIL")
    if ranks > 1:
        torch.distributed.destroy_process_group()
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
