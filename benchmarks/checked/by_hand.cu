// Kernels by hand that only do what each check has to do: their cost is a limit of the checked build's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness.h"

#include <cstdint>

namespace bench { namespace {

using std::uint32_t;
using std::uint64_t;

// --- arrive_and_wait ---

// What an arrival does besides: reads the state of the mbarrier and two words of a record, votes on them in the warp,
// and stores the count of arrivals and the call.
enum : int { nothing = 0, reads = 1, vote = 2, stores = 4 };

struct alignas(128) record {
  uint64_t arrivals;
  alignas(128) uint64_t state;
  alignas(128) uint64_t call[2];
};
__device__ record records[132 * 64];

__device__ uint64_t load(const uint64_t* from) {
  uint64_t value;
  asm volatile("ld.relaxed.cta.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}

template <int Parts>
__global__ void arrive_and_wait(int rounds, unsigned* total, const unsigned*) {
  __shared__ uint64_t bar;
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(blockDim.x) : "memory");
  __syncthreads();
  record& mine = records[(blockIdx.x * 32 + threadIdx.x / 32) % (132 * 64)];
  uint64_t seen = 0;
  for (int round = 0; round < rounds; ++round) {
    uint64_t arrivals = 0;
    bool is_odd = false;
    if (Parts & reads) {
      uint64_t state;
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(address), "r"(0) : "memory");
      arrivals = load(&mine.arrivals);
      is_odd = load(&mine.state) == state >> 43;
    }
    if (Parts & vote) is_odd = __any_sync(0xffffffff, is_odd) != 0;
    if (Parts & reads) seen += is_odd;
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address) : "memory");
    if ((Parts & stores) && threadIdx.x % 32 == 0) {
      asm volatile("st.relaxed.cta.global.u64 [%0], %1;" ::"l"(&mine.arrivals), "l"(arrivals + 1) : "memory");
      asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(mine.call), "l"(seen), "l"(arrivals) : "memory");
    }
    uint32_t is_over = 0;
    while (is_over == 0)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(is_over)
                   : "r"(address), "r"(round & 1)
                   : "memory");
  }
  if (seen == ~uint64_t{0}) *total = 1;
}

// --- named_barrier ---

// One sector for four warps, alone in its cache line.
struct alignas(128) words_of_warps {
  uint64_t of_warp[4];
};
__device__ words_of_warps meetings[132][8];

// Warps that meet by polling: each stores the number of the phase, and its lanes read the words of the others.
__global__ void named_barrier_256(int rounds, unsigned*, const unsigned*) {
  constexpr int warps = 8;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  words_of_warps* const words = meetings[blockIdx.x % 132];
  uint64_t* const own = &words[warp / 4].of_warp[warp % 4];
  const uint64_t* const others = &words[lane / 4 % 8].of_warp[lane % 4];
  if (lane == 0) asm volatile("st.relaxed.cta.global.u64 [%0], %1;" ::"l"(own), "l"(uint64_t{0}) : "memory");
  __syncthreads();
  for (int round = 1; round <= rounds; ++round) {
    __syncwarp();
    if (lane == 0)
      asm volatile("st.release.cta.global.u64 [%0], %1;" ::"l"(own), "l"(static_cast<uint64_t>(round)) : "memory");
    bool has_arrived = true;
    do {
      if (lane < warps) has_arrived = load(others) >= static_cast<uint64_t>(round);
    } while (__all_sync(0xffffffff, has_arrived) == 0);
    asm volatile("fence.acq_rel.cta;" ::: "memory");
    __syncwarp();
  }
  __syncthreads();
}

const int enrolled = [] {
  const auto enroll = [](const char* operation, const char* name, auto* kernel) {
    contestants().push_back(
        {"checked", operation, name, "design", "native", reinterpret_cast<const void*>(kernel), nullptr});
  };
  enroll("block arrive_and_wait", "by hand: nothing else", arrive_and_wait<nothing>);
  enroll("block arrive_and_wait", "by hand: the reads", arrive_and_wait<reads>);
  enroll("block arrive_and_wait", "by hand: reads, vote", arrive_and_wait<reads | vote>);
  enroll("block arrive_and_wait", "by hand: reads, vote, stores", arrive_and_wait<reads | vote | stores>);
  enroll("named_barrier 256", "by hand: polling", named_barrier_256);
  return 0;
}();

}}  // namespace bench
