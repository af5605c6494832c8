// Hand-written barriers of a block, as in typical kernels: mbarriers with different wait loops, and counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_LATENCY_HAND_H
#define CUDASYNC_BENCHMARKS_LATENCY_HAND_H

namespace bench {

using u32 = unsigned int;
using u64 = unsigned long long;

// One test of the mbarrier, with a token (u64, "l") or a parity (u32, "r"). The hint is from CUTLASS.
#define BENCH_ASK(FUNCTION, INSTRUCTION, TYPE, REGISTER, HINT)                                                      \
  __device__ __forceinline__ bool FUNCTION(u32 address, TYPE which) {                                               \
    u32 done;                                                                                                       \
    asm volatile("{ .reg .pred done; " INSTRUCTION ".shared.b64 done, [%1], %2" HINT "; selp.u32 %0, 1, 0, done; }" \
                 : "=r"(done)                                                                                       \
                 : "r"(address), REGISTER(which)                                                                    \
                 : "memory");                                                                                       \
    return done != 0;                                                                                               \
  }
// The whole wait in one asm block.
#define BENCH_WAIT(FUNCTION, INSTRUCTION, TYPE, REGISTER, HINT)                             \
  __device__ __forceinline__ void FUNCTION(u32 address, TYPE which) {                       \
    asm volatile("{ .reg .pred done; again: " INSTRUCTION ".shared.b64 done, [%0], %1" HINT \
                 "; @!done bra again; }" ::"r"(address),                                    \
                 REGISTER(which)                                                            \
                 : "memory");                                                               \
  }
// The same, with a branch out of the loop before the branch back, which ptxas does not change. UNROLLED: a second test
// in each iteration.
#define BENCH_THROUGH(FUNCTION, INSTRUCTION, TYPE, REGISTER, UNROLLED)                     \
  __device__ __forceinline__ void FUNCTION(u32 address, TYPE which) {                      \
    asm volatile("{ .reg .pred done;\nagain: " INSTRUCTION ".shared.b64 done, [%0], %1;\n" \
                 "@done bra through;\n" UNROLLED "bra again;\nthrough: }" ::"r"(address),  \
                 REGISTER(which)                                                           \
                 : "memory");                                                              \
  }
#define BENCH_TWICE(INSTRUCTION) INSTRUCTION ".shared.b64 done, [%0], %1;\n@done bra through;\n"
// clang-format off
BENCH_ASK (try_wait,       "mbarrier.try_wait",         u64, "l", "")
BENCH_ASK (try_wait,       "mbarrier.try_wait.parity",  u32, "r", "")
BENCH_ASK (hint_wait,      "mbarrier.try_wait",         u64, "l", ", 0x989680")
BENCH_ASK (hint_wait,      "mbarrier.try_wait.parity",  u32, "r", ", 0x989680")
BENCH_ASK (test_wait,      "mbarrier.test_wait",        u64, "l", "")
BENCH_ASK (test_wait,      "mbarrier.test_wait.parity", u32, "r", "")
BENCH_WAIT(asm_try_wait,   "mbarrier.try_wait",         u64, "l", "")
BENCH_WAIT(asm_try_wait,   "mbarrier.try_wait.parity",  u32, "r", "")
BENCH_WAIT(asm_test_wait,  "mbarrier.test_wait",        u64, "l", "")
BENCH_WAIT(asm_test_wait,  "mbarrier.test_wait.parity", u32, "r", "")
BENCH_WAIT(asm_hint_wait,  "mbarrier.try_wait",         u64, "l", ", 0x989680")
BENCH_WAIT(asm_hint_wait,  "mbarrier.try_wait.parity",  u32, "r", ", 0x989680")
BENCH_THROUGH(through_try_wait, "mbarrier.try_wait",        u64, "l", "")
BENCH_THROUGH(through_try_wait, "mbarrier.try_wait.parity", u32, "r", "")
BENCH_THROUGH(twice_try_wait,   "mbarrier.try_wait",        u64, "l", BENCH_TWICE("mbarrier.try_wait"))
BENCH_THROUGH(twice_try_wait,   "mbarrier.try_wait.parity", u32, "r", BENCH_TWICE("mbarrier.try_wait.parity"))
BENCH_THROUGH(through_test_wait, "mbarrier.test_wait",        u64, "l", "")
BENCH_THROUGH(through_test_wait, "mbarrier.test_wait.parity", u32, "r", "")
BENCH_THROUGH(twice_test_wait,   "mbarrier.test_wait",        u64, "l", BENCH_TWICE("mbarrier.test_wait"))
BENCH_THROUGH(twice_test_wait,   "mbarrier.test_wait.parity", u32, "r", BENCH_TWICE("mbarrier.test_wait.parity"))
// clang-format on
#undef BENCH_ASK
#undef BENCH_WAIT
#undef BENCH_THROUGH
#undef BENCH_TWICE

struct loop_try_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    while (!try_wait(address, which)) {
    }
  }
};
struct block_try_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    asm_try_wait(address, which);
  }
};
struct test_then_try_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    if (test_wait(address, which)) return;
    while (!try_wait(address, which)) {
    }
  }
};
struct loop_hint_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    while (!hint_wait(address, which)) {
    }
  }
};
struct try_then_block_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    if (!try_wait(address, which)) through_try_wait(address, which);
  }
};
struct block_hint_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    asm_hint_wait(address, which);
  }
};
struct loop_test_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    while (!test_wait(address, which)) {
    }
  }
};
struct block_test_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    asm_test_wait(address, which);
  }
};
struct block_through_try_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    through_try_wait(address, which);
  }
};
struct block_twice_try_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    twice_try_wait(address, which);
  }
};
struct block_through_test_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    through_test_wait(address, which);
  }
};
struct block_twice_test_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    twice_test_wait(address, which);
  }
};
struct test_then_block_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    if (!test_wait(address, which)) through_test_wait(address, which);
  }
};
template <unsigned Nanoseconds>
struct sleep_test_wait {
  template <class Which>
  static __device__ __forceinline__ void wait(u32 address, Which which) {
    while (!test_wait(address, which))
      __nanosleep(Nanoseconds);
  }
};

// An mbarrier in shared memory.
template <class Wait>
struct hand_mbarrier {
  u64 word;

  __device__ __forceinline__ u32 address() { return static_cast<u32>(__cvta_generic_to_shared(&word)); }
  __device__ __forceinline__ void init(unsigned expected) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(expected) : "memory");
  }
  __device__ __forceinline__ u64 arrive(unsigned = 0) {
    u64 token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(address()) : "memory");
    return token;
  }
  __device__ __forceinline__ void arrive_only(unsigned = 0) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address()) : "memory");
  }
  __device__ __forceinline__ void wait(u64 token, unsigned) { Wait::wait(address(), token); }
  __device__ __forceinline__ void wait_parity(unsigned phase) { Wait::wait(address(), phase & 1); }
  __device__ __forceinline__ void arrive_and_wait(unsigned) { Wait::wait(address(), arrive()); }
};

// Counters in shared memory that are never reset: phase p is complete after (p + 1) * expected arrivals. The thread
// knows p.
__device__ __forceinline__ u32 add_release_shared(u32* counter, u32 value) {
  u32 before;
  const u32 address = static_cast<u32>(__cvta_generic_to_shared(counter));
  asm volatile("atom.add.release.cta.shared.u32 %0, [%1], %2;" : "=r"(before) : "r"(address), "r"(value) : "memory");
  return before;
}
__device__ __forceinline__ u32 load_acquire_shared(const u32* counter) {
  u32 value;
  const u32 address = static_cast<u32>(__cvta_generic_to_shared(counter));
  asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}

// IsAggregated: one lane arrives for all lanes of its warp, which must be converged.
template <bool IsAggregated>
struct hand_shared_counter {
  u32 count;
  u32 expected;

  __device__ __forceinline__ void init(unsigned arrivals) {
    count = 0;
    expected = arrivals;
  }
  __device__ __forceinline__ int arrive(unsigned = 0) {
    arrive_only();
    return 0;
  }
  __device__ __forceinline__ void arrive_only(unsigned = 0) {
    if constexpr (IsAggregated) {
      __syncwarp();
      if (threadIdx.x % 32 == 0) add_release_shared(&count, 32);
    } else {
      add_release_shared(&count, 1);
    }
  }
  __device__ __forceinline__ void wait(int, unsigned phase) { wait_parity(phase); }
  __device__ __forceinline__ void wait_parity(unsigned phase) {
    const u32 target = (phase + 1) * expected;
    while (static_cast<int>(load_acquire_shared(&count) - target) < 0) {
    }
  }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) {
    arrive_only();
    wait_parity(phase);
  }
};

}  // namespace bench

#endif
