// The report of a hang in kernels whose roles change their numbers of registers, as warp-specialized kernels do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// needs: sm90
#include "../support/misuse.h"

#include <cuda/pipeline>
#include <cudasync/register_budget.h>

using cudasync::this_thread_block;
using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<8>>;
using consumer = cudasync::register_role<256, 232>;
using producer = cudasync::register_role<128, 40>;
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), consumer, producer>;

__device__ alignas(16) unsigned char source[512];

// --- As in CUTLASS: the instructions by hand ---

__global__ void __launch_bounds__(budget::threads, 1) warp_without_a_release(int zero) {
  alignas(16) __shared__ unsigned char stages[2][512];
  __shared__ ring pipe;
  pipe.init(this_thread_block());
  if (threadIdx.x >= 256) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x != 256) return;
    ring::producer_state at;
    for (int tile = 0; tile < 4; ++tile, at.advance()) {
      pipe.producer_acquire(at, 512);  // <acquire>
      pipe.copy(at, stages[at.index()], source, cuda::aligned_size_t<16>(512));
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    ring::consumer_state at;
    for (int tile = 0; tile < 4; ++tile, at.advance()) {
      pipe.consumer_wait(at);  // <wait>
      if (threadIdx.x / 32 != 3 + static_cast<unsigned>(zero)) pipe.consumer_release(at);
    }
  }
}

// --- With register_budget ---

__global__ void __launch_bounds__(budget::threads, 1) missing_copy(int zero) {
  alignas(16) __shared__ unsigned char stages[2][512];
  __shared__ ring pipe;
  pipe.init(this_thread_block());
  if (threadIdx.x >= 256) {
    budget::enter<producer>();
    if (threadIdx.x != 256) return;
    ring::producer_state at;
    pipe.producer_acquire(at, 512);  // <acquire>
    pipe.copy(at, stages[at.index()], source, cuda::aligned_size_t<16>(256u + static_cast<unsigned>(zero)));  // <copy>
  } else {
    budget::enter<consumer>();
    ring::consumer_state at;
    pipe.consumer_wait(at);  // <wait>
    pipe.consumer_release(at);
  }
}

constexpr gpu_test::shape three_warpgroups{1, 384};

const misuse cases[] = {
    MISUSE_IN(three_warpgroups, warp_without_a_release, "stage 0 (to be released by its consumers)", "7 arrivals of 8",
              "thread 256 waits at <acquire>", "likely cause: 7 of 8 consumers have released stage 0; warp 3 has not",
              "remedy: let threads 96-127 release each stage after the last read of it"),
    MISUSE_IN(three_warpgroups, missing_copy, "1 arrival of 1, 256 bytes outstanding", "threads 0-255 wait at <wait>",
              "likely cause: since init, 512 bytes were expected (at <acquire>), and copies of 256 bytes were started",
              "(at <copy>)", "remedy: expect exactly the bytes that the copies move"),
};

int main(int argc, char** argv) {
  return run_misuses(argc, argv, cases);
}
