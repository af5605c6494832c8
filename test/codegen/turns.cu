// A turn is one arrival and one wait, on mbarriers or named barriers, as in hand-written PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80+
// NVCC: 80 90
// By hand, known_group takes 48 instructions on sm_80 and 38 on sm_90. With NVRTC for sm_90, ptxas repeats the tests of
// both waits behind the end of the kernel, 3 instructions each.
// LIMIT: known_group sm_80 48
// LIMIT: known_group sm_90+ 43
// The SASS of some kernels, in the order of their names:
// SASS-LABEL: ours_known_group_by_named_barriers:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x2, 0x100
// SASS: BAR.ARV 0x1, 0x100
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x4, 0x100
// SASS: BAR.ARV 0x3, 0x100
// SASS-LABEL: ours_ping_pong:
// SASS-SM90+-NOT: BAR.
// SASS-SM90+: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS-SM90+: SYNCS.ARRIVE.TRANS64
// SASS-SM90+: SYNCS.PHASECHK.TRANS64.TRYWAIT
// SASS-SM90+: SYNCS.ARRIVE.TRANS64
// SASS-LABEL: ours_ping_pong_by_named_barriers:
// SASS-NOT: SYNCS
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x{{[1-4]}}, 0x100
#include <cudasync/turns.h>

using by_memory = cudasync::turns<2, 2, 128>;
using by_hardware = cudasync::turns<2, 2, 128, cudasync::by_named_barriers<1>>;

// --- The instructions ---

__device__ unsigned address_of(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}

__device__ void hand_wait_for(unsigned bar, unsigned parity) {
  // ptxas moves the first try in front of the work before it.
  unsigned done = 0;
#if __CUDA_ARCH__ >= 900
  while (done == 0)
    asm volatile("{ .reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
#else
  asm volatile("{ .reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(bar), "r"(parity)
               : "memory");
  if (done != 0) return;
  asm volatile(
      "{ .reg .pred done;\nagain: mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n@done bra through;\nbra "
      "again;\nthrough: }" ::"r"(bar),
      "r"(parity)
      : "memory");
#endif
}

__device__ void hand_arrive_on(unsigned bar) {
  [[maybe_unused]] unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
}

template <unsigned Id>
__device__ void hand_sync() {
  asm volatile("bar.sync %0, 256;" ::"n"(Id) : "memory");
}
template <unsigned Id>
__device__ void hand_arrive() {
  asm volatile("bar.arrive %0, 256;" ::"n"(Id) : "memory");
}

// One stage's work: something that stays between the barriers.
__device__ void work(int* data, int tile) {
  data[threadIdx.x] += tile;
}

extern "C" {

// --- Ping-pong of two warpgroups, each of which takes every second tile ---

// PTX-LABEL: .entry ours_ping_pong(
// PTX-SM80: mbarrier.test_wait.parity.shared.b64
// PTX-SM90+: mbarrier.try_wait.parity.shared.b64
// PTX: mbarrier.arrive.shared
// PTX-LABEL: .entry hand_ping_pong(
__global__ void ours_ping_pong(int* first, int* second, int tiles) {
  __shared__ by_memory in_turn;
  const unsigned group = threadIdx.x / 128;
  by_memory::place mine(in_turn, group);
#pragma unroll 1
  for (int tile = static_cast<int>(group); tile < tiles; tile += 2) {
    mine.wait();
    work(first, tile);
    mine.pass();
    mine.wait();
    work(second, tile);
    mine.pass();
  }
}
__global__ void hand_ping_pong(int* first, int* second, int tiles) {
  __shared__ unsigned long long bars[2][2];
  const unsigned group = threadIdx.x / 128;
  const unsigned next = group == 1 ? 0 : group + 1;
  unsigned parity = group == 0;
#pragma unroll 1
  for (int tile = static_cast<int>(group); tile < tiles; tile += 2) {
    hand_wait_for(address_of(&bars[0][group]), parity);
    work(first, tile);
    hand_arrive_on(address_of(&bars[0][next]));
    hand_wait_for(address_of(&bars[1][group]), parity);
    work(second, tile);
    hand_arrive_on(address_of(&bars[1][next]));
    parity ^= 1;
  }
}

// PTX-LABEL: .entry ours_ping_pong_by_named_barriers(
// PTX-DAG: bar.sync 1, 256;
// PTX-DAG: bar.sync 2, 256;
// PTX-DAG: bar.arrive 3, 256;
// PTX-DAG: bar.arrive 4, 256;
// PTX-LABEL: .entry hand_ping_pong_by_named_barriers(
__global__ void ours_ping_pong_by_named_barriers(int* first, int* second, int tiles) {
  __shared__ by_hardware in_turn;
  const unsigned group = threadIdx.x / 128;
  by_hardware::place mine(in_turn, group);
#pragma unroll 1
  for (int tile = static_cast<int>(group); tile < tiles; tile += 2) {
    mine.wait();
    work(first, tile);
    mine.pass();
    mine.wait();
    work(second, tile);
    mine.pass();
  }
}
__global__ void hand_ping_pong_by_named_barriers(int* first, int* second, int tiles) {
  const unsigned group = threadIdx.x / 128;
  if (group == 1) {
    hand_arrive<1>();
    hand_arrive<3>();
  }
#pragma unroll 1
  for (int tile = static_cast<int>(group); tile < tiles; tile += 2) {
    if (group == 0)
      hand_sync<1>();
    else
      hand_sync<2>();
    work(first, tile);
    if (group == 0)
      hand_arrive<2>();
    else
      hand_arrive<1>();
    if (group == 0)
      hand_sync<3>();
    else
      hand_sync<4>();
    work(second, tile);
    if (group == 0)
      hand_arrive<4>();
    else
      hand_arrive<3>();
  }
}

// --- A group that is a constant: in a branch of a warp-specialized kernel ---

__global__ void known_group(int* first, int* second, int tiles) {
  __shared__ by_memory in_turn;
  by_memory::place mine(in_turn, 1);
#pragma unroll 1
  for (int tile = 1; tile < tiles; tile += 2) {
    mine.wait();
    work(first, tile);
    mine.pass();
    mine.wait();
    work(second, tile);
    mine.pass();
  }
}
__global__ void ours_known_group_by_named_barriers(int* first, int* second, int tiles) {
  __shared__ by_hardware in_turn;
  by_hardware::place mine(in_turn, 1);
#pragma unroll 1
  for (int tile = 1; tile < tiles; tile += 2) {
    mine.wait();
    work(first, tile);
    mine.pass();
    mine.wait();
    work(second, tile);
    mine.pass();
  }
}
__global__ void hand_known_group_by_named_barriers(int* first, int* second, int tiles) {
  hand_arrive<1>();
  hand_arrive<3>();
#pragma unroll 1
  for (int tile = 1; tile < tiles; tile += 2) {
    hand_sync<2>();
    work(first, tile);
    hand_arrive<1>();
    hand_sync<4>();
    work(second, tile);
    hand_arrive<3>();
  }
}

}  // extern "C"
