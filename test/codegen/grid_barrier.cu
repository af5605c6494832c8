// Blocks meet by one addition a block and looks at one word, between two barriers of the block; nothing is divided or reset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVCC: 80 90
// LIMIT: arrive_and_wait sm_90 78
// LIMIT: arrive_and_wait_as sm_90 67
// LIMIT: arrive_and_wait_with_host sm_90 67
// The SASS of some kernels, in the order of their names. No stores, no other atomics, no reciprocals:
// SASS-LABEL: arrive_and_wait:
// SASS-NOT: {{(I2F|MUFU|ST[.G]|ATOM|RED|LD[.G])}}
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
// SASS-NOT: {{(I2F|MUFU|ST[.G]|ATOM|RED|LD[.G])}}
// SASS: MEMBAR.{{(ALL|SC)}}.GPU
// SASS-NOT: {{(I2F|MUFU|MEMBAR|ST[.G]|LD[.G])}}
// SASS: ATOM{{G?}}.E.ADD.STRONG.GPU
// SASS-NOT: {{(I2F|MUFU|MEMBAR|ST[.G]|ATOM|RED|LD[.G])}}
// SASS: NANOSLEEP
// SASS-NOT: {{(I2F|MUFU|MEMBAR|ST[.G]|ATOM|RED|CCTL)}}
// SASS: LD{{G?}}.E.STRONG.GPU
// SASS-NOT: {{(I2F|MUFU|MEMBAR|ST[.G]|ATOM|RED|BAR)}}
// SASS: SHFL.IDX
// SASS-NOT: {{(I2F|MUFU|MEMBAR|ST[.G]|ATOM|RED|BAR.SYNC)}}
// SASS: NANOSLEEP
// SASS-NOT: {{(I2F|MUFU|MEMBAR|ST[.G]|ATOM|RED|BAR.SYNC)}}
// SASS: LD{{G?}}.E.STRONG.GPU
// SASS-NOT: {{(I2F|MUFU|MEMBAR|ST[.G]|ATOM|RED|BAR.SYNC)}}
// SASS: CCTL.IVALL
// SASS-NOT: {{(I2F|MUFU|MEMBAR|ST[.G]|ATOM|RED)}}
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
// SASS-LABEL: arrive_and_wait_with_host:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
// SASS: MEMBAR.{{(ALL|SC)}}.SYS
// SASS: ATOM{{G?}}.E.ADD.STRONG.SYS
// SASS: LD{{G?}}.E.STRONG.SYS
// SASS: CCTL.IVALL
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x0
#include <cudasync/grid_barrier.h>

using device_barrier = cudasync::grid_barrier<>;
using system_barrier = cudasync::grid_barrier<cudasync::thread_scope_system>;
using cudasync::participant;

__device__ unsigned rank_of_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ bool has_flipped(unsigned before, unsigned now) {
  return static_cast<int>(before ^ now) < 0;
}

// Of a participant; also when it waits, since a token holds no more than the word.
__device__ unsigned addend_of(unsigned rank, unsigned count) {
  return rank == 0 ? (1u << 31) - (count - 1) : 1;
}

// From sm_90 on who arrives last need not look.
__device__ void hand_wait_for(const unsigned* word, unsigned before, [[maybe_unused]] unsigned rank,
                              [[maybe_unused]] unsigned count) {
  unsigned now;
#if __CUDA_ARCH__ >= 900
  const bool is_complete = has_flipped(before, before + addend_of(rank, count));
  while (!is_complete) {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(__cvta_generic_to_global(word)) : "memory");
    if (has_flipped(before, now)) break;
    __nanosleep(20);
  }
  asm volatile("fence.acquire.gpu;" ::: "memory");
#else
  for (;;) {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(__cvta_generic_to_global(word)) : "memory");
    if (has_flipped(before, now)) break;
    __nanosleep(20);
  }
#endif
}

extern "C" {

// The addition is a release. From sm_90 on the looks are relaxed, and a fence is behind the last of them.
// PTX-LABEL: .entry arrive_and_wait(
// PTX-NOT: fence
// PTX: atom.release.gpu.global.add.u32
// PTX-NOT: fence
// PTX: nanosleep.u32
// PTX-SM70: ld.acquire.gpu.global.u32
// PTX-SM80: ld.acquire.gpu.global.u32
// PTX-SM90+: ld.relaxed.gpu.global.u32
// PTX: shfl.sync.idx.b32
// PTX-SM90+: fence.acquire.gpu;
// PTX-NOT: fence
// PTX-LABEL: .entry arrive_and_wait_as(
__global__ void arrive_and_wait(device_barrier* bar) {
  bar->arrive_and_wait();
}

__global__ void arrive_and_wait_as(device_barrier* bar, unsigned rank, unsigned count) {
  bar->arrive_and_wait(participant{rank, count});
}

__global__ void arrive_and_wait_with_host(system_barrier* bar, unsigned rank, unsigned count) {
  bar->arrive_and_wait(participant{rank, count});
}

__global__ void ours_split(device_barrier* bar, unsigned rank, unsigned count, int* data) {
  const participant self{rank, count};
  auto token = bar->arrive(self);
  data[threadIdx.x] = 1;
  bar->wait(static_cast<decltype(token)&&>(token), self);
}
__global__ void hand_split(unsigned* word, unsigned rank, unsigned count, int* data) {
  unsigned before = 0;
  __syncthreads();
  if (rank_of_thread() == 0)
    asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global(word)), "r"(addend_of(rank, count))
                 : "memory");
  data[threadIdx.x] = 1;
  if (rank_of_thread() == 0) hand_wait_for(word, before, rank, count);
  __syncthreads();
}

}  // extern "C"
